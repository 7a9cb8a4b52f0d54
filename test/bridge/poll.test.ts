import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const POLLED = { inbound: ['poll'], pollEveryMs: 10 } as const;

describe('polling', () => {
  it('starts with events after the first poll', async () => {
    const desk = fakeDesk();
    desk.events.push(agentSays('before the first poll'));
    const { bench, shown } = await setUpBridge({ desk, capabilities: POLLED });
    await bench.requestHandoff();
    await eventually(() => expect(desk.count('poll')).toBeGreaterThan(0));
    desk.events.push(agentSays('one'), agentSays('two'));
    await eventually(() => expect(shown()).toEqual(['one', 'two']));
  });

  it('reads events again that could not be stored, and repeats no reply', async () => {
    const { bench, desk, shown } = await setUpBridge({ capabilities: POLLED });
    await bench.requestHandoff();
    await eventually(() => expect(desk.count('poll')).toBeGreaterThan(0));
    bench.faults.set('answerThrottle', { times: 1, retryAfterSeconds: 3_600 });
    desk.events.push(agentSays('one', { externalId: 'T1' }), agentSays('two'));
    await eventually(() => expect(shown()).toEqual(['one', 'two']));
  });

  it('continues after failures', async () => {
    const desk = fakeDesk();
    desk.behave({
      poll: (apply, nth) => {
        if (nth <= 2) throw new AdapterError('transient', 'the desk is down.');
        return apply();
      },
    });
    const { bench, shown, logged } = await setUpBridge({ desk, capabilities: POLLED });
    await bench.requestHandoff();
    await eventually(() => expect(desk.count('poll')).toBeGreaterThan(3));
    desk.events.push(agentSays('hello'));
    await eventually(() => expect(shown()).toEqual(['hello']));
    expect(logged.about('poll failed')).toHaveLength(2);
  });

  it('runs in one of the processes that share a database, and moves to another when that one stops', async () => {
    const desk = fakeDesk();
    const file = join(await temporaryFolder(), 'handoff.db');
    const first = await setUpBridge({
      desk,
      capabilities: POLLED,
      receiver: { delivery: await sqliteDelivery({ file }) },
    });
    await eventually(() => expect(desk.count('poll')).toBeGreaterThan(0));
    await first.bench.requestHandoff();
    const second = fakeDesk();
    await setUpBridge({
      desk: second,
      capabilities: POLLED,
      receiver: { delivery: await sqliteDelivery({ file }) },
    });
    const before = desk.count('poll');
    await eventually(() => expect(desk.count('poll')).toBeGreaterThan(before + 5));
    expect(second.count('poll')).toBe(0);
    await first.bridge.close();
    await eventually(() => expect(second.count('poll')).toBeGreaterThan(0));
  });
});
