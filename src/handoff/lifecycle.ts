import {
  type ClosedBy,
  type Conversation,
  type DeliveredEvent,
  transcriptOf,
  userOf,
} from '../events/index.js';
import { HandoffKitError } from '../internal/index.js';
import { type ConversationChange, type HandoffStore, isOpen, type NewConversation } from './store.js';

/** The result of {@link HandoffLifecycle.request}. */
export interface HandoffRequestResult {
  readonly conversation: Conversation;
  /** Whether this call created the conversation or a new session; `false` for a repeat. */
  readonly isNew: boolean;
}

/** The result of {@link HandoffLifecycle.end}. */
export interface CloseResult {
  readonly conversation: Conversation;
  /** Whether this call ended it; `false` if the other side was first. */
  readonly isFirst: boolean;
}

/**
 * Moves conversations through their lifecycle, which ARCHITECTURE.md draws. A bridge links them to a helpdesk, and fails
 * those that it could not open. Every step is one idempotent compare-and-set. A step resolves to `null` if
 * there is no such conversation, or its state does not allow the step.
 */
export interface HandoffLifecycle {
  readonly store: HandoffStore;
  /**
   * Records a handoff request. A repeat returns the conversation unchanged. A new request for a conversation that has
   * ended or is closing starts a new session, and so does the same request after a failure.
   */
  request(event: DeliveredEvent<'handoff.requested'>): Promise<HandoffRequestResult>;
  /** Records that the platform was answered 200: `requested` becomes `waiting`. */
  accept(id: string): Promise<Conversation | null>;
  /** Records a reply to the user. If an agent wrote it, `waiting` becomes `connected`. */
  replied(
    id: string,
    by: { readonly isAgent: boolean; readonly agentName?: string | null },
  ): Promise<Conversation | null>;
  /** Records that one side ended it: it is `closing` until the other side knows. */
  end(id: string, by: ClosedBy, reason?: string | null): Promise<CloseResult | null>;
  /** Records that both sides know of the end: `closing` becomes `closed`. */
  close(id: string): Promise<Conversation | null>;
}

interface LifecycleOptions {
  /** How long the platform waits for the first reply. */
  readonly waitTimeoutMs: number;
  /** The current time in milliseconds. Default: the machine's clock. */
  readonly now?: () => number;
}

/** A change to make; `keep`: none is needed; `refuse`: the state does not allow it. */
type Decision = ConversationChange | 'keep' | 'refuse';

interface Updated {
  readonly conversation: Conversation;
  readonly isChanged: boolean;
}

/** A try fails only if another process changed the conversation, which is rare. */
const MAX_TRIES = 100;

/** The fields that a new session resets. */
const NEW_SESSION = {
  state: 'requested',
  firstReplyAt: null,
  agentName: null,
  link: null,
  closure: null,
} as const;

export function createHandoffLifecycle(
  store: HandoffStore,
  { waitTimeoutMs, now = Date.now }: LifecycleOptions,
): HandoffLifecycle {
  const update = async (
    id: string,
    decide: (conversation: Conversation) => Decision,
  ): Promise<Updated | null> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const conversation = await store.get(id);
      if (!conversation) return null;
      const decision = decide(conversation);
      if (decision === 'refuse') return null;
      if (decision === 'keep') return { conversation, isChanged: false };
      const changed = await store.update(id, conversation.version, decision);
      if (changed) return { conversation: changed, isChanged: true };
    }
    throw contendedError();
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
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const { conversation, created } = await store.create(fresh);
        if (created) return { conversation, isNew: true };
        if (!startsNewSession(conversation, event.key)) return { conversation, isNew: false };
        const session = conversation.session + 1;
        const renewed = await store.update(id, conversation.version, { ...rest, ...NEW_SESSION, session });
        if (renewed) return { conversation: renewed, isNew: true };
      }
      throw contendedError();
    },
    accept: (id) =>
      settle(id, ({ state }) => {
        if (state === 'requested') return { state: 'waiting' };
        return isOpen(state) ? 'keep' : 'refuse';
      }),
    replied: (id, { isAgent, agentName }) =>
      settle(id, (conversation) => {
        if (!isOpen(conversation.state)) return 'refuse';
        const change: ConversationChange = {
          ...(isAgent && conversation.state !== 'connected' && { state: 'connected' }),
          ...(conversation.firstReplyAt === null && { firstReplyAt: new Date(now()) }),
          ...(agentName && agentName !== conversation.agentName && { agentName }),
        };
        return Object.keys(change).length > 0 ? change : 'keep';
      }),
    async end(id, by, reason = null) {
      const ended = await update(id, ({ state }) =>
        isOpen(state) ? { state: 'closing', closure: { by, reason, at: new Date(now()) } } : 'keep',
      );
      return ended && { conversation: ended.conversation, isFirst: ended.isChanged };
    },
    close: (id) =>
      settle(id, ({ state }) => {
        if (state === 'closed') return 'keep';
        return state === 'closing' ? { state: 'closed' } : 'refuse';
      }),
  };
}

function newConversation(event: DeliveredEvent<'handoff.requested'>, waitTimeoutMs: number): NewConversation {
  const { bot, body, conversationId, key, receivedAt } = event;
  return {
    id: conversationId,
    bot,
    user: userOf(event),
    botId: body.bot_id,
    transcript: transcriptOf(body),
    requestKey: key,
    requestedAt: new Date(receivedAt),
    replyBy: new Date(receivedAt + waitTimeoutMs),
  };
}

/** The platform requests an id again only after it has ended the first session. */
function startsNewSession({ state, requestKey }: Conversation, key: string): boolean {
  if (state === 'failed') return true;
  return !isOpen(state) && requestKey !== key;
}

const contendedError = (): HandoffKitError =>
  new HandoffKitError(
    'CONVERSATION_CONTENDED',
    'a conversation could not be changed, because other processes kept changing it. Try again later.',
  );
