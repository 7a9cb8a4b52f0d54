import { describe, expect, it, vi } from 'vitest';
import { AdapterError } from '../../src/adapter.js';
import { agentCloses, fakeDesk } from './fake-desk.js';
import { onOneFile } from './instances.js';

/** Sends what the service would, and resolves to the status. */
const post = async (url: string, body: object): Promise<number> =>
  (
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).status;

describe('ends that cross', () => {
  it('tell the desk nothing where an agent ended it before the user left', async () => {
    const desk = fakeDesk();
    const { bench, start, face } = await onOneFile(desk);
    const first = await start();
    face(first);
    const { id } = await bench.requestHandoff();
    await first.tell(agentCloses());
    const left = { conversation_id: id, timestamp: Date.now(), type: 'USER_CLOSED' };
    expect(await post(`${first.url}/conversation/close`, left)).toBe(200);
    await vi.waitFor(() => expect(first.receiver.stats().pending).toBe(0));
    expect(desk.count('close')).toBe(0);
  });

  it('end the right one where the user asks again before the desk has heard that they left', async () => {
    const desk = fakeDesk();
    const { bench, start, face } = await onOneFile(desk);
    const first = await start();
    face(first);
    const { id } = await bench.requestHandoff();
    await vi.waitFor(() => expect(first.receiver.stats().pending).toBe(0));
    desk.behave({
      close: () => {
        throw new AdapterError('transient', 'the desk is away.');
      },
    });
    await bench.closeByUser();
    await vi.waitFor(() => expect(first.bridge.stats().postponed).toBeGreaterThan(0));
    const anew = {
      conversation_id: id,
      timestamp: Date.now(),
      email: null,
      bot_id: 'bot',
      body: [],
      user_info: { phone: null, email: null, user_id: 'u-1', anonymous_id: null },
    };
    expect(await post(`${first.url}/conversation/establish`, anew)).toBe(200);
    desk.behave();
    await vi.waitFor(
      () => expect(desk.tickets).toMatchObject([{ closes: [{ by: 'user' }] }, { closes: [] }]),
      10_000,
    );
    await vi.waitFor(() => expect(first.receiver.stats().pending).toBe(0));
    expect(await first.receiver.conversations.get(id)).toMatchObject({
      state: 'waiting',
      session: 2,
      link: { externalId: 'T2' },
    });
    // To find the one must never give the other.
    expect(new Set(desk.tickets.map(({ key }) => key)).size).toBe(2);
  });
});
