import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { stand, stored } from './stand.js';

const POLLED = { inbound: ['poll'], pollEveryMs: 10 } as const;

describe('a desk that is asked what happened', () => {
  it('is heard, from now on', async () => {
    const desk = fakeDesk();
    desk.events.push(agentSays('before our time'));
    const { bench, shown } = await stand({ desk, capabilities: POLLED });
    await bench.requestHandoff();
    await vi.waitFor(() => expect(desk.count('poll')).toBeGreaterThan(0));
    desk.events.push(agentSays('one'), agentSays('two'));
    await vi.waitFor(() => expect(shown()).toEqual(['one', 'two']));
  });

  it('is heard again where what it told could not be kept, and nothing is said twice', async () => {
    const { bench, desk, shown } = await stand({ capabilities: POLLED });
    await bench.requestHandoff();
    await vi.waitFor(() => expect(desk.count('poll')).toBeGreaterThan(0));
    bench.faults.set('answerThrottle', { times: 1, retryAfterSeconds: 3_600 });
    desk.events.push(agentSays('one', { externalId: 'T1' }), agentSays('two'));
    await vi.waitFor(() => expect(shown()).toEqual(['one', 'two']), 10_000);
  });

  it('is asked again after it failed', async () => {
    const desk = fakeDesk();
    desk.behave({
      poll: (apply, nth) => {
        if (nth <= 2) throw new AdapterError('transient', 'the desk is away.');
        return apply();
      },
    });
    const { bench, shown, logged } = await stand({ desk, capabilities: POLLED });
    await bench.requestHandoff();
    await vi.waitFor(() => expect(desk.count('poll')).toBeGreaterThan(3));
    desk.events.push(agentSays('hello'));
    await vi.waitFor(() => expect(shown()).toEqual(['hello']));
    expect(logged.about('poll failed')).toHaveLength(2);
  });

  it('is asked by one of those who share the database, and goes on where it stopped', async () => {
    const desk = fakeDesk();
    const file = join(await temporaryFolder(), 'handoff.db');
    const first = await stand({ desk, capabilities: POLLED, receiver: { delivery: await stored(file) } });
    await vi.waitFor(() => expect(desk.count('poll')).toBeGreaterThan(0));
    await first.bench.requestHandoff();
    const second = fakeDesk();
    await stand({ desk: second, capabilities: POLLED, receiver: { delivery: await stored(file) } });
    const before = desk.count('poll');
    await vi.waitFor(() => expect(desk.count('poll')).toBeGreaterThan(before + 5));
    expect(second.count('poll')).toBe(0);
    await first.bridge.close();
    await vi.waitFor(() => expect(second.count('poll')).toBeGreaterThan(0), 5_000);
  });
});
