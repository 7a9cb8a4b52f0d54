import { describe, expect, it } from 'vitest';
import { AdapterError, type AdapterErrorKind } from '../../src/public/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { type SetupOptions, setUpBridge, sqliteDelivery } from './setup.js';

const fail = (kind: AdapterErrorKind, retryAfterMs: number | null = null): never => {
  throw new AdapterError(kind, `the desk says ${kind}.`, { retryAfterMs });
};

describe('messages of the user', () => {
  it('are split when they are longer than maxTextLength', async () => {
    const { bench, desk } = await setUpBridge({ capabilities: { maxTextLength: 12 } });
    await bench.requestHandoff();
    await bench.say('one two three four 🇩🇪🇩🇪🇩🇪🇩🇪');
    const said = desk.sentTexts();
    expect(said.every((part) => part.length <= 12)).toBe(true);
    expect(said.join(' ')).toBe('one two three four 🇩🇪🇩🇪🇩🇪 🇩🇪');
    expect(new Set(desk.tickets[0]?.messages.map(({ key }) => key)).size).toBe(said.length);
  });

  it.each(['<b>not bold</b>', '漢字かな', 'שלום עולם', '👩‍👩‍👧‍👦'])('arrive unchanged: %s', async (text) => {
    const { bench, desk } = await setUpBridge();
    await bench.requestHandoff();
    await bench.say(text);
    expect(desk.sentTexts()).toEqual([text]);
  });

  it('arrive without what helpdesks fail at: U+0000 and lone surrogates', async () => {
    const { bench, desk } = await setUpBridge();
    await bench.requestHandoff({
      user: { userId: 'jane\0' },
      transcript: [{ text: 'a\0b', message_type: 'QUESTION' }],
    });
    await bench.say('c\0d \ud83d e 👍');
    expect(desk.tickets[0]?.session).toMatchObject({
      user: { userId: 'jane\ufffd', key: 'user:jane\ufffd' },
      transcript: [{ text: 'a\ufffdb' }],
    });
    expect(desk.sentTexts()).toEqual(['c\ufffdd \ufffd e 👍']);
  });

  it.each(['transient', 'rate-limited'] as const)('are retried inline: %s', async (kind) => {
    const { bench, desk } = await setUpBridge();
    await bench.requestHandoff();
    desk.behave({ send: (apply, nth) => (nth < 3 ? fail(kind, 1) : apply()) });
    await bench.say('hello');
    expect(desk.sentTexts()).toEqual(['hello']);
    expect(desk.count('send')).toBe(3);
  });

  it('are not sent again by a process that waited to try again, when another has sent them meanwhile', async () => {
    let key = '';
    const { bench, desk, receiver } = await setUpBridge({
      before: (to) =>
        to.on('handoff.message', (context) => {
          key = context.key;
        }),
    });
    await bench.requestHandoff();
    desk.behave({
      async send(apply, nth) {
        if (nth > 1) return apply();
        const { store } = receiver.conversations.lifecycle;
        await store.addIdempotencyKey(`bridge sent ${desk.adapter().name} ${key} 1`, 60_000);
        return fail('transient', 1);
      },
    });
    await bench.say('hello');
    expect(desk.sentTexts()).toEqual([]);
    expect(desk.count('send')).toBe(1);
  });

  it('survive an outage longer than the inline retries, in order and without a part sent twice', async () => {
    const { bench, desk, bridge } = await setUpBridge({
      capabilities: { maxTextLength: 5 },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    desk.behave({ send: (apply, nth) => (nth === 1 || nth > 9 ? apply() : fail('transient', 1)) });
    await bench.say('aaaa bbbb');
    await bench.say('cccc');
    await eventually(() => expect(desk.sentTexts()).toEqual(['aaaa', 'bbbb', 'cccc']));
    await eventually(() => expect(bridge.stats()).toMatchObject({ sent: 3 }));
    expect(bridge.stats().postponed).toBeGreaterThan(0);
  });

  it('wait while the credentials are refused, without a retry loop, and the log says so once', async () => {
    const { bench, desk, logged } = await setUpBridge({
      receiver: { delivery: await sqliteDelivery() },
      bridge: { retry: { tries: 5, authWaitMs: 50 } },
    });
    await bench.requestHandoff();
    desk.behave({ send: (apply, nth) => (nth <= 2 ? fail('auth') : apply()) });
    await bench.say('hello');
    await eventually(() => expect(desk.sentTexts()).toEqual(['hello']));
    expect(desk.count('send')).toBe(3);
    expect(logged.about('credentials refused by the helpdesk')).toMatchObject([{ level: 50 }]);
  });

  it('end the conversation when it is gone from the helpdesk, and the user is told', async () => {
    const { bench, desk, shown } = await setUpBridge({
      bridge: { messages: { unavailable: 'Please ask again.' } },
    });
    await bench.requestHandoff();
    desk.behave({ send: () => fail('gone') });
    await bench.say('hello');
    expect(shown()).toEqual(['Please ask again.']);
    expect(bench.conversation.endedBy).toBe('agent');
    expect(desk.count('send')).toBe(1);
  });

  it('that reach nobody, since an agent has just closed, are not lost in silence', async () => {
    const { bench, desk, shown, bridge, logged } = await setUpBridge();
    await bench.requestHandoff();
    desk.behave({ send: () => fail('gone') });
    expect(await bench.say('hello')).toMatchObject({ status: 200 });
    expect(shown()).toEqual([expect.stringMatching(/no agent has read your last message/)]);
    expect(bench.conversation.endedBy).toBe('agent');
    expect(bridge.stats()).toMatchObject({ lost: 1, sent: 0 });
    expect(logged.about('reached no agent')).toMatchObject([{ level: 40, reason: 'the desk says gone.' }]);
  });

  it.each([
    ['Bitte fragen Sie noch einmal.', ['Bitte fragen Sie noch einmal.']],
    ['', []],
  ])('that reach nobody are reported in the words of the options: %j', async (undelivered, texts) => {
    const { bench, desk, shown } = await setUpBridge({ bridge: { messages: { undelivered } } });
    await bench.requestHandoff();
    desk.behave({ send: () => fail('gone') });
    await bench.say('hello');
    expect(shown()).toEqual(texts);
  });

  it('go to the new session, if the user has asked again before it was known that the old one is gone', async () => {
    const { bench, desk, shown, receiver, bridge } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    const { lifecycle } = receiver.conversations;
    desk.behave({
      async send(apply, nth) {
        if (nth > 1) return apply();
        const { version = 0, session = 0 } = (await lifecycle.store.get(id)) ?? {};
        await lifecycle.store.update(id, version, { session: session + 1, state: 'waiting', link: null });
        return fail('gone');
      },
    });
    await bench.say('hello');
    expect(desk.sentTexts('T2')).toEqual(['hello']);
    expect(shown()).toEqual([]);
    expect(bridge.stats()).toMatchObject({ lost: 0 });
  });

  it('become dead letters when the helpdesk rejects their content', async () => {
    const errors: unknown[] = [];
    const { bench, desk } = await setUpBridge({
      before: (receiver) => void receiver.onError(({ error }) => errors.push(error)),
    });
    await bench.requestHandoff();
    desk.behave({ send: () => fail('invalid') });
    expect(await bench.say('hello')).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ code: 'UNRECOVERABLE', cause: { code: 'ADAPTER_INVALID' } }]);
  });

  it('become dead letters at once, and agents get a note, while later messages and the close go on', async () => {
    const { bench, desk, receiver } = await setUpBridge({ receiver: { delivery: await sqliteDelivery() } });
    await bench.requestHandoff();
    desk.behave({ send: (apply, nth) => (nth === 1 ? fail('invalid') : apply()) });
    await bench.say('refused');
    await bench.say('shown');
    await bench.closeByUser();
    await eventually(() => expect(desk.tickets[0]?.closes).toHaveLength(1));
    expect(desk.sentTexts()).toEqual([expect.stringContaining('could not be shown'), 'shown']);
    const dead = await receiver.storage.queues?.list('inbox', { state: 'dead' });
    expect(dead).toMatchObject([{ what: 'handoff.message', attempts: 1 }]);
  });

  it('wait until the conversation is open', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench } = await setUpBridge({
      desk,
      bridge: { whenUnavailable: 'apologise', messages: { unavailable: 'No agent is available.' } },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('hello');
    expect(desk.count('send')).toBe(0);
    gate.resolve();
    await eventually(() => expect(desk.sentTexts()).toEqual(['hello']));
  });

  it('do not reopen a closed conversation', async () => {
    const { bench, desk, receiver, logged, shown, bridge } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    await receiver.conversations.lifecycle.end(id, 'agent');
    await bench.say('one more thing');
    expect(desk.count('send')).toBe(0);
    expect(logged.about('reached no agent')).toMatchObject([{ level: 40, state: 'closing' }]);
    expect(shown()).toEqual([expect.stringMatching(/no agent has read your last message/)]);
    expect(bridge.stats()).toMatchObject({ lost: 1 });
  });

  it('of a user who has left are counted, and not answered', async () => {
    const { bench, receiver, shown, bridge } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    await receiver.conversations.lifecycle.end(id, 'timeout');
    await bench.say('one more thing');
    expect(shown()).toEqual([]);
    expect(bridge.stats()).toMatchObject({ lost: 1 });
  });

  it('never appear in the log', async () => {
    const { bench, logged } = await setUpBridge({ capabilities: { maxTextLength: 10 } });
    await bench.requestHandoff({ transcript: [{ text: 'my-pin-4711', message_type: 'QUESTION' }] });
    await bench.say('my-pin-4712');
    expect(logged.text()).not.toMatch(/my-pin/);
  });
});

