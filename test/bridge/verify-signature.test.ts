import { createHmac, generateKeyPairSync, sign as signRsa } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyRsaSignature, verifySecret, verifySignature } from '../../src/public/adapter.js';

const sign = (algorithm: string, secret: string): string =>
  createHmac(algorithm, secret).update('payload').digest('hex');

describe('verifySignature with SHA-1', () => {
  const verify = (signature: string | undefined) =>
    verifySignature({
      secrets: ['old', 'new'],
      payload: 'payload',
      signature,
      algorithm: 'sha1',
      receivedAt: 0,
    });

  it.each([
    ['the signature of any secret', sign('sha1', 'new'), 'genuine'],
    ['another secret', sign('sha1', 'other'), 'forged'],
    ['the SHA-256 of the same secret', sign('sha256', 'new'), 'forged'],
    ['no signature', undefined, 'unsigned'],
  ] as const)('verifies %s', (_what, signature, verdict) => {
    expect(verify(signature)).toBe(verdict);
  });

  it('does not accept SHA-1 unless it is asked for', () => {
    const signature = sign('sha1', 'new');
    expect(verifySignature({ secrets: ['new'], payload: 'payload', signature, receivedAt: 0 })).toBe(
      'forged',
    );
  });
});

describe('verifySignature in Base64', () => {
  const signature = createHmac('sha256', 'new').update('payload').digest('base64');
  const verify = (given: string, encoding?: 'base64') =>
    verifySignature({
      secrets: ['new'],
      payload: 'payload',
      signature: given,
      ...(encoding && { encoding }),
      receivedAt: 0,
    });

  it.each([
    ['the signature', signature, 'genuine'],
    ['the signature with other characters in it', `${signature.slice(0, 8)}!${signature.slice(8)}`, 'forged'],
    ['a part of it', signature.slice(0, 40), 'forged'],
    ['the signature in hexadecimal', Buffer.from(signature, 'base64').toString('hex'), 'forged'],
  ] as const)('verifies %s', (_what, given, verdict) => {
    expect(verify(given, 'base64')).toBe(verdict);
  });

  it('has to be asked for', () => {
    expect(verify(signature)).toBe('forged');
  });
});

describe('verifySecret', () => {
  it.each([
    ['the old secret', 'old', 'genuine'],
    ['the new secret', 'new', 'genuine'],
    ['a part of one', 'ne', 'forged'],
    ['an empty one', '', 'unsigned'],
    ['none', undefined, 'unsigned'],
  ] as const)('compares %s', (_what, given, verdict) => {
    expect(verifySecret({ secrets: ['old', 'new'], given })).toBe(verdict);
  });
});

describe('verifyRsaSignature', () => {
  const [old, current, other] = [1, 2, 3].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }));
  const publicKeys = [old, current].flatMap((pair) => (pair ? [pair.publicKey] : []));
  const signedBy = (pair = current): string =>
    signRsa('sha256', Buffer.from('payload'), pair?.privateKey ?? '').toString('base64');
  const verify = (signature: string | undefined, payload = 'payload') =>
    verifyRsaSignature({ publicKeys, payload: Buffer.from(payload), signature });

  it('accepts a signature of any of its keys, over the whole payload', () => {
    expect([verify(signedBy(old)), verify(signedBy(current))]).toEqual(['genuine', 'genuine']);
    expect([verify(signedBy(other)), verify(signedBy(), 'another payload')]).toEqual(['forged', 'forged']);
    expect([verify(undefined), verify('')]).toEqual(['unsigned', 'unsigned']);
  });

  it('refuses a signature with anything else in it', () => {
    const right = signedBy();
    for (const wrong of [`${right.slice(0, -1)}0`, ` ${right}`, `${right}\n`, `${right}AAAA`, 'sha256']) {
      expect(verify(wrong)).toBe('forged');
    }
  });
});
