import { describe, expect, test } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { CLOSE, clientOf, failureOf, instantClock, platformAnswering, REPLY } from './support.js';

const limited = { status: 429 };

describe('retries', () => {
  test('double the delay each time, up to the maximum', async () => {
    const platform = await platformAnswering(limited);
    const { clock, slept } = instantClock();
    const retry = { retries: 6, minDelayMs: 100, maxDelayMs: 1000 };
    await failureOf(clientOf(platform, { clock, retry }).reply(REPLY));
    expect(slept).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  test('cut up to half of each delay at random', async () => {
    const platform = await platformAnswering(limited);
    const { clock, slept } = instantClock();
    const retry = { minDelayMs: 100 };
    await failureOf(clientOf(platform, { clock: { ...clock, random: () => 0 }, retry }).reply(REPLY));
    await failureOf(clientOf(platform, { clock: { ...clock, random: () => 0.5 }, retry }).reply(REPLY));
    expect(slept).toEqual([50, 100, 200, 75, 150, 300]);
  });

  test('start no attempt after maxElapsedMs', async () => {
    const platform = await platformAnswering(limited);
    const { clock, slept } = instantClock();
    const retry = { retries: 100, minDelayMs: 100, maxElapsedMs: 1000 };
    expect(await failureOf(clientOf(platform, { clock, retry }).reply(REPLY))).toMatchObject({ attempts: 4 });
    expect(slept).toEqual([100, 200, 400]);
  });

  test('count the duration of the attempts towards maxElapsedMs', async () => {
    const platform = await platformAnswering({ status: 503 });
    const { clock, slept } = instantClock();
    let asked = 0;
    const slow = { ...clock, now: () => clock.now() + 400 * asked++ };
    await failureOf(
      clientOf(platform, { clock: slow, retry: { maxElapsedMs: 3000 } }).end({ ...CLOSE, timestamp: 1 }),
    );
    expect(slept.length).toBeLessThan(3);
  });

  test('are switched off by false', async () => {
    const platform = await platformAnswering(limited);
    expect(await failureOf(clientOf(platform, { retry: false }).reply(REPLY))).toMatchObject({ attempts: 1 });
    expect(platform.requests).toHaveLength(1);
  });

  test('send the same timestamp each time', async () => {
    const platform = await platformAnswering(limited, limited, { status: 200 });
    await clientOf(platform).reply(REPLY);
    expect(platform.requests).toHaveLength(3);
    expect(new Set(platform.requests.map(({ body }) => body)).size).toBe(1);
  });

  test('keep the outcome unknown when a later attempt is not even sent', async () => {
    const port = await freePort();
    const failing = await platformAnswering({ status: 500 });
    let count = 0;
    const client = clientOf(failing, {
      fetch: (url, init) => {
        count += 1;
        return fetch(count === 1 ? url : `http://127.0.0.1:${port}`, init);
      },
    });
    expect(await failureOf(client.end(CLOSE))).toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      outcome: 'unknown',
      attempts: 4,
    });
  });
});
