import { describe, expect, it } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { agentCloses, agentJoins, agentSays, fakeDesk } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

describe('events of the helpdesk', () => {
  it('reach the user only as public messages of agents', async () => {
    const { bench, sendEvents, shown, bridge } = await setUpBridge();
    await bench.requestHandoff();
    await sendEvents(
      agentSays('a note among agents', { internal: true }),
      agentSays('by automation', { author: { kind: 'system', name: 'Bot' } }),
      agentSays('by mail', { author: { kind: 'user', name: null } }),
      agentSays('   '),
      agentSays('to the user'),
    );
    expect(shown()).toEqual(['to the user']);
    expect(bridge.stats()).toMatchObject({ replied: 1, dropped: 4 });
  });

  it('carry files, which the user sees as names and links', async () => {
    const { bench, sendEvents, shown } = await setUpBridge({ bridge: { agentNames: true } });
    await bench.requestHandoff();
    const invoice = { name: 'invoice.pdf', contentType: 'application/pdf', url: 'https://desk.test/1' };
    const photo = { name: 'photo.png', contentType: null, url: null };
    await sendEvents(
      agentSays('Here you are', { attachments: [invoice, photo] }),
      agentSays('', { attachments: [photo] }),
    );
    expect(shown()).toEqual([
      'Ada: Here you are\n[invoice.pdf] https://desk.test/1\n[photo.png]',
      'Ada: [photo.png]',
    ]);
  });

  it('take effect once, however often they arrive', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    const event = agentSays('once');
    await Promise.all([sendEvents(event), sendEvents(event), sendEvents(event, event)]);
    await sendEvents(event);
    expect(shown()).toEqual(['once']);
  });

  it('take effect in each conversation, also if their ids are unique only within one', async () => {
    const { bench, sendEvents } = await setUpBridge();
    const { simulator } = bench;
    for (const conversationId of ['a', 'b']) await simulator.requestHandoff({ conversationId });
    await sendEvents(agentSays('to a', { id: '1', externalId: 'T1' }));
    await sendEvents(agentSays('to b', { id: '1', externalId: 'T2' }));
    const repliesTo = (id: string) => simulator.conversation(id)?.replies.map(({ text }) => text);
    expect([repliesTo('a'), repliesTo('b')]).toEqual([['to a'], ['to b']]);
  });

  it('are ignored for conversations that are not handoffs', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    expect(await sendEvents(agentSays('to another user', { externalId: 'T99' }))).toBe(200);
    expect(shown()).toEqual([]);
  });

  it('reach the user even when the agent replies before open returned', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({
      open: async (apply) => {
        const opened = apply();
        await gate.promise;
        return opened;
      },
    });
    const { bench, sendEvents, shown, logged } = await setUpBridge({ desk });
    const asking = bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    const sending = sendEvents(agentSays('I saw you coming.'));
    await logged.until('unknown conversation');
    gate.resolve();
    expect(await sending).toBe(200);
    await asking;
    expect(shown()).toEqual(['I saw you coming.']);
  });

  it('keep their order across concurrent requests', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    await sendEvents(...words.map((word) => agentSays(word)));
    expect(shown()).toEqual(words);
  });

  it('are sent again, in order, after a reply failed', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    bench.faults.set('answerThrottle', { times: 1, retryAfterSeconds: 3_600 });
    const events = [agentSays('first'), agentSays('second'), agentCloses()];
    expect(await sendEvents(...events)).toBe(503);
    expect(shown()).toEqual([]);
    expect(await sendEvents(...events)).toBe(200);
    expect(shown()).toEqual(['first', 'second']);
    expect(bench.conversation.endedBy).toBe('agent');
  });

  it('end the conversation on a repeat when the platform was unreachable at first', async () => {
    const { bench, sendEvents, desk } = await setUpBridge();
    await bench.requestHandoff();
    bench.faults.set('answerThrottle', { on: ['close'], times: 1, retryAfterSeconds: 3_600 });
    const event = agentCloses();
    expect(await sendEvents(event)).toBe(503);
    expect(bench.conversation.endedBy).toBeNull();
    expect(await sendEvents(event)).toBe(200);
    expect(bench.conversation.endedBy).toBe('agent');
    expect(desk.count('close')).toBe(0);
  });

  it('are stored before the answer, and reach the user when the platform recovers', async () => {
    const { bench, sendEvents } = await setUpBridge({ receiver: { delivery: await sqliteDelivery() } });
    await bench.requestHandoff();
    bench.faults.set('answerError', { times: 1 });
    expect(await sendEvents(agentSays('hello'))).toBe(200);
    expect((await bench.nextReply({ timeoutMs: 10_000 })).text).toBe('hello');
  });

  it('carry the name of the agent with agentNames: true', async () => {
    const { bench, sendEvents, shown } = await setUpBridge({ bridge: { agentNames: true } });
    await bench.requestHandoff();
    await sendEvents(agentSays('hello'), agentSays('hello', { author: { kind: 'agent', name: null } }));
    expect(shown()).toEqual(['Ada: hello', 'hello']);
  });

  it('carry the name as a function formats it', async () => {
    const { bench, sendEvents, shown } = await setUpBridge({
      bridge: { agentNames: (name) => `[${name}] ` },
    });
    await bench.requestHandoff();
    await sendEvents(agentSays('hello'));
    expect(shown()).toEqual(['[Ada] hello']);
  });
});

describe('messages of the bridge', () => {
  it('are off by default', async () => {
    const { bench, sendEvents, shown } = await setUpBridge();
    await bench.requestHandoff();
    await sendEvents(agentJoins(), agentCloses());
    expect(shown()).toEqual([]);
  });

  it('are sent at their time, and not in the name of an agent', async () => {
    const { bench, sendEvents, shown, receiver } = await setUpBridge({
      bridge: {
        messages: {
          greeting: 'One moment, please.',
          agentJoined: ({ agent }) => `${agent} is here.`,
          closed: async () => 'Good bye.',
        },
      },
    });
    const { id } = await bench.requestHandoff();
    await expect.poll(shown).toEqual(['One moment, please.']);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'waiting' });
    await sendEvents(agentJoins());
    await sendEvents(agentSays('Hello.'), agentCloses());
    expect(shown()).toEqual(['One moment, please.', 'Ada is here.', 'Hello.', 'Good bye.']);
    expect(bench.conversation.endedBy).toBe('agent');
  });
});

it('closes a conversation in the helpdesk that the user left, also after the handler of that event has failed', async () => {
  const { bench, desk, receiver } = await setUpBridge({
    bridge: { reconcileEveryMs: 20, callTimeoutMs: 50 },
  });
  const { id } = await bench.requestHandoff();
  await receiver.conversations.lifecycle.end(id, 'user');
  await expect.poll(() => desk.tickets[0]?.closes).toMatchObject([{ by: 'user' }]);
});

it('closes a conversation in the helpdesk that the application ended', async () => {
  const { bench, desk, receiver } = await setUpBridge({ bridge: { reconcileEveryMs: 20 } });
  const { id } = await bench.requestHandoff();
  await receiver.conversations.end(id);
  await expect.poll(() => desk.tickets[0]?.closes).toMatchObject([{ by: 'system' }]);
});
