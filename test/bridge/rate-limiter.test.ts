import { expect, it } from 'vitest';
import { createRateLimiter } from '../../src/bridge/calls/rate-limiter.js';
import { eventually } from '../helpers/eventually.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

/** A rate limiter with a clock that the test sets. */
function createLimiter(rate: Parameters<typeof createRateLimiter>[0]) {
  const clock = { now: 1_000 };
  return { clock, limiter: createRateLimiter(rate, () => clock.now) };
}

it('grants everything without a limit', async () => {
  const { limiter } = createLimiter(undefined);
  for (let n = 0; n < 100; n += 1)
    expect(await limiter.reserve('T1', 0)).toMatchObject({ waitMs: 0, granted: true });
});

it('spaces slots so that no window exceeds the limit', async () => {
  const { limiter, clock } = createLimiter({ overall: { count: 2, perMs: 100 } });
  const reservations = await Promise.all(Array.from({ length: 6 }, () => limiter.reserve('T1', 1_000)));
  const waits = reservations.map(({ waitMs }) => waitMs);
  expect(waits).toEqual([0, 0, 100, 100, 200, 200]);
  clock.now += 250;
  expect(await limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 50 });
});

it('grants no slot beyond the longest wait', async () => {
  const { limiter, clock } = createLimiter({ overall: { count: 1, perMs: 100 } });
  await limiter.reserve('T1', 50);
  expect(await limiter.reserve('T2', 50)).toMatchObject({ waitMs: 100, granted: false });
  expect(await limiter.reserve('T2', 50)).toMatchObject({ waitMs: 100, granted: false });
  clock.now += 60;
  expect(await limiter.reserve('T2', 50)).toMatchObject({ waitMs: 40, granted: true });
});

it('limits conversations separately, and reports a saturated one', async () => {
  const { limiter, clock } = createLimiter({
    perConversation: { count: 2, perMs: 100 },
    overall: { count: 3, perMs: 10 },
  });
  expect(await limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 0, saturated: false });
  expect(await limiter.reserve('T2', 1_000)).toMatchObject({ waitMs: 0, saturated: false });
  expect(await limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 0, saturated: true });
  expect(await limiter.reserve('T3', 1_000)).toMatchObject({ waitMs: 10, saturated: false });
  expect(await limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 100, saturated: true });
  clock.now += 500;
  expect(await limiter.reserve('T1', 1_000)).toMatchObject({ waitMs: 0, saturated: false });
});

it('keeps to the limit in every period, whatever slots conversations wait for', async () => {
  const rate = { overall: { count: 3, perMs: 100 }, perConversation: { count: 1, perMs: 70 } };
  const { limiter, clock } = createLimiter(rate);
  const slots: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    clock.now += (n * 7) % 23;
    const { granted, waitMs } = await limiter.reserve(`T${(n * n) % 5}`, 500);
    if (granted) slots.push(clock.now + waitMs);
  }
  const inPeriod = slots.map((from) => slots.filter((at) => at >= from && at < from + 100).length);
  expect(Math.max(...inPeriod)).toBe(3);
  expect(slots.length).toBeGreaterThan(50);
});

it('forgets slots from before the clock was set back', async () => {
  const { limiter, clock } = createLimiter({ overall: { count: 1, perMs: 100 } });
  await limiter.reserve('T1', 50);
  clock.now -= 500;
  expect(await limiter.reserve('T1', 50)).toMatchObject({ waitMs: 0, granted: true });
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
  await eventually(() => expect(bridge.stats()).toMatchObject({ sent: 1, postponed: 1 }));
  expect(desk.sentTexts()).toEqual(['one']);
});
