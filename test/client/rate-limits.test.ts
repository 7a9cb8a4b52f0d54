import { describe, expect, test } from 'vitest';
import {
  CALLS,
  clientOf,
  failureOf,
  instantClock,
  NOW,
  ONCE_ONLY,
  REPEATABLE,
  SUCCESS,
  serviceAnswering,
} from './support.js';

const limited = (retryAfter?: string) => ({
  status: 429,
  body: { code: 429, message: 'too many' },
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
});

const waitAfter = async (retryAfter?: string): Promise<number[]> => {
  const service = await serviceAnswering(limited(retryAfter), { body: {} });
  const { clock, slept } = instantClock();
  await CALLS.reply(clientOf(service, { clock }));
  return slept;
};

describe('too many requests', () => {
  test.each([...ONCE_ONLY, ...REPEATABLE])('%s is retried, because a 429 had no effect', async (name) => {
    const service = await serviceAnswering(limited('1'), SUCCESS);
    await CALLS[name](clientOf(service));
    expect(service.requests).toHaveLength(2);
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
    [''],
    [undefined],
  ])('Retry-After %j is ignored', async (retryAfter) => {
    expect(await waitAfter(retryAfter)).toEqual([250]);
  });

  test.each([['31'], ['86400'], ['9'.repeat(400)]])(
    'a delay of %s s is left to the caller',
    async (seconds) => {
      const service = await serviceAnswering(limited(seconds));
      const { clock, slept } = instantClock();
      expect(await failureOf(CALLS.reply(clientOf(service, { clock })))).toMatchObject({
        code: 'RATE_LIMITED',
        status: 429,
        serviceCode: 429,
        outcome: 'not-applied',
        retryable: true,
        retryAfterMs: Math.min(Number(seconds) * 1000, Number.MAX_SAFE_INTEGER),
        attempts: 1,
      });
      expect(service.requests).toHaveLength(1);
      expect(slept).toEqual([]);
    },
  );

  test('the error of the last attempt contains the delay', async () => {
    const service = await serviceAnswering(limited('2'));
    expect(await failureOf(CALLS.reply(clientOf(service)))).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 2000,
      attempts: 4,
    });
    expect(service.requests).toHaveLength(4);
  });
});
