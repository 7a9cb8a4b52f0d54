import { describe, expect, it } from 'vitest';
import { encrypt, signedRequest } from '../../fixtures/lark/deliver.js';
import { FAKE } from '../../fixtures/lark/fake-lark.js';
import { inbound, messageRequest, webhookAdapter } from './support.js';

const PAYLOAD = { schema: '2.0', header: { event_id: 'ev_1', event_type: 'other' }, event: {} };
const MINUTE_MS = 60_000;
const challenge = (token: string) => ({ challenge: 'ajls384kdjx98XX', token, type: 'url_verification' });
const unsigned = (payload: object) => inbound({ headers: {}, body: JSON.stringify(payload) });

describe('the signature', () => {
  it('is right, of another key, missing, or too old', () => {
    const { verify } = webhookAdapter();
    const request = messageRequest({});
    expect(verify(request)).toBe('genuine');
    expect(verify(inbound(signedRequest(PAYLOAD, 'another key')))).toBe('forged');
    expect(verify({ ...request, headers: {} })).toBe('unsigned');
    expect(verify({ ...request, receivedAt: request.receivedAt + 6 * MINUTE_MS })).toBe('stale');
    expect(verify({ ...request, receivedAt: request.receivedAt - 6 * MINUTE_MS })).toBe('stale');
  });

  it('covers the bytes of the body, the time and the nonce', () => {
    const { verify } = webhookAdapter();
    const request = messageRequest({});
    const { headers } = request;
    const spaced = Buffer.from(JSON.stringify(JSON.parse(request.body.toString('utf8')), null, 1));
    expect(verify({ ...request, body: spaced })).toBe('forged');
    for (const name of ['x-lark-request-timestamp', 'x-lark-request-nonce', 'x-lark-signature']) {
      const changed = `${headers[name]?.slice(0, -1)}${headers[name]?.endsWith('0') ? '1' : '0'}`;
      expect(verify({ ...request, headers: { ...headers, [name]: changed } })).toBe('forged');
    }
  });

  it('does not let digits move between the time and the nonce, which are hashed without a separator', () => {
    const { verify } = webhookAdapter();
    const request = messageRequest({});
    const time = request.headers['x-lark-request-timestamp'] ?? '';
    const nonce = request.headers['x-lark-request-nonce'] ?? '';
    const headers = {
      ...request.headers,
      'x-lark-request-timestamp': time.slice(0, 9),
      'x-lark-request-nonce': `${time.slice(9)}${nonce}`,
    };
    expect(verify({ ...request, headers, receivedAt: Number(time.slice(0, 9)) * 1_000 })).toBe('forged');
  });

  it('may be of any of several keys, which decrypt too', () => {
    const { verify, parse } = webhookAdapter({ encryptKey: ['new key', FAKE.encryptKey] });
    const request = messageRequest({});
    expect(verify(request)).toBe('genuine');
    expect(parse(request).events).toHaveLength(1);
  });
});

describe('the verification of the address', () => {
  it.each([
    ['encrypted', { encrypt: encrypt(challenge(FAKE.verificationToken), FAKE.encryptKey) }],
    ['in plain text', challenge(FAKE.verificationToken)],
  ])('is answered with its challenge, %s and without a signature', (_how, payload) => {
    const { verify, parse } = webhookAdapter();
    const request = unsigned(payload);
    expect(verify(request)).toBe('genuine');
    const { events, response } = parse(request);
    expect(events).toEqual([]);
    expect(response?.contentType).toMatch(/^application\/json/);
    expect(JSON.parse(response?.body ?? '')).toEqual({ challenge: 'ajls384kdjx98XX' });
  });

  it('needs the Verification Token, and lets no event pass', () => {
    const { verify, parse } = webhookAdapter();
    expect(verify(unsigned(challenge('another token')))).toBe('unsigned');
    expect(verify(unsigned({ type: 'url_verification', challenge: 'x' }))).toBe('unsigned');
    expect(verify(unsigned({ ...PAYLOAD, token: FAKE.verificationToken }))).toBe('unsigned');
    const mixed = { ...PAYLOAD, ...challenge(FAKE.verificationToken) };
    expect(parse(unsigned(mixed)).events).toEqual([]);
  });
});

describe('a body that cannot be decrypted', () => {
  it.each([
    '',
    'no JSON',
    '[]',
    '{"encrypt":""}',
    '{"encrypt":"c2hvcnQ="}',
    JSON.stringify({ encrypt: encrypt(PAYLOAD, 'another key') }),
    JSON.stringify({ encrypt: encrypt('a text', FAKE.encryptKey) }),
    JSON.stringify({ encrypt: encrypt({ schema: '2.0' }, FAKE.encryptKey) }),
  ])('is an error of kind invalid: %s', (body) => {
    const { verify, parse } = webhookAdapter();
    const request = inbound({ headers: {}, body });
    expect(verify(request)).toBe('unsigned');
    expect(() => parse(request)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
