import { describe, expect, it } from 'vitest';
import {
  createHandoffLifecycle,
  createMemoryHandoffStore,
  type HandoffLifecycle,
  type HandoffStore,
} from '../../src/handoff/index.js';
import type { ConversationState } from '../../src/public/index.js';
import { changeConversation } from '../helpers/change-conversation.js';
import { requestEvent } from '../helpers/events.js';

const NOW = 1_700_000_000_000;
const LINK = { adapter: 'desk', externalId: '7', url: 'https://desk.example/7', extra: { contact: '9' } };

const start = (store: HandoffStore = createMemoryHandoffStore()): HandoffLifecycle =>
  createHandoffLifecycle(store, { waitTimeoutMs: 60_000, now: () => NOW });

/** Brings a conversation to a state through its usual transitions. */
async function bring(lifecycle: HandoffLifecycle, state: ConversationState): Promise<void> {
  await lifecycle.request(requestEvent('c', { key: 'first' }));
  if (state === 'failed') await changeConversation(lifecycle.store, 'c', { state });
  if (state === 'requested' || state === 'failed') return;
  await lifecycle.accept('c');
  if (state === 'connected') await lifecycle.replied('c', { isAgent: true });
  if (state === 'closing' || state === 'closed') await lifecycle.end('c', 'user', 'USER_CLOSED');
  if (state === 'closed') await lifecycle.close('c');
}

const VERBS: Readonly<Record<string, (lifecycle: HandoffLifecycle) => Promise<unknown>>> = {
  accept: (lifecycle) => lifecycle.accept('c'),
  'a program’s reply': (lifecycle) => lifecycle.replied('c', { isAgent: false }),
  'a human’s reply': (lifecycle) => lifecycle.replied('c', { isAgent: true }),
  end: (lifecycle) => lifecycle.end('c', 'agent'),
  close: (lifecycle) => lifecycle.close('c'),
  'the same request': (lifecycle) => lifecycle.request(requestEvent('c', { key: 'first' })),
  'a new request': (lifecycle) => lifecycle.request(requestEvent('c', { key: 'second' })),
};

const NO = 'refused';
type Outcome = ConversationState | typeof NO;

/** The state after each action from each state, in the order of {@link VERBS}. */
const TABLE: Readonly<Record<ConversationState, readonly Outcome[]>> = {
  requested: ['waiting', 'requested', 'connected', 'closing', NO, 'requested', 'requested'],
  waiting: ['waiting', 'waiting', 'connected', 'closing', NO, 'waiting', 'waiting'],
  connected: ['connected', 'connected', 'connected', 'closing', NO, 'connected', 'connected'],
  closing: [NO, NO, NO, 'closing', 'closed', 'closing', 'requested'],
  closed: [NO, NO, NO, 'closed', 'closed', 'closed', 'requested'],
  failed: [NO, NO, NO, 'failed', NO, 'requested', 'requested'],
};

const CASES = (Object.keys(TABLE) as ConversationState[]).flatMap((from) =>
  Object.keys(VERBS).map((verb, nth) => [from, verb, TABLE[from][nth] ?? NO] as const),
);

describe('the lifecycle of a conversation', () => {
  it.each(CASES)('%s, then %s: %s', async (from, verb, to) => {
    const lifecycle = start();
    await bring(lifecycle, from);
    const answer = await VERBS[verb]?.(lifecycle);
    const conversation = await lifecycle.store.get('c');
    expect(conversation?.state).toBe(to === NO ? from : to);
    if (to === NO) expect(answer).toBeNull();
    else expect(answer).not.toBeNull();
  });

  it.each(CASES)('%s, then %s twice, is the same as once', async (from, verb) => {
    const lifecycle = start();
    await bring(lifecycle, from);
    await VERBS[verb]?.(lifecycle);
    const once = await lifecycle.store.get('c');
    await VERBS[verb]?.(lifecycle);
    expect(await lifecycle.store.get('c')).toEqual(once);
  });

  it.each(Object.keys(VERBS).filter((verb) => !verb.includes('request')))(
    '%s of an unknown conversation is refused',
    async (verb) => {
      expect(await VERBS[verb]?.(start())).toBeNull();
    },
  );
});

