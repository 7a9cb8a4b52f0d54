import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTokenCache } from '../../src/adapter.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a token cache', () => {
  it('requests a token once, and again a minute before it expires', async () => {
    const tokens = createTokenCache();
    let count = 0;
    const request = async () => {
      count += 1;
      return { value: `token ${count}`, expiresInSeconds: 3_600 };
    };
    expect(await Promise.all([tokens.get('a', request), tokens.get('a', request)])).toEqual([
      'token 1',
      'token 1',
    ]);
    vi.setSystemTime(Date.now() + 3_539_000);
    expect(await tokens.get('a', request)).toBe('token 1');
    vi.setSystemTime(Date.now() + 1_000);
    expect(await tokens.get('a', request)).toBe('token 2');
    expect(await tokens.get('b', request)).toBe('token 3');
  });

  it('requests a new one after the last was forgotten, or could not be had', async () => {
    const tokens = createTokenCache();
    await expect(tokens.get('a', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(await tokens.get('a', async () => ({ value: 'one', expiresInSeconds: 3_600 }))).toBe('one');
    tokens.forget('a');
    expect(await tokens.get('a', async () => ({ value: 'two', expiresInSeconds: 3_600 }))).toBe('two');
  });
});