describe('a message to a conversation that is not open in the helpdesk', () => {
  /** An accepted handoff without a link, as if its ticket had never been opened. */
  async function setUpUnopened(options: SetupOptions = {}) {
    const setup = await setUpBridge(options);
    const { id } = await setup.bench.requestHandoff();
    const { store } = setup.receiver.conversations.lifecycle;
    await eventually(async () => {
      expect((await setup.receiver.stats()).pending).toBe(0);
      const conversation = await store.get(id);
      expect(conversation?.link).toMatchObject({ externalId: 'T1' });
      expect(await store.update(id, conversation?.version ?? 0, { link: null })).not.toBeNull();
    });
    return { ...setup, id };
  }

  it('opens it first', async () => {
    const { bench, desk, bridge } = await setUpUnopened();
    await bench.say('hello');
    expect(desk.sentTexts('T2')).toEqual(['hello']);
    expect(bridge.stats()).toMatchObject({ postponed: 0 });
  });

  it('becomes a dead letter when the helpdesk refuses to open it', async () => {
    const errors: unknown[] = [];
    const { bench, desk } = await setUpUnopened({
      before: (receiver) => void receiver.onError(({ error }) => errors.push(error)),
    });
    desk.behave({ open: () => fail('invalid') });
    expect(await bench.say('hello')).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ code: 'UNRECOVERABLE', cause: { code: 'ADAPTER_INVALID' } }]);
  });

  it('waits while the helpdesk takes long to open it', async () => {
    const { bench, desk, bridge } = await setUpUnopened({
      bridge: { openWithinMs: 20, whenUnavailable: 'apologise', messages: { unavailable: 'Sorry.' } },
      receiver: { delivery: await sqliteDelivery() },
    });
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const before = bridge.stats().postponed;
    await bench.say('hello');
    await eventually(() => expect(bridge.stats().postponed).toBeGreaterThan(before));
    gate.resolve();
    await eventually(() => expect(desk.sentTexts('T2')).toEqual(['hello']));
  });

  it('is dropped when it ends meanwhile, and the ticket is closed again', async () => {
    const { bench, desk, receiver, id, logged } = await setUpUnopened();
    desk.behave({
      async open(apply) {
        await receiver.conversations.lifecycle.end(id, 'agent');
        return apply();
      },
    });
    expect(await bench.say('hello')).toMatchObject({ status: 200 });
    expect(logged.about('reached no agent')).toMatchObject([{ reason: 'the conversation has ended' }]);
    await eventually(() =>
      expect(desk.tickets[1]).toMatchObject({ messages: [], closes: [{ by: 'system' }] }),
    );
  });
});
