import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { requestEvent } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';
import { agentCloses, fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';
import { setUpBridge } from './setup.js';

/** Posts as the platform does, and resolves to the status. */
const post = async (url: string, body: object): Promise<number> =>
  (
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).status;

describe('concurrent closes', () => {
  it('do not call the helpdesk when an agent closed before the user left', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start();
    routeTo(first);
    const { id } = await bench.requestHandoff();
    await first.sendEvents(agentCloses());
    const left = { conversation_id: id, timestamp: Date.now(), type: 'USER_CLOSED' };
    expect(await post(`${first.url}/conversation/close`, left)).toBe(200);
    await eventually(async () => expect((await first.receiver.stats()).pending).toBe(0));
    expect(desk.count('close')).toBe(0);
  });

  it('close the right session when the user requests a handoff again before the helpdesk knows of the close', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start();
    routeTo(first);
    const { id } = await bench.requestHandoff();
    await eventually(async () => expect((await first.receiver.stats()).pending).toBe(0));
    desk.behave({
      close: () => {
        throw new AdapterError('rate-limited', 'the desk is busy.', { retryAfterMs: 20 });
      },
    });
    await bench.closeByUser();
    await eventually(() => expect(first.bridge.stats().postponed).toBeGreaterThan(0));
    const secondRequest = {
      conversation_id: id,
      timestamp: Date.now(),
      email: null,
      bot_id: 'bot',
      body: [],
      user_info: { phone: null, email: null, user_id: 'u-1', anonymous_id: null },
    };
    expect(await post(`${first.url}/conversation/establish`, secondRequest)).toBe(200);
    desk.behave();
    await eventually(() =>
      expect(desk.tickets).toMatchObject([{ closes: [{ by: 'user' }] }, { closes: [] }]),
    );
    await eventually(async () => expect((await first.receiver.stats()).pending).toBe(0));
    expect(await first.receiver.conversations.get(id)).toMatchObject({
      state: 'waiting',
      session: 2,
      link: { externalId: 'T2' },
    });
    // `find` must never return the other session.
    expect(new Set(desk.tickets.map(({ key }) => key)).size).toBe(2);
  });

  it('close the ticket of the session before when the user has requested a handoff again', async () => {
    const { bench, desk, receiver } = await setUpBridge({
      before: (to) =>
        to.on('handoff.closed', async ({ conversationId }) => {
          await to.conversations.lifecycle.request({ ...requestEvent(conversationId), key: 'again' });
        }),
    });
    const { id } = await bench.requestHandoff();
    await bench.closeByUser();
    expect(desk.tickets).toMatchObject([{ closes: [{ by: 'user' }] }]);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'requested', session: 2 });
  });

  it('tell the agents of the session before that it timed out', async () => {
    const { bench, desk } = await setUpBridge({
      before: (to) =>
        to.on('handoff.closed', async ({ conversationId }) => {
          await to.conversations.lifecycle.request({ ...requestEvent(conversationId), key: 'again' });
        }),
    });
    await bench.requestHandoff();
    bench.clock.advance(60_000);
    await bench.idle();
    expect(desk.tickets).toMatchObject([{ closes: [{ by: 'timeout' }] }]);
  });

  it('do not call the helpdesk when the application ended it as an agent', async () => {
    const { bench, desk, receiver } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    await receiver.conversations.lifecycle.end(id, 'agent');
    expect(await bench.closeByUser()).toMatchObject({ status: 200 });
    expect(desk.count('close')).toBe(0);
  });

  it.each([
    ['in another helpdesk', { adapter: 'another', externalId: 'T1', url: null, extra: {} }],
    ['nowhere', null],
  ])('do not call the helpdesk for a conversation that is open %s', async (_where, link) => {
    const { bench, desk, receiver } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    const { store } = receiver.conversations.lifecycle;
    await store.update(id, (await store.get(id))?.version ?? 0, { link });
    expect(await bench.closeByUser()).toMatchObject({ status: 200 });
    expect(desk.count('close')).toBe(0);
  });

  it('of a user who was forgotten meanwhile do nothing', async () => {
    const { bench, desk } = await setUpBridge({
      before: (to) =>
        to.on('handoff.closed', async () => {
          await to.conversations.lifecycle.store.forget('u-1');
        }),
    });
    await bench.requestHandoff({ user: { userId: 'u-1' } });
    expect(await bench.closeByUser()).toMatchObject({ status: 200 });
    expect(desk.count('close')).toBe(0);
  });
});
