import { describe, expect, test } from 'vitest';
import {
  CALLS,
  clientOf,
  failureOf,
  instantClock,
  ONCE_ONLY,
  platformAnswering,
  REPEATABLE,
  SUCCESS,
} from './support.js';

const FAILURES = [
  { status: 500, body: '' },
  { status: 502, body: '<html>bad gateway</html>' },
  { status: 504, body: { error: 'too late' } },
  { status: 503, body: { code: 50000, message: 'Internal system error' } },
  {
    status: 503,
    body: 'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
  },
  { status: 408, body: '' },
  { status: 500, body: { code: 40999, message: 'an unknown code' } },
  { status: 200, body: { code: 50000, message: 'Internal system error' } },
  { status: 400, body: { code: 50000, message: 'Internal system error' } },
];

/** The platform or its gateway did not handle the request. */
const UNAVAILABLE = [
  { status: 503, body: '' },
  { status: 503, body: '<html>maintenance</html>' },
  { status: 503, body: { error: 'busy' } },
  { status: 503, body: { code: 503, message: 'busy' } },
  { status: 503, body: { code: 40999, message: 'an unknown code' } },
  { status: 503, body: 'no healthy upstream' },
];

describe.each(UNAVAILABLE)('the platform is unavailable: %j', (failure) => {
  test.each([...ONCE_ONLY, ...REPEATABLE])('%s is retried', async (name) => {
    const platform = await platformAnswering(failure, failure, SUCCESS);
    await CALLS[name](clientOf(platform));
    expect(platform.requests).toHaveLength(3);
  });

  test.each([...ONCE_ONLY, ...REPEATABLE])('%s was not applied after the last retry', async (name) => {
    const platform = await platformAnswering(failure);
    expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
      code: 'PLATFORM_FAILED',
      status: 503,
      outcome: 'not-applied',
      retryable: true,
      attempts: 4,
    });
  });
});

test('a reply whose second attempt fails in the middle has an unknown outcome', async () => {
  const platform = await platformAnswering({ status: 503 }, { status: 502 });
  expect(await failureOf(CALLS.reply(clientOf(platform)))).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    outcome: 'unknown',
    retryable: false,
    attempts: 2,
  });
});

describe.each(FAILURES)('the platform fails with %j', (failure) => {
  test.each(ONCE_ONLY)('%s is sent once, and its outcome is unknown', async (name) => {
    const platform = await platformAnswering(failure, { body: {} });
    const { clock, slept } = instantClock();
    expect(await failureOf(CALLS[name](clientOf(platform, { clock })))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      endpoint: name,
      status: failure.status,
      outcome: 'unknown',
      retryable: false,
      attempts: 1,
    });
    expect(platform.requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  test.each(REPEATABLE)('%s is retried', async (name) => {
    const platform = await platformAnswering(failure, failure, SUCCESS);
    await CALLS[name](clientOf(platform));
    expect(platform.requests).toHaveLength(3);
    expect(new Set(platform.requests.map(({ body }) => body)).size).toBe(1);
  });

  test.each(REPEATABLE)('%s fails after the last retry', async (name) => {
    const platform = await platformAnswering(failure);
    expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
      code: 'PLATFORM_FAILED',
      status: failure.status,
      outcome: 'unknown',
      retryable: true,
      attempts: 4,
    });
    expect(platform.requests).toHaveLength(4);
  });
});

test("a failing platform's Retry-After is obeyed and reported", async () => {
  const busy = { status: 503, headers: { 'retry-after': '7' } };
  const platform = await platformAnswering(busy, { body: {} }, busy);
  const { clock, slept } = instantClock();
  await CALLS.close(clientOf(platform, { clock }));
  expect(slept).toEqual([7000]);
  expect(await failureOf(CALLS.reply(clientOf(platform)))).toMatchObject({
    code: 'PLATFORM_FAILED',
    retryable: true,
    retryAfterMs: 7000,
  });
});
