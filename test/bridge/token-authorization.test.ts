import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdapterHttp, createTokenAuthorization } from '../../src/public/adapter.js';
import { CALL } from '../fixtures/adapter-session.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Tokens that count up. */
function numberedTokens() {
  let count = 0;
  return createTokenAuthorization(async () => {
    count += 1;
    return { value: String(count), expiresInSeconds: 3_600 };
  });
}

describe('a token authorization', () => {
  it('requests a token once, and again a minute before it expires', async () => {
    const tokens = numberedTokens();
    expect(await Promise.all([tokens.headers(CALL), tokens.headers(CALL)])).toEqual([
      { authorization: 'Bearer 1' },
      { authorization: 'Bearer 1' },
    ]);
    vi.setSystemTime(Date.now() + 3_539_000);
    expect(await tokens.headers(CALL)).toEqual({ authorization: 'Bearer 1' });
    vi.setSystemTime(Date.now() + 1_000);
    expect(await tokens.headers(CALL)).toEqual({ authorization: 'Bearer 2' });
  });

  it('requests a new one after the last could not be had', async () => {
    const request = vi
      .fn()
      .mockRejectedValueOnce(new Error('refused'))
      .mockResolvedValue({ value: 'one', expiresInSeconds: 3_600 });
    const tokens = createTokenAuthorization(request, (token) => ({ 'x-token': token }));
    await expect(tokens.headers(CALL)).rejects.toThrow('refused');
    expect(await tokens.headers(CALL)).toEqual({ 'x-token': 'one' });
  });

  it('requests a new one after the helpdesk refused the last', async () => {
    const seen: (string | null)[] = [];
    const http = createAdapterHttp({
      helpdesk: 'Our Desk',
      baseUrl: 'https://desk.test',
      headers: {},
      authorization: numberedTokens(),
      fetch: async (_url, init) => {
        seen.push(new Headers(init?.headers).get('authorization'));
        return new Response('{}', { status: seen.length === 2 ? 401 : 200 });
      },
    });
    const get = () => http({ method: 'GET', path: '/me' }, CALL);
    await get();
    await expect(get()).rejects.toMatchObject({ kind: 'auth' });
    await get();
    expect(seen).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 2']);
  });
});
