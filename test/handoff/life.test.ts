import { describe, expect, it } from 'vitest';
import { createLife, createMemoryStore } from '../../src/handoff/index.js';
import type { ConversationState, HandoffStore, Life } from '../../src/index.js';
import { requestEvent } from '../helpers/events.js';

const NOW = 1_700_000_000_000;
const LINK = { adapter: 'desk', externalId: '7', url: 'https://desk.example/7', extra: { contact: '9' } };

const start = (store: HandoffStore = createMemoryStore()): Life =>
  createLife(store, { waitTimeoutMs: 60_000, now: () => NOW });

/** Brings a conversation to a state the way it comes there. */
async function bring(life: Life, state: ConversationState): Promise<void> {
  await life.request(requestEvent('c', { key: 'first' }));
  if (state === 'requested') return;
  await life.accept('c');
  if (state === 'connected') await life.replied('c', { human: true });
  if (state === 'closing' || state === 'closed') await life.end('c', 'user', 'USER_CLOSED');
  if (state === 'closed') await life.close('c');
  if (state === 'failed') await life.fail('c', 'the desk is gone');
}

const VERBS: Readonly<Record<string, (life: Life) => Promise<unknown>>> = {
  accept: (life) => life.accept('c'),
  link: (life) => life.link('c', LINK),
  'a program’s reply': (life) => life.replied('c', { human: false }),
  'a human’s reply': (life) => life.replied('c', { human: true }),
  end: (life) => life.end('c', 'agent'),
  close: (life) => life.close('c'),
  fail: (life) => life.fail('c', 'no'),
  'the same request': (life) => life.request(requestEvent('c', { key: 'first' })),
  'a new request': (life) => life.request(requestEvent('c', { key: 'second' })),
};

const NO = 'refused';
type Outcome = ConversationState | typeof NO;

/** Where each verb leads from each state, in the order of {@link VERBS}. */
const TABLE: Readonly<Record<ConversationState, readonly Outcome[]>> = {
  requested: [
    'waiting',
    'requested',
    'requested',
    'connected',
    'closing',
    NO,
    'failed',
    'requested',
    'requested',
  ],
  waiting: ['waiting', 'waiting', 'waiting', 'connected', 'closing', NO, 'failed', 'waiting', 'waiting'],
  connected: [
    'connected',
    'connected',
    'connected',
    'connected',
    'closing',
    NO,
    'failed',
    'connected',
    'connected',
  ],
  closing: [NO, 'closing', NO, NO, 'closing', 'closed', NO, 'closing', 'requested'],
  closed: [NO, NO, NO, NO, 'closed', 'closed', NO, 'closed', 'requested'],
  failed: [NO, NO, NO, NO, 'failed', NO, 'failed', 'requested', 'requested'],
};

const CASES = (Object.keys(TABLE) as ConversationState[]).flatMap((from) =>
  Object.keys(VERBS).map((verb, nth) => [from, verb, TABLE[from][nth] ?? NO] as const),
);

describe('the life of a conversation', () => {
  it.each(CASES)('%s, then %s: %s', async (from, verb, to) => {
    const life = start();
    await bring(life, from);
    const answer = await VERBS[verb]?.(life);
    const conversation = await life.store.get('c');
    expect(conversation?.state).toBe(to === NO ? from : to);
    if (to === NO) expect(answer).toBeNull();
    else expect(answer).not.toBeNull();
  });

  it.each(CASES)('%s, then %s twice, is as after once', async (from, verb) => {
    const life = start();
    await bring(life, from);
    await VERBS[verb]?.(life);
    const once = await life.store.get('c');
    await VERBS[verb]?.(life);
    expect(await life.store.get('c')).toEqual(once);
  });

  it.each(Object.keys(VERBS).filter((verb) => !verb.includes('request')))(
    '%s of a conversation that nobody knows is refused',
    async (verb) => {
      expect(await VERBS[verb]?.(start())).toBeNull();
    },
  );
});

