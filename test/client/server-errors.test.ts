import { describe, expect, test } from 'vitest';
import {
  CALLS,
  clientOf,
  failureOf,
  instantClock,
  ONCE_ONLY,
  REPEATABLE,
  serviceAnswering,
} from './support.js';

const FAILURES = [
  { status: 500, body: '' },
  { status: 502, body: '<html>bad gateway</html>' },
  { status: 503, body: { error: 'busy' } },
  { status: 408, body: '' },
  { status: 500, body: { code: 40999, message: 'an unknown code' } },
  { status: 200, body: { code: 50000, message: 'Internal system error' } },
  { status: 400, body: { code: 50000, message: 'Internal system error' } },
];

describe.each(FAILURES)('the platform fails with %j', (failure) => {
  test.each(ONCE_ONLY)('%s is sent once, and its outcome is unknown', async (name) => {
    const service = await serviceAnswering(failure, { body: {} });
    const { clock, slept } = instantClock();
    expect(await failureOf(CALLS[name](clientOf(service, { clock })))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      endpoint: name,
      status: failure.status,
      outcome: 'unknown',
      retryable: false,
      attempts: 1,
    });
    expect(service.requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  test.each(REPEATABLE)('%s is retried', async (name) => {
    const service = await serviceAnswering(failure, failure, { body: { results: [] } });
    await CALLS[name](clientOf(service));
    expect(service.requests).toHaveLength(3);
    expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1);
  });

  test.each(REPEATABLE)('%s fails after the last retry', async (name) => {
    const service = await serviceAnswering(failure);
    expect(await failureOf(CALLS[name](clientOf(service)))).toMatchObject({
      code: 'SERVICE_FAILED',
      status: failure.status,
      outcome: 'unknown',
      retryable: true,
      attempts: 4,
    });
    expect(service.requests).toHaveLength(4);
  });
});

test('the delay that a failing platform asks for is obeyed and reported', async () => {
  const busy = { status: 503, headers: { 'retry-after': '7' } };
  const service = await serviceAnswering(busy, { body: {} }, busy);
  const { clock, slept } = instantClock();
  await CALLS.close(clientOf(service, { clock }));
  expect(slept).toEqual([7000]);
  expect(await failureOf(CALLS.reply(clientOf(service)))).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    retryAfterMs: 7000,
  });
});
