import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { agentCloses, agentSays } from './fake-desk.js';
import { setUpBridge } from './setup.js';

describe('a conversation through the bridge', () => {
  it('opens with the user and the transcript', async () => {
    const { bench, desk, receiver } = await setUpBridge();
    const { id } = await bench.requestHandoff({
      user: { userId: 'u-1', email: 'support@example.com' },
      transcript: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
    });
    expect(bench.conversation.state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
    expect(desk.tickets[0]?.session).toMatchObject({
      conversationId: id,
      user: { key: 'user:u-1' },
      transcript: [{ from: 'user', text: 'Where is my parcel?' }],
    });
    expect(await receiver.conversations.get(id)).toMatchObject({
      state: 'waiting',
      link: { adapter: 'fake-desk', externalId: 'T1', url: 'https://desk.example/T1' },
    });
  });

  it('carries messages of the user and replies of the agent, in order', async () => {
    const { bench, desk, sendEvents, shown, receiver } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    await bench.say('one');
    await bench.say('two');
    expect(desk.sentTexts()).toEqual(['one', 'two']);
    expect(await sendEvents(agentSays('Hello.'), agentSays('How can I help?'))).toBe(200);
    expect(shown()).toEqual(['Hello.', 'How can I help?']);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'connected', agentName: 'Ada' });
  });

  it('is closed once in the helpdesk when the user leaves', async () => {
    const { bench, desk, receiver } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    await bench.closeByUser();
    expect(desk.tickets[0]?.closes).toEqual([{ by: 'user', text: 'The user has left the conversation.' }]);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'closed', closure: { by: 'user' } });
  });

  it('is closed with the reason timeout when the platform ended it', async () => {
    const { bench, desk } = await setUpBridge({ bench: { simulator: { waitTimeoutMs: 60_000 } } });
    await bench.requestHandoff();
    bench.clock.advance(60_000);
    await bench.idle();
    expect(desk.tickets[0]?.closes).toMatchObject([{ by: 'timeout' }]);
  });

  it('ends on the platform when an agent closes it, after the reply of the same request', async () => {
    const { bench, desk, sendEvents, shown, receiver } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    expect(await sendEvents(agentSays('Solved. Bye!'), agentCloses())).toBe(200);
    expect(shown()).toEqual(['Solved. Bye!']);
    expect(bench.conversation.endedBy).toBe('agent');
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'closed', closure: { by: 'agent' } });
    expect(desk.count('close')).toBe(0);
  });

  it('is closed once per side when both sides close it at the same time', async () => {
    const { bench, desk, sendEvents } = await setUpBridge();
    await bench.requestHandoff();
    const [, status] = await Promise.all([bench.closeByUser(), sendEvents(agentCloses())]);
    expect(status).toBe(200);
    await sendEvents(agentCloses());
    // The first side closes the other; the second has nothing left to close.
    const atPlatform = bench.simulator.traffic
      .exchanges()
      .filter(({ what, direction }) => what === 'close' && direction === 'received');
    expect([atPlatform.length, desk.count('close')]).toSatisfy(
      ([platform, system]: number[]) => (platform ?? 0) + (system ?? 0) === 1,
    );
  });

  it('drops replies after the end', async () => {
    const { bench, sendEvents, shown, logged } = await setUpBridge();
    await bench.requestHandoff();
    await bench.closeByUser();
    expect(await sendEvents(agentSays('Are you still there?'))).toBe(200);
    expect(shown()).toEqual([]);
    expect(logged.about('event dropped')).toMatchObject([{ level: 40 }]);
  });

  it('is a new one when the user requests a handoff again', async () => {
    const { bench, desk, sendEvents, shown } = await setUpBridge();
    const { id } = await bench.requestHandoff({ conversationId: 'same' });
    await bench.closeByUser();
    await bench.requestHandoff({ conversationId: 'same-later' });
    expect(id).toBe('same');
    expect(desk.tickets.map(({ key }) => key)).toHaveLength(2);
    await sendEvents(agentSays('to the second', { externalId: 'T2' }));
    await eventually(() => expect(shown()).toEqual(['to the second']));
  });
});
