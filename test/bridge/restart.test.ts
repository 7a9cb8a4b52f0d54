import { describe, expect, it } from 'vitest';
import { sessionKey } from '../../src/bridge/bridge-context.js';
import type { EmitEvents } from '../../src/public/adapter.js';
import { changeConversation } from '../helpers/change-conversation.js';
import { requestEvent } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';
import { agentCloses, agentSays, fakeDesk } from './fake-desk.js';
import { type InstanceOptions, onSharedFile } from './instances.js';

const shown = (bench: { readonly replies: readonly { readonly text: string }[] }): string[] =>
  bench.replies.map(({ text }) => text);

describe('a restart in the middle of a conversation', () => {
  it('continues in the same ticket, and repeats nothing', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start();
    routeTo(first);
    await bench.requestHandoff();
    await bench.say('before');
    await eventually(() => expect(desk.sentTexts()).toEqual(['before']));
    const reply = agentSays('I am looking.');
    await first.sendEvents(reply);
    await eventually(() => expect(shown(bench)).toEqual(['I am looking.']));
    await first.stop();

    const second = await start();
    routeTo(second);
    await bench.say('after');
    await eventually(() => expect(desk.sentTexts()).toEqual(['before', 'after']));
    await second.sendEvents(reply, agentSays('Found it.'), agentCloses());
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(shown(bench)).toEqual(['I am looking.', 'Found it.']);
    expect(desk.tickets).toHaveLength(1);
  });

  it('does not repeat the sent parts of a long message', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const capabilities = { maxTextLength: 5 };
    const first = await start({ capabilities });
    routeTo(first);
    await bench.requestHandoff();
    desk.behave({ send: (apply, nth) => (nth === 2 ? new Promise(() => {}) : apply()) });
    await bench.say('aaaa bbbb cccc');
    await eventually(() => expect(desk.count('send')).toBe(2));
    await first.stop();

    routeTo(await start({ capabilities }));
    await eventually(() => expect(desk.sentTexts()).toEqual(['aaaa', 'bbbb', 'cccc']));
    const keys = desk.tickets[0]?.messages.map(({ key }) => key) ?? [];
    expect(new Set(keys).size).toBe(3);
  });

  it('recognizes echoes by their ids afterwards', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start();
    routeTo(first);
    await bench.requestHandoff();
    await bench.say('hello');
    await eventually(() => expect(first.bridge.stats().sent).toBe(1));
    await first.stop();
    const second = await start();
    routeTo(second);
    await second.sendEvents(agentSays('hello', { messageId: 'T1-M1' }), agentSays('hi'));
    await eventually(() => expect(shown(bench)).toEqual(['hi']));
  });

  it('closes in the helpdesk what the user closed before the restart', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start();
    routeTo(first);
    await bench.requestHandoff();
    desk.behave({ close: () => new Promise(() => {}) });
    await bench.closeByUser();
    await eventually(() => expect(desk.count('close')).toBe(1));
    await first.stop();
    desk.behave();
    await start();
    await eventually(() => expect(desk.tickets[0]?.closes).toMatchObject([{ by: 'user' }]));
  });
});

