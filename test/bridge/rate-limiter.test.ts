import { expect, it, vi } from 'vitest';
import { createRateLimiter } from '../../src/bridge/rate-limiter.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

/** A rate limiter with a clock that the test sets. */
function createLimiter(rate: Parameters<typeof createRateLimiter>[0]) {
  const clock = { now: 1_000 };
  return { clock, limiter: createRateLimiter(rate, () => clock.now) };
}

it('grants everything without a limit', () => {
  const { limiter } = createLimiter(undefined);
  for (let n = 0; n < 100; n += 1)
    expect(limiter.reserve('T1', 0)).toMatchObject({ waitMs: 0, granted: true });
});

it('spaces slots so that no window exceeds the limit', () => {
  const { limiter, clock } = createLimiter({ overall: { count: 2, perMs: 100 } });
  const waits = Array.from({ length: 6 }, () => limiter.reserve('T1', 1_000).waitMs);
  expect(waits).toEqual([0, 0, 100, 100, 200, 200]);
  clock.now += 250;
  expect(limiter.reserve('T1', 1_000).waitMs).toBe(50);
});

it('grants no slot beyond the longest wait', () => {
  const { limiter, clock } = createLimiter({ overall: { count: 1, perMs: 100 } });
  limiter.reserve('T1', 50);
  expect(limiter.reserve('T2', 50)).toMatchObject({ waitMs: 100, granted: false });
  expect(limiter.reserve('T2', 50)).toMatchObject({ waitMs: 100, granted: false });
  clock.now += 60;
  expect(limiter.reserve('T2', 50)).toMatchObject({ waitMs: 40, granted: true });
});

it('limits conversations separately, and reports a saturated one', () => {
  const { limiter, clock } = createLimiter({
    perConversation: { count: 2, perMs: 100 },
    overall: { count: 3, perMs: 10 },
  });
  expect(limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 0, saturated: false });
  expect(limiter.reserve('T2', 1_000)).toMatchObject({ waitMs: 0, saturated: false });
  expect(limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 0, saturated: true });
  expect(limiter.reserve('T3', 1_000)).toMatchObject({ waitMs: 10, saturated: false });
  expect(limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 100, saturated: true });
  clock.now += 500;
  expect(limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 0, saturated: false });
});

it('the bridge delays messages above the limit, in order', async () => {
  const { bench, desk } = await setUpBridge({ capabilities: { rate: { overall: { count: 2, perMs: 20 } } } });
  await bench.requestHandoff();
  for (const text of ['1', '2', '3', '4', '5']) await bench.say(text);
  expect(desk.sentTexts()).toEqual(['1', '2', '3', '4', '5']);
});

it('long waits are left to delivery: the event is postponed', async () => {
  const { bench, desk, bridge } = await setUpBridge({
    capabilities: { rate: { overall: { count: 1, perMs: 3_600_000 } } },
    receiver: { delivery: await sqliteDelivery() },
  });
  await bench.requestHandoff();
  await bench.say('one');
  await bench.say('two');
  await vi.waitFor(() => expect(bridge.stats()).toMatchObject({ sent: 1, postponed: 1 }));
  expect(desk.sentTexts()).toEqual(['one']);
});
