import { type DeliveredEvent, transcriptOf, userOf } from '../events/index.js';
import { HandoffKitError } from '../internal/index.js';
import type { Conversation, ConversationChange, NewConversation } from './conversation.js';
import type { HandoffLifecycle } from './lifecycle.js';
import { isOpen, mayBecome } from './state.js';
import type { HandoffStore } from './store.js';

/** Settings of {@link createLifecycle}. */
export interface LifecycleOptions {
  /** How long the service waits for a first reply. */
  readonly waitTimeoutMs: number;
  /** The time in milliseconds. Default: that of the machine. */
  readonly now?: () => number;
}

/** What to do with a conversation as it was found: change it, leave it as it is, or say no. */
type Decision = ConversationChange | 'keep' | 'refuse';

interface Updated {
  readonly conversation: Conversation;
  readonly isChanged: boolean;
}

/** Each failed try means that somebody else has changed it, and there are few changes in a lifecycle. */
const MOST_TRIES = 100;

/** What a new session does not take over from the one before. */
const ANEW = { state: 'requested', firstReplyAt: null, agent: null, link: null, closure: null } as const;

/** Makes a {@link HandoffLifecycle} of the conversations in a store. */
export function createLifecycle(
  store: HandoffStore,
  { waitTimeoutMs, now = Date.now }: LifecycleOptions,
): HandoffLifecycle {
  const update = async (
    id: string,
    decide: (conversation: Conversation) => Decision,
  ): Promise<Updated | null> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const conversation = await store.get(id);
      if (!conversation) return null;
      const decision = decide(conversation);
      if (decision === 'refuse') return null;
      if (decision === 'keep') return { conversation, isChanged: false };
      const changed = await store.update(id, conversation.version, decision);
      if (changed) return { conversation: changed, isChanged: true };
    }
    throw neverChanged();
  };

  const settle = async (
    id: string,
    decide: (conversation: Conversation) => Decision,
  ): Promise<Conversation | null> => (await update(id, decide))?.conversation ?? null;

  return {
    store,
    async request(event) {
      const fresh = newConversation(event, waitTimeoutMs);
      const { id, ...rest } = fresh;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const { conversation, created } = await store.create(fresh);
        if (created) return { conversation, isNew: true };
        if (!beginsAnew(conversation, event.key)) return { conversation, isNew: false };
        const session = conversation.session + 1;
        const begun = await store.update(id, conversation.version, { ...rest, ...ANEW, session });
        if (begun) return { conversation: begun, isNew: true };
      }
      throw neverChanged();
    },
    link: (id, link) =>
      settle(id, (conversation) => {
        if (!isLive(conversation)) return 'refuse';
        return conversation.link ? 'keep' : { link };
      }),
    accept: (id) =>
      settle(id, ({ state }) => {
        if (state === 'requested') return { state: 'waiting' };
        return isOpen(state) ? 'keep' : 'refuse';
      }),
    replied: (id, { human, agent }) =>
      settle(id, (conversation) => {
        if (!isOpen(conversation.state)) return 'refuse';
        const change: ConversationChange = {
          ...(human && conversation.state !== 'connected' && { state: 'connected' }),
          ...(conversation.firstReplyAt === null && { firstReplyAt: new Date(now()) }),
          ...(agent && agent !== conversation.agent && { agent }),
        };
        return Object.keys(change).length > 0 ? change : 'keep';
      }),
    async end(id, by, why = null) {
      const ended = await update(id, ({ state }) =>
        isOpen(state) ? { state: 'closing', closure: { by, why, at: new Date(now()) } } : 'keep',
      );
      return ended && { conversation: ended.conversation, isFirst: ended.isChanged };
    },
    close: (id) =>
      settle(id, ({ state }) => {
        if (state === 'closed') return 'keep';
        return mayBecome(state, 'closed') ? { state: 'closed' } : 'refuse';
      }),
    fail: (id, why) =>
      settle(id, ({ state }) => {
        if (state === 'failed') return 'keep';
        if (!mayBecome(state, 'failed')) return 'refuse';
        return { state: 'failed', closure: { by: 'kit', why, at: new Date(now()) } };
      }),
  };
}

function newConversation(
  { body, conversationId, key, receivedAt }: DeliveredEvent<'handoff.requested'>,
  waitTimeoutMs: number,
): NewConversation {
  return {
    id: conversationId,
    user: userOf(body),
    botId: body.bot_id,
    transcript: transcriptOf(body),
    requestKey: key,
    requestedAt: new Date(receivedAt),
    replyBy: new Date(receivedAt + waitTimeoutMs),
  };
}

/** The service would not ask anew for what it does not take to be over, also where the other side is still being told. */
function beginsAnew({ state, requestKey }: Conversation, key: string): boolean {
  if (state === 'failed') return true;
  return !isOpen(state) && requestKey !== key;
}

/** Whether a human-service system can still have to do with it: also to be told that it is over. */
const isLive = ({ state }: Conversation): boolean => isOpen(state) || state === 'closing';

const neverChanged = (): HandoffKitError =>
  new HandoffKitError(
    'CONVERSATION_CONTENDED',
    'a conversation could not be changed: each time, somebody else had changed it meanwhile. Do it again later.',
  );
