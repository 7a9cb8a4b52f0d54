import { describe, expect, it } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { agentSays } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const AGENT = { kind: 'agent', name: 'Ada' } as const;

describe('echoes of our own messages', () => {
  it('are recognized by their author', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    await sendEvents(agentSays('an echo', { author: { kind: 'self', name: null } }));
    expect(shown()).toEqual([]);
  });

  it('are recognized by their id when the author looks like an agent', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    await bench.say('hello');
    await sendEvents(agentSays('hello', { author: AGENT, messageId: 'T1-M1' }));
    await sendEvents(agentSays('hello', { author: AGENT, messageId: 'T1-M7' }));
    expect(shown()).toEqual(['hello']);
  });

  it('are recognized by their id even when they arrive before send returned it', async () => {
    const { bench, desk, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({
      send: async (apply) => {
        const sent = apply();
        await gate.promise;
        return sent;
      },
    });
    const saying = bench.say('hello');
    await eventually(() => expect(desk.sentTexts()).toEqual(['hello']));
    const sending = sendEvents(agentSays('hello', { author: AGENT, messageId: 'T1-M1' }));
    setImmediate(() => gate.resolve());
    await Promise.all([saying, sending]);
    expect(shown()).toEqual([]);
  });

  it('are recognized while send is in flight, however long it takes', async () => {
    const { bench, desk, sendEvents, shown } = await setUpBridge({
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: (apply) => gate.promise.then(apply) });
    await bench.say('hello');
    await eventually(() => expect(desk.count('send')).toBe(1));
    await sendEvents(
      agentSays('hello', { author: AGENT, messageId: 'T1-M1' }),
      agentSays('I am here.', { author: AGENT, messageId: 'T1-M2' }),
    );
    await eventually(() => expect(shown()).toEqual(['I am here.']));
    gate.resolve();
  });

  it('are recognized by their text when there are no ids, once per message', async () => {
    const { bench, sendEvents, shown } = await setUpBridge({ capabilities: { messageIds: false } });
    await bench.requestHandoff();
    await bench.say('hello  there');
    await sendEvents(agentSays('hello there\r\n', { author: AGENT }));
    expect(shown()).toEqual([]);
    await sendEvents(agentSays('hello there', { author: AGENT }));
    expect(shown()).toEqual(['hello there']);
  });

  it('do not hide an agent who writes the same text, when there are ids', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    await bench.say('thanks');
    await sendEvents(agentSays('thanks', { author: AGENT, messageId: null }));
    expect(shown()).toEqual(['thanks']);
  });
});
