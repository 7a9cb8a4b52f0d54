import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../helpers/deferred.js';
import { agentSays } from './fake-desk.js';
import { stand, stored } from './stand.js';

const AGENT = { kind: 'agent', name: 'Ada' } as const;

describe('our own words, as the desk sends them back,', () => {
  it('are known by their author', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    await tell(agentSays('an echo', { author: { kind: 'self', name: null } }));
    expect(shown()).toEqual([]);
  });

  it('are known by their id where the author looks like an agent', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    await bench.say('hello');
    await tell(agentSays('hello', { author: AGENT, messageId: 'T1-M1' }));
    await tell(agentSays('hello', { author: AGENT, messageId: 'T1-M7' }));
    expect(shown()).toEqual(['hello']);
  });

  it('are known by their id also where they come back before the desk has told us the id', async () => {
    const { bench, desk, tell, shown } = await stand();
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
    await vi.waitFor(() => expect(desk.said()).toEqual(['hello']));
    const telling = tell(agentSays('hello', { author: AGENT, messageId: 'T1-M1' }));
    setImmediate(() => gate.resolve());
    await Promise.all([saying, telling]);
    expect(shown()).toEqual([]);
  });

  it('are known while they are under way, however long the desk takes to tell us the id', async () => {
    const { bench, desk, tell, shown } = await stand({ receiver: { delivery: await stored() } });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: (apply) => gate.promise.then(apply) });
    await bench.say('hello');
    await vi.waitFor(() => expect(desk.count('send')).toBe(1));
    await tell(
      agentSays('hello', { author: AGENT, messageId: 'T1-M1' }),
      agentSays('I am here.', { author: AGENT, messageId: 'T1-M2' }),
    );
    await vi.waitFor(() => expect(shown()).toEqual(['I am here.']));
    gate.resolve();
  });

  it('are known by their words only where there are no ids, once for each message', async () => {
    const { bench, tell, shown } = await stand({ capabilities: { messageIds: false } });
    await bench.requestHandoff();
    await bench.say('hello  there');
    await tell(agentSays('hello there\r\n', { author: AGENT }));
    expect(shown()).toEqual([]);
    await tell(agentSays('hello there', { author: AGENT }));
    expect(shown()).toEqual(['hello there']);
  });

  it('do not hide an agent who says the same where there are ids', async () => {
    const { bench, tell, shown } = await stand();
    await bench.requestHandoff();
    await bench.say('thanks');
    await tell(agentSays('thanks', { author: AGENT, messageId: null }));
    expect(shown()).toEqual(['thanks']);
  });
});
