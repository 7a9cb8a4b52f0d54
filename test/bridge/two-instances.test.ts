import { describe, expect, it } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';

describe('two bridges on one file', () => {
  it('open one conversation for a request that both receive at once', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench, start, routeTo } = await onSharedFile(desk);
    const [first, second] = [await start(), await start()];
    routeTo(first);
    bench.faults.set('mirror', { on: ['establish'], url: `${second.url}/conversation/establish` });
    const request = bench.requestHandoff();
    await eventually(() => expect(desk.count('open')).toBe(1));
    gate.resolve();
    const { state, deliveries } = await request;
    expect(state).toBe('connecting');
    expect(deliveries).toMatchObject([{ status: 200 }]);
    const exchanges = bench.simulator.traffic.exchanges().filter(({ what }) => what === 'establish');
    expect(exchanges.map(({ answer }) => answer?.status)).toEqual([200, 200]);
    expect(desk.tickets).toHaveLength(1);
    expect(desk.count('open')).toBe(1);
  });

  it('open one conversation for a request that one receives twice at once', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start();
    routeTo(first);
    bench.faults.set('mirror', { on: ['establish'], url: `${first.url}/conversation/establish` });
    const request = bench.requestHandoff();
    await eventually(() => expect(desk.count('open')).toBe(1));
    // Both requests are waiting when the desk answers.
    await eventually(() => expect(first.logged.about('handoff requested')).toHaveLength(2));
    gate.resolve();
    expect((await request).state).toBe('connecting');
    expect([desk.count('open'), desk.count('find')]).toEqual([1, 0]);
  });

  it('both refuse when the helpdesk does not open the conversation', async () => {
    const desk = fakeDesk();
    desk.behave({ open: () => new Promise(() => {}) });
    const { bench, start, routeTo } = await onSharedFile(desk);
    const quick = { bridge: { openWithinMs: 100 } };
    const [first, second] = [await start(quick), await start(quick)];
    routeTo(first);
    bench.faults.set('mirror', { on: ['establish'], url: `${second.url}/conversation/establish` });
    expect((await bench.requestHandoff()).state).toBe('busy');
    const exchanges = bench.simulator.traffic.exchanges().filter(({ what }) => what === 'establish');
    expect(exchanges.map(({ answer }) => answer?.status)).toEqual([503, 503]);
  });

  it('keep the order of messages, and send a reply once when both receive the event', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const [first, second] = [await start(), await start()];
    routeTo(first);
    await bench.requestHandoff();
    const words = Array.from({ length: 12 }, (_, index) => `word ${index}`);
    for (const [index, word] of words.entries()) {
      routeTo(index % 2 === 0 ? first : second);
      await bench.say(word);
    }
    await eventually(() => expect(desk.sentTexts()).toEqual(words));
    const event = agentSays('once');
    await Promise.all([first.sendEvents(event), second.sendEvents(event)]);
    const last = agentSays('last');
    await second.sendEvents(last);
    await eventually(() => expect(bench.replies.map(({ text }) => text)).toEqual(['once', 'last']));
  });
});
