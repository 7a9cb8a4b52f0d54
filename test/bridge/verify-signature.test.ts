import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifySecret, verifySignature } from '../../src/adapter.js';

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
