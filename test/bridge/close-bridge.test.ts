import { describe, expect, it } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { setUpBridge } from './setup.js';

describe('closing a bridge', () => {
  it('waits for running calls, disposes the adapter once, and accepts no further requests', async () => {
    const { bench, desk, bridge, sendEvents } = await setUpBridge();
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    const saying = bench.say('hello');
    await eventually(() => expect(desk.count('send')).toBe(1));
    const closing = bridge.close();
    gate.resolve();
    await Promise.all([closing, bridge.close(), saying]);
    expect(desk.sentTexts()).toEqual(['hello']);
    expect(desk.disposed).toBe(1);
    expect(await sendEvents(agentSays('too late'))).toBe(503);
    expect((await bench.requestHandoff()).state).toBe('busy');
  });

  it('aborts calls after the timeout', async () => {
    const desk = fakeDesk();
    const sending = deferred<AbortSignal>();
    const { bench, bridge } = await setUpBridge({
      desk,
      adapter: {
        send(_ref, _message, { signal }) {
          sending.resolve(signal);
          return new Promise(() => {});
        },
      },
    });
    await bench.requestHandoff();
    void bench.say('hello');
    const signal = await sending.promise;
    await bridge.close({ timeoutMs: 10 });
    expect(signal.aborted).toBe(true);
    expect(desk.disposed).toBe(1);
  });

  it('leaves no timers behind', async () => {
    const before = timers();
    const { bench, bridge } = await setUpBridge({
      capabilities: { inbound: ['webhook', 'poll'], pollEveryMs: 5 },
    });
    await bench.requestHandoff();
    await bench.close();
    await bridge.close();
    await eventually(() => expect(timers()).toBeLessThanOrEqual(before));
  });
});

const timers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length;

describe('check', () => {
  it('returns the results of the adapter', async () => {
    const { bridge } = await setUpBridge();
    expect(await bridge.check()).toEqual([{ name: 'credentials', ok: true, detail: 'the desk lets us in' }]);
  });

  it('reports a failure without its cause', async () => {
    const { bridge } = await setUpBridge({
      adapter: {
        check: async () => {
          throw new Error('token S3cret');
        },
      },
    });
    const [result] = await bridge.check();
    expect(result).toMatchObject({ ok: false });
    expect(JSON.stringify(result)).not.toContain('S3cret');
  });
});

it.each<[object, string]>([
  [{ openWithinMs: 0 }, 'openWithinMs'],
  [{ nonsense: true }, 'nonsense'],
  [{ hours: { timeZone: 'x', open: {} } }, 'hours.timeZone'],
])('refuses invalid options: %j', async (options, message) => {
  await expect(setUpBridge({ bridge: options })).rejects.toThrow(message);
});