describe('a request', () => {
  it('has who asks, what was said, and until when to reply', async () => {
    const life = start();
    const event = requestEvent('c', { userId: 'ada', receivedAt: NOW });
    const { conversation, isNew } = await life.request({
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
        { from: 'agent', text: '' },
      ],
      requestedAt: new Date(NOW),
      replyBy: new Date(NOW + 60_000),
    });
  });

  it('of users with one e-mail address are of different users', async () => {
    const life = start();
    for (const id of ['one', 'other']) {
      const event = requestEvent(id, { anonymousId: `anonymous-${id}` });
      await life.request({ ...event, body: { ...event.body, email: 'support@example.com' } });
    }
    expect(await life.store.list({ userKey: 'anonymous:anonymous-one' })).toMatchObject([{ id: 'one' }]);
  });

  it('anew takes nothing over from the session before', async () => {
    const life = start();
    await life.request(requestEvent('c', { userId: 'ada' }));
    await life.link('c', LINK);
    await life.replied('c', { human: true, agent: 'Bo' });
    await life.end('c', 'agent', 'resolved');
    await life.close('c');
    const again = requestEvent('c', { userId: 'bob', receivedAt: NOW });
    expect(await life.request(again)).toMatchObject({ isNew: true });
    expect(await life.store.get('c')).toMatchObject({
      session: 2,
      state: 'requested',
      user: { key: 'user:bob' },
      requestKey: again.key,
      requestedAt: new Date(NOW),
      link: null,
      agent: null,
      firstReplyAt: null,
      ending: null,
    });
    expect(await life.store.byLink('desk', '7')).toBeNull();
  });
});

describe('both sides closing at once', () => {
  it('is one end, by whoever was first, and one close', async () => {
    const life = start();
    await bring(life, 'connected');
    const [user, agent] = await Promise.all([
      life.end('c', 'user', 'USER_CLOSED'),
      life.end('c', 'agent', 'done'),
    ]);
    expect([user?.isFirst, agent?.isFirst].filter(Boolean)).toHaveLength(1);
    expect(user?.conversation.ending).toEqual(agent?.conversation.ending);
    await Promise.all([life.close('c'), life.close('c')]);
    expect(await life.store.get('c')).toMatchObject({
      state: 'closed',
      ending: { by: 'user', at: new Date(NOW) },
    });
  });
});

describe('a reply', () => {
  it('after a close reopens nothing', async () => {
    const life = start();
    await bring(life, 'closed');
    const before = await life.store.get('c');
    expect(await life.replied('c', { human: true, agent: 'Bo' })).toBeNull();
    expect(await life.store.get('c')).toEqual(before);
  });

  it('is noted once, and later ones cost no change unless another agent answers', async () => {
    const life = start();
    await bring(life, 'waiting');
    const first = await life.replied('c', { human: true, agent: 'Bo' });
    expect(first).toMatchObject({ state: 'connected', firstReplyAt: new Date(NOW), agent: 'Bo' });
    expect(await life.replied('c', { human: true })).toEqual(first);
    expect(await life.replied('c', { human: false })).toEqual(first);
    expect(await life.replied('c', { human: true, agent: 'Al' })).toMatchObject({ agent: 'Al' });
  });
});

describe('a link', () => {
  it('of two, is the first', async () => {
    const life = start();
    await bring(life, 'waiting');
    await life.link('c', LINK);
    expect(await life.link('c', { ...LINK, externalId: '8' })).toMatchObject({ link: LINK });
    expect(await life.store.byLink('desk', '8')).toBeNull();
  });
});

describe('a store in which somebody else is always faster', () => {
  it('is given up, and says so', async () => {
    const life = start({ ...createMemoryStore(), change: async () => null, get: async () => found });
    const found = (await start().request(requestEvent('c'))).conversation;
    await expect(life.accept('c')).rejects.toMatchObject({ code: 'CONVERSATION_CONTENDED' });
  });
});
