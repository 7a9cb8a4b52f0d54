import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { onOneFile } from './instances.js';

describe('two bridges on one file', () => {
  it('make one conversation of a request that comes to both at once', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench, start, face } = await onOneFile(desk);
    const [first, second] = [await start(), await start()];
    face(first);
    bench.faults.set('mirror', { on: ['establish'], url: `${second.url}/conversation/establish` });
    const asked = bench.requestHandoff();
    await vi.waitFor(() => expect(desk.count('open')).toBe(1));
    gate.resolve();
    const { state, deliveries } = await asked;
    expect(state).toBe('connecting');
    expect(deliveries).toMatchObject([{ status: 200 }]);
    const told = bench.simulator.traffic.exchanges().filter(({ what }) => what === 'establish');
    expect(told.map(({ answer }) => answer?.status)).toEqual([200, 200]);
    expect(desk.tickets).toHaveLength(1);
    expect(desk.count('open')).toBe(1);
  });

  it('make one of it also where it comes to the same one twice at once', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench, start, face } = await onOneFile(desk);
    const first = await start();
    face(first);
    bench.faults.set('mirror', { on: ['establish'], url: `${first.url}/conversation/establish` });
    const asked = bench.requestHandoff();
    await vi.waitFor(() => expect(desk.count('open')).toBe(1));
    // Both have asked for it when the desk answers.
    await vi.waitFor(() => expect(first.logged.about('handoff requested')).toHaveLength(2));
    gate.resolve();
    expect((await asked).state).toBe('connecting');
    expect([desk.count('open'), desk.count('find')]).toEqual([1, 0]);
  });

  it('both hear of it where the desk says no', async () => {
    const desk = fakeDesk();
    desk.behave({ open: () => new Promise(() => {}) });
    const { bench, start, face } = await onOneFile(desk);
    const quick = { bridge: { openWithinMs: 100 } };
    const [first, second] = [await start(quick), await start(quick)];
    face(first);
    bench.faults.set('mirror', { on: ['establish'], url: `${second.url}/conversation/establish` });
    expect((await bench.requestHandoff()).state).toBe('busy');
    const told = bench.simulator.traffic.exchanges().filter(({ what }) => what === 'establish');
    expect(told.map(({ answer }) => answer?.status)).toEqual([503, 503]);
  });

  it('keep the order of what the user says, and say once what both are told', async () => {
    const desk = fakeDesk();
    const { bench, start, face } = await onOneFile(desk);
    const [first, second] = [await start(), await start()];
    face(first);
    await bench.requestHandoff();
    const words = Array.from({ length: 12 }, (_, index) => `word ${index}`);
    for (const [index, word] of words.entries()) {
      face(index % 2 === 0 ? first : second);
      await bench.say(word);
    }
    await vi.waitFor(() => expect(desk.said()).toEqual(words), 10_000);
    const event = agentSays('once');
    await Promise.all([first.tell(event), second.tell(event)]);
    const last = agentSays('last');
    await second.tell(last);
    await vi.waitFor(() => expect(bench.replies.map(({ text }) => text)).toEqual(['once', 'last']), 10_000);
  });
});
