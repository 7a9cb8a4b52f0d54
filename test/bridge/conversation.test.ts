import { describe, expect, it, vi } from 'vitest';
import { agentCloses, agentSays } from './fake-desk.js';
import { stand } from './stand.js';

describe('a conversation through the bridge', () => {
  it('opens with who the user is and what was said before', async () => {
    const { bench, desk, receiver } = await stand();
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

  it('brings what the user says to the desk, in order, and what the agent says back', async () => {
    const { bench, desk, tell, shown, receiver } = await stand();
    const { id } = await bench.requestHandoff();
    await bench.say('one');
    await bench.say('two');
    expect(desk.said()).toEqual(['one', 'two']);
    expect(await tell(agentSays('Hello.'), agentSays('How can I help?'))).toBe(200);
    expect(shown()).toEqual(['Hello.', 'How can I help?']);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'connected', agent: 'Ada' });
  });

  it('ends at the desk when the user leaves, once', async () => {
    const { bench, desk, receiver } = await stand();
    const { id } = await bench.requestHandoff();
    await bench.closeByUser();
    expect(desk.tickets[0]?.closes).toEqual([{ by: 'user', text: 'The user has left the conversation.' }]);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'closed', closure: { by: 'user' } });
  });

  it('says that it timed out where the service ended it', async () => {
    const { bench, desk } = await stand({ bench: { simulator: { waitTimeoutMs: 60_000 } } });
    await bench.requestHandoff();
    bench.clock.advance(60_000);
    await bench.idle();
    expect(desk.tickets[0]?.closes).toMatchObject([{ by: 'timeout' }]);
  });

  it('ends at the service when an agent ends it, after what was said before in the same request', async () => {
    const { bench, desk, tell, shown, receiver } = await stand();
    const { id } = await bench.requestHandoff();
    expect(await tell(agentSays('Solved. Bye!'), agentCloses())).toBe(200);
    expect(shown()).toEqual(['Solved. Bye!']);
    expect(bench.conversation.endedBy).toBe('human');
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'closed', closure: { by: 'agent' } });
    expect(desk.count('close')).toBe(0);
  });

  it('has one close each where both sides end it at once', async () => {
    const { bench, desk, tell } = await stand();
    await bench.requestHandoff();
    const [, status] = await Promise.all([bench.closeByUser(), tell(agentCloses())]);
    expect(status).toBe(200);
    await tell(agentCloses());
    // Whoever was first has told the other side; the second had nobody left to tell.
    const atService = bench.simulator.traffic
      .exchanges()
      .filter(({ what, direction }) => what === 'close' && direction === 'received');
    expect([atService.length, desk.count('close')]).toSatisfy(
      ([service, system]: number[]) => (service ?? 0) + (system ?? 0) === 1,
    );
  });

  it('does not show the user what an agent says after the end', async () => {
    const { bench, tell, shown, logged } = await stand();
    await bench.requestHandoff();
    await bench.closeByUser();
    expect(await tell(agentSays('Are you still there?'))).toBe(200);
    expect(shown()).toEqual([]);
    expect(logged.about('event dropped')).toMatchObject([{ level: 40 }]);
  });

  it('is another one when the user asks again', async () => {
    const { bench, desk, tell, shown } = await stand();
    const { id } = await bench.requestHandoff({ conversationId: 'same' });
    await bench.closeByUser();
    await bench.requestHandoff({ conversationId: 'same-later' });
    expect(id).toBe('same');
    expect(desk.tickets.map(({ key }) => key)).toHaveLength(2);
    await tell(agentSays('to the second', { externalId: 'T2' }));
    await vi.waitFor(() => expect(shown()).toEqual(['to the second']));
  });
});
