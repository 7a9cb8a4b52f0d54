import { describe, expect, test } from 'vitest';
import {
  CALLS,
  clientOf,
  failureOf,
  instantClock,
  NOW,
  ONCE_ONLY,
  platformAnswering,
  REPEATABLE,
  SUCCESS,
} from './support.js';

const limited = (retryAfter?: string) => ({
  status: 429,
  body: { code: 429, message: 'too many' },
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
});

const waitAfter = async (retryAfter?: string): Promise<number[]> => {
  const platform = await platformAnswering(limited(retryAfter), { body: {} });
  const { clock, slept } = instantClock();
  await CALLS.reply(clientOf(platform, { clock }));
  return slept;
};

describe('too many requests', () => {
  test.each([...ONCE_ONLY, ...REPEATABLE])('%s is retried, because a 429 had no effect', async (name) => {
    const platform = await platformAnswering(limited('1'), SUCCESS);
    await CALLS[name](clientOf(platform));
    expect(platform.requests).toHaveLength(2);
  });

  test('Retry-After in seconds is obeyed', async () => {
    expect(await waitAfter('3')).toEqual([3000]);
  });

  test('Retry-After as a date is obeyed', async () => {
    const date = new Date(NOW + 5000);
    expect(await waitAfter(date.toUTCString())).toEqual([date.setMilliseconds(0) - NOW]);
  });

  test.each([
    ['0'],
    ['Tue, 18 Mar 2025 00:00:00 GMT'],
    ['soon'],
    ['-5'],
    ['1.5'],
    ['2099-12-31'],
    ['Thu, 31 Dec 2099 00:00:00 GMT'],
    [String(Math.round(NOW / 1000) + 5)],
    ['9'.repeat(400)],
    [''],
    [undefined],
  ])('Retry-After %j is ignored', async (retryAfter) => {
    expect(await waitAfter(retryAfter)).toEqual([250]);
  });

  test.each([['31'], ['86400']])('a delay of %s s is left to the caller', async (seconds) => {
    const platform = await platformAnswering(limited(seconds));
    const { clock, slept } = instantClock();
    expect(await failureOf(CALLS.reply(clientOf(platform, { clock })))).toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      platformCode: 429,
      outcome: 'not-applied',
      retryable: true,
      retryAfterMs: Number(seconds) * 1000,
      attempts: 1,
    });
    expect(platform.requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  test('the error of the last attempt contains the delay', async () => {
    const platform = await platformAnswering(limited('2'));
    expect(await failureOf(CALLS.reply(clientOf(platform)))).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 2000,
      attempts: 4,
    });
    expect(platform.requests).toHaveLength(4);
  });
});