it('a stream gets the receipt of a reply sent before the restart, and the reply is sent once', async () => {
  const desk = fakeDesk();
  const { bench, start, routeTo } = await onSharedFile(desk);
  const lines: EmitEvents[] = [];
  const streamed = {
    capabilities: { inbound: ['stream'] },
    adapter: {
      stream: (emit, { signal }) => {
        lines.push(emit);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
  } as const satisfies InstanceOptions;
  const first = await start(streamed);
  routeTo(first);
  await bench.requestHandoff();
  await eventually(() => expect(lines).toHaveLength(1));
  const event = agentSays('hello');
  const note = agentSays('a note', { internal: true });
  await (await lines[0]?.(event))?.delivered();
  expect(await lines[0]?.(note)).toBeNull();
  await first.stop();

  await start(streamed);
  await eventually(() => expect(lines).toHaveLength(2));
  const receipt = await lines[1]?.(event);
  await expect(receipt?.delivered()).resolves.toBeDefined();
  expect(await lines[1]?.(note)).toBeNull();
  expect(shown(bench)).toEqual(['hello']);
});

describe('a restart while a conversation is being opened', () => {
  it('closes a conversation that opened after the user was refused', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    desk.behave({
      open: (apply) => {
        apply();
        return new Promise(() => {});
      },
    });
    const first = await start({ bridge: { openWithinMs: 1_000 } });
    routeTo(first);
    expect((await bench.requestHandoff()).state).toBe('busy');
    await first.stop();
    expect(desk.tickets).toMatchObject([{ closes: [] }]);

    await start();
    await eventually(() => expect(desk.tickets).toMatchObject([{ closes: [{ by: 'system' }] }]));
  });

  it.each([1, 3])(
    'closes it even when the handoff was requested %i times again under the same id',
    async (times) => {
      const desk = fakeDesk();
      const { bench, start, routeTo } = await onSharedFile(desk);
      desk.behave({
        open: (apply) => {
          apply();
          return new Promise(() => {});
        },
      });
      const first = await start({ bridge: { openWithinMs: 1_000 } });
      routeTo(first);
      await bench.requestHandoff({ conversationId: 'same' });
      const { lifecycle } = first.receiver.conversations;
      expect(await lifecycle.store.get('same')).toMatchObject({ state: 'failed', session: 1 });
      for (let again = 0; again < times; again += 1) {
        await changeConversation(lifecycle.store, 'same', { state: 'failed' });
        await lifecycle.request(requestEvent('same'));
      }
      await lifecycle.accept('same');
      await first.stop();

      const second = await start();
      await eventually(() => expect(desk.tickets).toMatchObject([{ closes: [{ by: 'system' }] }]));
      expect(await second.receiver.conversations.get('same')).toMatchObject({
        state: 'waiting',
        session: 1 + times,
      });
    },
  );

  it('closes a conversation of a process that died before it stored the link', async () => {
    const desk = fakeDesk();
    const { start } = await onSharedFile(desk);
    const first = await start();
    // The state after a process was killed between calling open and receiving the response.
    const { lifecycle } = first.receiver.conversations;
    const { conversation } = await lifecycle.request(requestEvent('c-1'));
    const key = sessionKey(conversation);
    await lifecycle.store.addIdempotencyKey(`bridge opening fake-desk ${key}`, 60_000);
    desk.tickets.push({ id: 'T1', key, session: desk.sessionWith(key), messages: [], closes: [] });
    await first.stop();

    const second = await start({ bridge: { openWithinMs: 1, callTimeoutMs: 1_000, reconcileEveryMs: 20 } });
    await eventually(() => expect(desk.tickets).toMatchObject([{ closes: [{ by: 'system' }] }]));
    expect(await second.receiver.conversations.get('c-1')).toMatchObject({ state: 'failed', link: null });
  });

  it('finds the conversation when the same request arrives again', async () => {
    const desk = fakeDesk();
    const { start, bench, routeTo } = await onSharedFile(desk);
    const first = await start();
    const { store } = first.receiver.conversations.lifecycle;
    routeTo(first);
    const asked = await bench.requestHandoff({ conversationId: 'c-1' });
    expect(asked.state).toBe('connecting');
    await eventually(async () => expect((await first.receiver.stats()).pending).toBe(0));
    // The same as above, with a request of the platform.
    const stored = await store.get('c-1');
    await store.update('c-1', stored?.version ?? 0, { link: null, state: 'requested' });
    await store.addIdempotencyKey(`bridge opening fake-desk ${desk.tickets[0]?.key}`, 60_000);
    await first.stop();

    const second = await start();
    routeTo(second);
    await bench.say('hello');
    await eventually(() => expect(desk.sentTexts()).toEqual(['hello']));
    expect(desk.tickets).toHaveLength(1);
    expect(desk.count('find')).toBe(1);
  });
});
