import type { Delivery } from '../delivery/index.js';
import {
  type DeliveredEvent,
  type Dispatcher,
  deliveredReceipt,
  type EndOptions,
  type HandlerOutcome,
  type HandlerRun,
  type Receipt,
  type Replies,
  type ReplyOptions,
  transcriptOf,
  userOf,
} from '../events/index.js';
import {
  type CloseResult,
  type Conversation,
  type ConversationFilter,
  type HandoffLifecycle,
  type HandoffStore,
  isOpen,
} from '../handoff/index.js';
import { createKeyedQueue, createRecentKeys, HandoffKitError, type Log } from '../internal/index.js';
import type { ReceiverOptions } from './options.js';

/** Handed-over conversations, for code outside handlers. */
export interface Conversations {
  /** Looks up a conversation. */
  get(id: string): Promise<Conversation | null>;
  /**
   * Lists conversations, the last changed first.
   *
   * @example
   * const waiting = await receiver.conversations.list({ states: ['requested', 'waiting'] });
   */
  list(filter?: ConversationFilter): Promise<Conversation[]>;
  /** Replies to the user. Replies to one conversation arrive in the order of the calls. */
  reply(id: string, text: string, options?: ReplyOptions): Promise<Receipt>;
  /** Ends a handoff as an agent. Sends nothing if the platform has already ended it. */
  end(id: string, options?: EndOptions): Promise<Receipt>;
  /** The lifecycle, for code that carries conversations into other systems. */
  readonly lifecycle: HandoffLifecycle;
}

export function createConversations(lifecycle: HandoffLifecycle, replies: Replies): Conversations {
  return {
    get: (id) => lifecycle.store.get(id),
    list: (filter) => lifecycle.store.list(filter),
    reply: (id, text, options) => replies.reply(id, text, options),
    end: (id, options) => replies.end(id, options),
    lifecycle,
  };
}

/** Records that a conversation was requested and accepted. Repeating it changes nothing. */
export async function beginHandoff(
  lifecycle: HandoffLifecycle,
  event: DeliveredEvent<'handoff.requested'>,
): Promise<void> {
  await lifecycle.request(event);
  await lifecycle.accept(event.conversationId);
}

/** Wraps a dispatcher: records requests and closes in the lifecycle. A failing store counts as a failed handler. */
export function withHandoffTracking(
  lifecycle: HandoffLifecycle,
  dispatcher: Dispatcher,
): Dispatcher['handle'] {
  const reported = async <Result>(
    event: DeliveredEvent,
    { attempt }: HandlerRun,
    change: Promise<Result>,
  ): Promise<Result> => {
    try {
      return await change;
    } catch (error) {
      const { name, bot, conversationId, requestId } = event;
      dispatcher.report(error, { event: name, bot, conversationId, requestId, attempt });
      throw error;
    }
  };

  const begin = async (
    event: DeliveredEvent<'handoff.requested'>,
    run: HandlerRun,
  ): Promise<HandlerOutcome> => {
    await run.ensureClaimed?.();
    await reported(event, run, beginHandoff(lifecycle, event));
    return dispatcher.handle(event, run);
  };

  const end = async (event: DeliveredEvent<'handoff.closed'>, run: HandlerRun): Promise<HandlerOutcome> => {
    await run.ensureClaimed?.();
    const isEnded = await reported(event, run, endHandoff(lifecycle, event));
    const outcome = await dispatcher.handle(event, run);
    if (isEnded) await reported(event, run, lifecycle.close(event.conversationId));
    return outcome;
  };

  return (event, run) => {
    if (event.name === 'handoff.requested') return begin(event, run);
    if (event.name === 'handoff.closed') return end(event, run);
    return dispatcher.handle(event, run);
  };
}

/** Records that the platform has ended a conversation. `false`: it is unknown, or was requested again since. */
async function endHandoff(
  lifecycle: HandoffLifecycle,
  { conversationId, receivedAt, body }: DeliveredEvent<'handoff.closed'>,
): Promise<boolean> {
  const conversation = await lifecycle.store.get(conversationId);
  if (!conversation || conversation.requestedAt.getTime() > receivedAt) return false;
  await lifecycle.end(conversationId, body.type === 'TIMEOUT' ? 'timeout' : 'user', body.type);
  return true;
}

interface TrackRepliesOptions {
  readonly lifecycle: HandoffLifecycle;
  readonly replies: Replies;
  readonly log: Log;
}

