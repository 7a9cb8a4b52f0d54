import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { agentCloses, agentJoins, agentSays, fakeDesk } from './fake-desk.js';
import { stand, stored } from './stand.js';

describe('what the desk tells', () => {
  it('reaches the user only where an agent says it to them', async () => {
    const { bench, tell, shown, bridge } = await stand();
    await bench.requestHandoff();
    await tell(
      agentSays('a note among agents', { internal: true }),
      agentSays('by automation', { author: { kind: 'system', name: 'Bot' } }),
      agentSays('by mail', { author: { kind: 'customer', name: null } }),
      agentSays('   '),
      agentSays('to the user'),
    );
    expect(shown()).toEqual(['to the user']);
    expect(bridge.stats()).toMatchObject({ replied: 1, dropped: 4 });
  });

  it('has effect once, however often it is told', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    const event = agentSays('once');
    await Promise.all([tell(event), tell(event), tell(event, event)]);
    await tell(event);
    expect(shown()).toEqual(['once']);
  });

  it('is ignored where nobody was handed over', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    expect(await tell(agentSays('to somebody else', { externalId: 'T99' }))).toBe(200);
    expect(shown()).toEqual([]);
  });

  it('reaches the user also where the agent was quicker than the answer to our request', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({
      open: async (apply) => {
        const opened = apply();
        await gate.promise;
        return opened;
      },
    });
    const { bench, tell, shown, logged } = await stand({ desk });
    const asking = bench.requestHandoff();
    await vi.waitFor(() => expect(desk.tickets).toHaveLength(1));
    const telling = tell(agentSays('I saw you coming.'));
    await logged.until('unknown conversation');
    gate.resolve();
    expect(await telling).toBe(200);
    await asking;
    expect(shown()).toEqual(['I saw you coming.']);
  });

  it('keeps its order where the requests come at once', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    await tell(...words.map((word) => agentSays(word)));
    expect(shown()).toEqual(words);
  });

  it('is told again, and then in order, where it could not be brought to the user', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    bench.faults.set('answerThrottle', { times: 1, retryAfterSeconds: 3_600 });
    const events = [agentSays('first'), agentSays('second'), agentCloses()];
    expect(await tell(...events)).toBe(503);
    expect(shown()).toEqual([]);
    expect(await tell(...events)).toBe(200);
    expect(shown()).toEqual(['first', 'second']);
    expect(bench.conversation.endedBy).toBe('human');
  });

  it('ends the conversation when it is told again, where the service could not be told before', async () => {
    const { bench, tell, desk } = await stand();
    await bench.requestHandoff();
    bench.faults.set('answerThrottle', { on: ['close'], times: 1, retryAfterSeconds: 3_600 });
    const event = agentCloses();
    expect(await tell(event)).toBe(503);
    expect(bench.conversation.endedBy).toBeNull();
    expect(await tell(event)).toBe(200);
    expect(bench.conversation.endedBy).toBe('human');
    expect(desk.count('close')).toBe(0);
  });

  it('is stored before it is answered, and reaches the user when the service is back', async () => {
    const { bench, tell } = await stand({ receiver: { delivery: await stored() } });
    await bench.requestHandoff();
    bench.faults.set('answerError', { times: 1 });
    expect(await tell(agentSays('hello'))).toBe(200);
    expect((await bench.nextReply({ timeoutMs: 10_000 })).text).toBe('hello');
  });

  it('can carry the name of the agent', async () => {
    const { bench, tell, shown } = await stand({ bridge: { agentNames: true } });
    await bench.requestHandoff();
    await tell(agentSays('hello'), agentSays('hello', { author: { kind: 'agent', name: null } }));
    expect(shown()).toEqual(['Ada: hello', 'hello']);
  });

  it('can carry it as a function says', async () => {
    const { bench, tell, shown } = await stand({ bridge: { agentNames: (name) => `[${name}] ` } });
    await bench.requestHandoff();
    await tell(agentSays('hello'));
    expect(shown()).toEqual(['[Ada] hello']);
  });
});

describe('what the bridge says by itself', () => {
  it('is nothing unless it is set', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    await tell(agentJoins(), agentCloses());
    expect(shown()).toEqual([]);
  });

  it('is said at its time, and not in the name of a human', async () => {
    const { bench, tell, shown, receiver } = await stand({
      bridge: {
        messages: {
          greeting: 'One moment, please.',
          agentJoined: ({ agent }) => `${agent} is here.`,
          closed: async () => 'Good bye.',
        },
      },
    });
    const { id } = await bench.requestHandoff();
    expect(shown()).toEqual(['One moment, please.']);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'waiting' });
    await tell(agentJoins());
    await tell(agentSays('Hello.'), agentCloses());
    expect(shown()).toEqual(['One moment, please.', 'Ada is here.', 'Hello.', 'Good bye.']);
    expect(bench.conversation.endedBy).toBe('human');
  });
});

it("tells the desk of an end that the developer's own code made", async () => {
  const { bench, desk, receiver } = await stand({ bridge: { reconcileEveryMs: 20 } });
  const { id } = await bench.requestHandoff();
  await receiver.conversations.end(id);
  await expect.poll(() => desk.tickets[0]?.closes).toMatchObject([{ by: 'kit' }]);
});
