import { EventEmitter, once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/client/clock.js';
import type { HealthWatch, HealthWatchOptions, PlatformHealth } from '../../src/client/index.js';
import { API_KEY, clientOf, instantClock, platformAnswering, rawPlatform } from './support.js';

const UP = { body: 'service is normal' };
const DOWN = { status: 503, body: '' };

const ignore = (): void => undefined;
const fail = (): never => {
  throw new RangeError('handler');
};

/** Watches for a number of rounds and returns the reported changes. */
async function watched(
  platform: { baseUrl: string },
  rounds: number,
  options: Partial<HealthWatchOptions> = {},
): Promise<{ told: boolean[]; slept: number[]; watch: HealthWatch }> {
  const told: boolean[] = [];
  const done = new AbortController();
  const { clock, slept } = instantClock((_, count) => {
    if (count >= rounds) done.abort();
  });
  const watch = clientOf(platform, { clock }).webhooks.watch({
    onChange: ({ available }) => void told.push(available),
    signal: done.signal,
    ...options,
  });
  await once(done.signal, 'abort');
  return { told, slept, watch };
}

describe('a health watch', () => {
  test('reports the first state and then only changes', async () => {
    const platform = await platformAnswering(UP, UP, DOWN, DOWN, UP);
    const { told } = await watched(platform, 6);
    expect(told).toEqual([true, false, true]);
    expect(platform.requests).toHaveLength(6);
  });

  test('reports a platform that is down from the start', async () => {
    expect((await watched(await platformAnswering(DOWN), 2)).told).toEqual([false]);
  });

  test('reports the previous state', async () => {
    const pairs: [boolean, boolean | undefined][] = [];
    await watched(await platformAnswering(UP, DOWN), 2, {
      onChange: (health, previous) => void pairs.push([health.available, previous?.available]),
    });
    expect(pairs).toEqual([
      [true, undefined],
      [false, true],
    ]);
  });

  test('probes three times a minute, without the API key', async () => {
    const platform = await platformAnswering(UP);
    const { slept } = await watched(platform, 3);
    expect(slept).toEqual([20_000, 20_000, 20_000]);
    expect(JSON.stringify(platform.requests)).not.toContain(API_KEY);
  });

  test('subtracts the duration of a probe from the delay, and never probes twice at once', async () => {
    const stop = new AbortController();
    const { clock, slept } = instantClock();
    let running = 0;
    let most = 0;
    const client = clientOf(
      { baseUrl: 'http://127.0.0.1' },
      {
        clock: {
          ...clock,
          async sleep(ms) {
            await clock.sleep(ms);
            if (slept.length >= 6) stop.abort();
          },
        },
        fetch: async () => {
          running += 1;
          most = Math.max(most, running);
          await clock.sleep(slept.length === 0 ? 3000 : 25_000);
          running -= 1;
          return new Response('service is normal');
        },
      },
    );
    client.webhooks.watch({ onChange: ignore, signal: stop.signal });
    await once(stop.signal, 'abort');
    expect(slept).toEqual([3000, 17_000, 25_000, 0, 25_000, 0]);
    expect(most).toBe(1);
  });

  test('does not keep the process alive while it waits', async () => {
    const stop = new AbortController();
    const seen: unknown[] = [];
    const client = clientOf(await platformAnswering(UP), {
      clock: {
        async sleep(_ms, _signal, options) {
          seen.push(options);
          stop.abort();
        },
      },
    });
    client.webhooks.watch({ onChange: ignore, signal: stop.signal });
    await once(stop.signal, 'abort');
    expect(seen).toEqual([{ background: true }]);
  });

  test('exposes the last state', async () => {
    const platform = await platformAnswering(UP, DOWN);
    let first: HealthWatch | undefined;
    const seen: (PlatformHealth | null | undefined)[] = [];
    const done = new AbortController();
    const { clock } = instantClock((_, count) => {
      seen.push(first?.current);
      if (count === 2) done.abort();
    });
    first = clientOf(platform, { clock }).webhooks.watch({ onChange: ignore, signal: done.signal });
    expect(first.current).toBeNull();
    await once(done.signal, 'abort');
    expect(seen).toMatchObject([{ available: true }, { available: false, status: 503 }]);
    expect(first.current).toMatchObject({ available: false });
  });
});

describe('a failing callback', () => {
  test.each([
    ['throws', fail],
    ['rejects', () => Promise.reject(new RangeError('handler'))],
  ])('does not stop the watch when it %s', async (_, onChange) => {
    const errors: unknown[] = [];
    const platform = await platformAnswering(UP, DOWN, UP);
    await watched(platform, 3, { onChange, onError: (error) => void errors.push(error) });
    expect(errors).toHaveLength(3);
    expect(errors[0]).toEqual(new RangeError('handler'));
  });

  test('does not stop the watch when onError throws too', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const platform = await platformAnswering(UP, DOWN);
    await watched(platform, 3, { onChange: fail, onError: fail });
    expect(platform.requests).toHaveLength(3);
    await new Promise(setImmediate);
    expect(warnings.join()).toContain('RangeError');
  });
});

describe('stopping a watch', () => {
  test('ends the wait at once and sends no further probe', async () => {
    const platform = await platformAnswering(UP);
    const waits: Promise<void>[] = [];
    const asleep = new EventEmitter();
    const sleep: Clock['sleep'] = (ms, signal, options) => {
      const wait = systemClock.sleep(ms, signal, options);
      waits.push(wait);
      asleep.emit('asleep');
      return wait;
    };
    const watch = clientOf(platform, { clock: { sleep } }).webhooks.watch({ onChange: ignore });
    await once(asleep, 'asleep');
    watch.stop();
    watch.stop();
    await expect(waits[0]).rejects.toMatchObject({ name: 'AbortError' });
    await new Promise(setImmediate);
    expect(waits).toHaveLength(1);
    expect(platform.requests).toHaveLength(1);
  });

  test('in the middle of a probe reports nothing', async () => {
    const told: unknown[] = [];
    const platform = await rawPlatform(() => watch.stop());
    const signals: AbortSignal[] = [];
    const client = clientOf(platform, {
      fetch: (url, init) => {
        if (init.signal) signals.push(init.signal);
        return fetch(url, init);
      },
    });
    const note = (value: unknown) => void told.push(value);
    const watch = client.webhooks.watch({ onChange: note, onError: note });
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    await new Promise(setImmediate);
    expect(told).toEqual([]);
    expect(watch.current).toBeNull();
    expect(platform.seen()).toBe(1);
  });

  test('with an aborted signal starts no probe', async () => {
    const platform = await platformAnswering(UP);
    clientOf(platform).webhooks.watch({ onChange: ignore, signal: AbortSignal.abort() });
    await new Promise(setImmediate);
    expect(platform.requests).toHaveLength(0);
  });

  test('an invalid interval or timeout is refused', async () => {
    const { webhooks } = clientOf({ baseUrl: 'http://127.0.0.1' });
    expect(() => webhooks.watch({ onChange: ignore, intervalMs: 0 })).toThrow(/intervalMs/);
    expect(() => webhooks.watch({ onChange: ignore, timeoutMs: Number.NaN })).toThrow(/timeoutMs/);
  });
});