/** Records replies in the conversation's lifecycle. One that cannot be recorded rejects, although it may have been sent. */
export function trackReplies({ lifecycle, replies, log }: TrackRepliesOptions): Replies {
  // `end` first looks up whether the platform must be told; later replies must not overtake it.
  const conversations = createKeyedQueue();

  /** Logs a failure, since the caller may not wait for its reply. */
  const recorded = async <Result>(conversationId: string, change: Promise<Result>): Promise<Result> => {
    try {
      return await change;
    } catch (error) {
      log.error({ conversationId, err: error }, 'the state of a conversation could not be stored');
      throw error;
    }
  };

  const warnIfEnded = async (conversationId: string): Promise<void> => {
    const conversation = await recorded(conversationId, lifecycle.store.get(conversationId));
    if (!conversation) return;
    const { state, closure } = conversation;
    log.warn(
      { conversationId, state, closedBy: closure?.by ?? null },
      'a reply to a conversation that has ended: the platform may refuse it',
    );
  };

  const reply: Replies['reply'] = (id, text, options = {}, run) =>
    conversations.run(id, async () => {
      const receipt = await replies.reply(id, text, options, run);
      const { by = 'agent', agentName = null } = options;
      const change = lifecycle.replied(id, { isAgent: by === 'agent', agentName });
      // A look-up that fails is logged; rejecting would have the caller send the reply again.
      if ((await recorded(id, change)) === null) await warnIfEnded(id).catch(() => undefined);
      return receipt;
    });

  /** A greeting does not connect the user to an agent. It takes no turn: replies that have theirs wait for it. */
  const greet: Replies['greet'] = async (id, text, options) => {
    const receipt = await replies.greet(id, text, options);
    await recorded(id, lifecycle.replied(id, { isAgent: false, agentName: null }));
    return receipt;
  };

  const end: Replies['end'] = (id, options = {}, run) =>
    conversations.run(id, async () => {
      const { by = 'agent', reason = null } = options;
      // Before the state changes, since the outbox would refuse the end only afterwards.
      await run?.ensureClaimed?.();
      const ended = await recorded(id, lifecycle.end(id, by, reason));
      if (ended && isKnownToPlatform(ended, options)) return deliveredReceipt(id, null);
      const receipt = await replies.end(id, options, run);
      await recorded(id, lifecycle.close(id));
      return receipt;
    });

  const idle = async (): Promise<void> => {
    await conversations.idle();
    await replies.idle();
  };

  return { reply, greet, end, idle };
}

/** Whether the platform knows of the end: it ended the conversation itself, or was told before. */
function isKnownToPlatform({ conversation, isFirst }: CloseResult, { once }: ReplyOptions): boolean {
  if (isFirst) return false;
  const by = conversation.closure?.by;
  if (by === 'user' || by === 'timeout') return true;
  // With an idempotency key, the outbox recognises the repeat and has its receipt.
  return conversation.state === 'closed' && once === undefined;
}

/** Finds the session of a conversation that a handoff request or a close belongs to. */
export type FindSession = (endpoint: 'establish' | 'close', conversationId: string) => Promise<number>;

/** A try fails only if the conversation changed meanwhile, and a lifecycle has few changes. */
const MAX_TRIES = 100;

/**
 * Events that are accepted and wait to be handled count: a close that waits ends its session,
 * and the next request begins another.
 */
export function createFindSession(store: HandoffStore, delivery: Delivery): FindSession {
  return async (endpoint, conversationId) => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const conversation = await store.get(conversationId);
      const pending = (await delivery.pendingEvents?.(conversationId)) ?? [];
      // The two belong together only if no event was handled in between.
      if ((await store.get(conversationId))?.version !== conversation?.version) continue;
      let session = conversation?.session ?? 0;
      let open = conversation !== null && isOpen(conversation.state);
      for (const name of pending) {
        if (name === 'handoff.closed') open = false;
        if (name !== 'handoff.requested' || open) continue;
        session += 1;
        open = true;
      }
      return endpoint === 'establish' && !open ? session + 1 : session;
    }
    throw new HandoffKitError(
      'CONVERSATION_CONTENDED',
      'the session of a conversation could not be found: another process changed it during every attempt. Try again later.',
    );
  };
}

/** Sends the first reply of a handoff. Rejects only when it could not be stored; other failures are reported. */
export type Greet = (event: DeliveredEvent<'handoff.requested'>) => Promise<void>;

/** Creates the function that greets; `null` without a greeting. */
export function createGreet(
  greeting: ReceiverOptions['greeting'],
  replies: Replies,
  dispatcher: Dispatcher,
): Greet | null {
  if (greeting === undefined) return null;
  // A repeat that arrives while the handlers of the first still run is not yet recognised as a duplicate.
  const greeted = createRecentKeys({ maxKeys: 10_000, maxAgeMs: 600_000 });
  return async (event) => {
    const { name, bot, key, body, conversationId, requestId } = event;
    if (greeted.has(key)) return;
    greeted.add(key);
    try {
      const text =
        typeof greeting === 'string'
          ? greeting
          : await greeting({
              payload: body,
              bot,
              conversationId,
              user: userOf(event),
              transcript: transcriptOf(body),
            });
      if (text !== null) await replies.greet(conversationId, text, { once: `greeting ${key}` });
    } catch (error) {
      greeted.delete(key);
      if (error instanceof HandoffKitError && error.code === 'NOT_STORED') throw error;
      dispatcher.report(error, { event: name, bot, conversationId, requestId });
    }
  };
}