describe('a request', () => {
  it('has the user, the transcript and the reply deadline', async () => {
    const lifecycle = start();
    const event = requestEvent('c', { userId: 'ada', receivedAt: NOW });
    const { conversation, isNew } = await lifecycle.request({
      ...event,
      body: {
        ...event.body,
        bot_id: 'bot',
        body: [
          { text: 'help', message_type: 'QUESTION' },
          { text: '', message_type: 'ANSWER' },
        ],
      },
    });
    expect(isNew).toBe(true);
    expect(conversation).toMatchObject({
      id: 'c',
      session: 1,
      state: 'requested',
      botId: 'bot',
      user: { key: 'user:ada', userId: 'ada' },
      transcript: [
        { from: 'user', text: 'help' },
        { from: 'bot', text: '' },
      ],
      requestedAt: new Date(NOW),
      replyBy: new Date(NOW + 60_000),
    });
  });

  it('does not identify users by their e-mail address', async () => {
    const lifecycle = start();
    for (const id of ['one', 'other']) {
      const event = requestEvent(id, { anonymousId: `anonymous-${id}` });
      await lifecycle.request({ ...event, body: { ...event.body, email: 'support@example.com' } });
    }
    expect(await lifecycle.store.list({ userKey: 'anonymous:anonymous-one' })).toMatchObject([{ id: 'one' }]);
  });

  it('that starts a new session keeps nothing of the previous session', async () => {
    const lifecycle = start();
    await lifecycle.request(requestEvent('c', { userId: 'ada' }));
    await changeConversation(lifecycle.store, 'c', { link: LINK });
    await lifecycle.replied('c', { isAgent: true, agentName: 'Bo' });
    await lifecycle.end('c', 'agent', 'resolved');
    await lifecycle.close('c');
    const again = requestEvent('c', { userId: 'bob', receivedAt: NOW });
    expect(await lifecycle.request(again)).toMatchObject({ isNew: true });
    expect(await lifecycle.store.get('c')).toMatchObject({
      session: 2,
      state: 'requested',
      user: { key: 'user:bob' },
      requestKey: again.key,
      requestedAt: new Date(NOW),
      link: null,
      agentName: null,
      firstReplyAt: null,
      closure: null,
    });
    expect(await lifecycle.store.findByLink('desk', '7')).toBeNull();
  });
});

describe('both sides closing at once', () => {
  it('closes once, by whichever was first', async () => {
    const lifecycle = start();
    await bring(lifecycle, 'connected');
    const [user, bot] = await Promise.all([
      lifecycle.end('c', 'user', 'USER_CLOSED'),
      lifecycle.end('c', 'agent', 'done'),
    ]);
    expect([user?.isFirst, bot?.isFirst].filter(Boolean)).toHaveLength(1);
    expect(user?.conversation.closure).toEqual(bot?.conversation.closure);
    await Promise.all([lifecycle.close('c'), lifecycle.close('c')]);
    expect(await lifecycle.store.get('c')).toMatchObject({
      state: 'closed',
      closure: { by: 'user', at: new Date(NOW) },
    });
  });
});

describe('a reply', () => {
  it('after a close does not reopen the conversation', async () => {
    const lifecycle = start();
    await bring(lifecycle, 'closed');
    const before = await lifecycle.store.get('c');
    expect(await lifecycle.replied('c', { isAgent: true, agentName: 'Bo' })).toBeNull();
    expect(await lifecycle.store.get('c')).toEqual(before);
  });

  it('changes the conversation once, and again only when another agent answers', async () => {
    const lifecycle = start();
    await bring(lifecycle, 'waiting');
    const first = await lifecycle.replied('c', { isAgent: true, agentName: 'Bo' });
    expect(first).toMatchObject({ state: 'connected', firstReplyAt: new Date(NOW), agentName: 'Bo' });
    expect(await lifecycle.replied('c', { isAgent: true })).toEqual(first);
    expect(await lifecycle.replied('c', { isAgent: false })).toEqual(first);
    expect(await lifecycle.replied('c', { isAgent: true, agentName: 'Al' })).toMatchObject({
      agentName: 'Al',
    });
  });
});

describe('a store whose version changes before every update', () => {
  it('makes a change fail after a number of retries', async () => {
    const lifecycle = start({
      ...createMemoryHandoffStore(),
      update: async () => null,
      get: async () => found,
    });
    const found = (await start().request(requestEvent('c'))).conversation;
    await expect(lifecycle.accept('c')).rejects.toMatchObject({ code: 'CONVERSATION_CONTENDED' });
  });
});
