import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

describe('a handler run that was given up after its time limit', () => {
  it('aborts the call to the helpdesk', async () => {
    const desk = fakeDesk();
    const signals: AbortSignal[] = [];
    const { bench, shown } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ handlerTimeoutMs: 1_500 }) },
      adapter: {
        send: (_ref, _message, { signal }) => {
          signals.push(signal);
          return signals.length === 1 ? new Promise(() => {}) : Promise.resolve({ messageId: 'm' });
        },
      },
    });
    await bench.requestHandoff();
    await bench.say('hello');
    await eventually(() => expect(signals).toHaveLength(2));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(shown()).toEqual([]);
  });

  it('sends nothing more', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({
      send: async (apply, nth) => {
        if (nth > 1) return apply();
        await gate.promise;
        throw new AdapterError('transient', 'the desk is down.');
      },
    });
    const { bench, logged } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery({ handlerTimeoutMs: 1_500, maxAttempts: 1 }) },
    });
    await bench.requestHandoff();
    await bench.say('hello');
    await logged.until('became a dead letter');
    gate.resolve();
    await bench.say('again');
    await eventually(() => expect(desk.sentTexts()).toEqual(['again']));
    expect(desk.count('send')).toBe(2);
  });
});
