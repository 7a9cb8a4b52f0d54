import type { StoredJobDetails } from '../../delivery/index.js';
import { type Handler, type HandoffMessageContext, Postponed, Unrecoverable } from '../../events/index.js';
import { type AdapterLink, type Conversation, isOpen } from '../../handoff/index.js';
import { handoffChat } from '../../protocol/index.js';
import type { Receiver } from '../../receiver/index.js';
import { AdapterError } from '../adapter/adapter-types.js';
import { sendable, splitText } from '../adapter/text.js';
import { type BridgeContext, KEY_TTL_MS, sessionKey, toRef, toSession } from '../bridge-context.js';
import { asPostponed, type ClaimedRun, pause } from '../calls/adapter-calls.js';
import type { RateLimiter } from '../calls/rate-limiter.js';
import type { TellAndEnd } from './close-conversation.js';
import type { EchoDetector } from './echo-detection.js';
import { createFailingCalls, isCallFailure } from './failing-calls.js';
import type { ConversationOpener } from './open-conversation.js';

/** Dependencies of {@link createOnMessage}. */
export interface OnMessageDependencies {
  readonly opener: ConversationOpener;
  readonly send: SendToHelpdesk;
  readonly sendTranscript: SendTranscript;
  readonly tellAndEnd: TellAndEnd;
}

/** How often the user is told that messages wait. */
const DELAYED_EVERY_MS = 600_000;

/** Creates the handler of users' messages: opens the conversation if needed, then sends to the helpdesk. */
export function createOnMessage(
  bridge: BridgeContext,
  { opener, send, sendTranscript, tellAndEnd }: OnMessageDependencies,
): Handler<'handoff.message'> {
  const { adapter, lifecycle, settings, auth, calls, conversations, renderMessage, counters, log } = bridge;

  /** The conversation once it is open in the helpdesk; `null` when it has ended instead. */
  const opened = async (conversation: Conversation): Promise<Conversation | null> => {
    if (conversation.link) return conversation;
    const result = await opener.ensureOpen(conversation, settings.openWithinMs);
    if (result.kind === 'open') return result.conversation;
    if (result.kind === 'ended') return null;
    if (result.kind === 'failed') throw result.error;
    throw new AdapterError('transient', `${adapter.name} has not opened this conversation yet.`);
  };

  const tellDelayed = async (conversation: Conversation): Promise<void> => {
    try {
      const text = await renderMessage('delayed', conversation);
      if (text === null) return;
      const once = `bridge delayed ${sessionKey(conversation)} ${Math.floor(Date.now() / DELAYED_EVERY_MS)}`;
      await conversations.reply(conversation.id, text, { once, by: 'system' });
    } catch (error) {
      log.warn({ conversationId: conversation.id, err: error }, 'the user was not told of the delay');
    }
  };

  /** Nobody reads a message: the conversation has ended. The user is told, unless the platform has ended it, too. */
  const onLost = async (id: string, reason: string): Promise<void> => {
    counters.count('lost');
    const current = await lifecycle.store.get(id);
    const { state = 'unknown', closure = null } = current ?? {};
    log.warn({ conversationId: id, state, reason }, 'a message of the user reached no agent');
    const hasLeft = closure?.by === 'user' || closure?.by === 'timeout';
    if (!current || hasLeft || state === 'closed' || state === 'failed') return;
    const text = await renderMessage('undelivered', current);
    if (text === null) return;
    const once = `bridge undelivered ${sessionKey(current)}`;
    await conversations.reply(id, text, { once, by: 'system' });
  };

  const onGone = async (conversation: Conversation, reason: string): Promise<void> => {
    if (settings.messages.unavailable === undefined) await onLost(conversation.id, reason);
    else counters.count('lost');
    await tellAndEnd(conversation, 'unavailable', reason);
  };

  const onFailure = async (conversation: Conversation, error: unknown): Promise<void> => {
    if (!(error instanceof AdapterError)) throw error;
    if (error.kind === 'gone') return onGone(conversation, error.message);
    if (error.kind === 'invalid') throw new Unrecoverable(error.message, { cause: error });
    if (error.kind === 'auth') auth.refused(error);
    const thrown = asPostponed(error, settings.retry);
    if (thrown instanceof Postponed) {
      counters.count('postponed');
      if (calls.isPaused || isCallFailure(error)) await tellDelayed(conversation);
    }
    throw thrown;
  };

  /** Whether the user has asked again since, so that the message belongs to a new session. */
  const isRenewed = async ({ id, session }: Conversation): Promise<boolean> => {
    const current = await lifecycle.store.get(id);
    return current !== null && current.session > session && isOpen(current.state);
  };

  const deliver = async (context: HandoffMessageContext): Promise<void> => {
    const { conversationId } = context;
    const conversation = await lifecycle.store.get(conversationId);
    if (!conversation || !isOpen(conversation.state))
      return onLost(conversationId, 'the conversation is not open');
    try {
      await context.ensureClaimed();
      const current = await opened(conversation);
      const link = current?.link;
      if (!current || !link) return await onLost(conversationId, 'the conversation has ended');
      if (link.adapter !== adapter.name)
        return await tellAndEnd(current, 'unavailable', `it was opened by the adapter ${link.adapter}`);
      await sendTranscript(current, link, context);
      await send(current, link, context);
      auth.accepted();
    } catch (error) {
      const isGone = error instanceof AdapterError && error.kind === 'gone';
      if (isGone && (await isRenewed(conversation))) return deliver(context);
      await onFailure(conversation, error);
    }
  };

  return async (context) => {
    if (context.text.trim() !== '') return deliver(context);
    log.debug({ conversationId: context.conversationId }, 'message without text skipped');
  };
}

/** Sends a message to an open conversation: complete, once, and within the rate limits. */
export type SendToHelpdesk = (
  conversation: Conversation,
  link: AdapterLink,
  context: Pick<HandoffMessageContext, 'key' | 'text' | 'sentAt'> & ClaimedRun,
  options?: {
    /** Whether messages that wait may be joined to it. Default `true`. */
    readonly mayJoin?: boolean;
  },
) => Promise<void>;

/** Sends what `open` did not get of a long transcript: complete, in order and once. */
export type SendTranscript = (
  conversation: Conversation,
  link: AdapterLink,
  run: ClaimedRun,
) => Promise<void>;

/** Shown to the agents in place of a message that the helpdesk refuses, or at which it keeps failing. */
const MISSING_NOTE = '(A message of the user could not be shown here.)';

const isRefused = (error: unknown): boolean => error instanceof AdapterError && error.kind === 'invalid';

/** Longer waits for the rate limiter are left to delivery: the event is postponed. */
const MAX_INLINE_WAIT_MS = 5_000;

/** A slot that was missed by more than this is not used. */
const SLOT_LASTS_MS = 1_000;

export function createSendToHelpdesk(
  bridge: BridgeContext,
  echoes: EchoDetector,
  rateLimiter: RateLimiter,
  storage: Receiver['storage'],
): SendToHelpdesk {
  const findQueuedMessages = createFindQueuedMessages(storage);
  const { adapter, lifecycle, calls, retry, counters, log } = bridge;
  const { maxTextLength } = adapter.capabilities;
  const failing = createFailingCalls(bridge);
  const sentKey = (key: string, part: number): string => `bridge sent ${adapter.name} ${key} ${part}`;
  const isSent = (key: string, part: number): Promise<boolean> =>
    lifecycle.store.hasIdempotencyKey(sentKey(key, part));
  const markSent = (key: string, part: number): Promise<boolean> =>
    lifecycle.store.addIdempotencyKey(sentKey(key, part), KEY_TTL_MS);

  /** Waits for a slot. Returns whether the conversation's own limit is used up with it. */
  const waitForSlot = async (externalId: string): Promise<boolean> => {
    const { waitMs, granted, saturated } = await rateLimiter.reserve(externalId, MAX_INLINE_WAIT_MS);
    if (!granted) {
      throw new AdapterError('rate-limited', `${adapter.name} is at its rate limit.`, {
        retryAfterMs: waitMs,
      });
    }
    const startedAt = performance.now();
    if (waitMs > 0) await pause(waitMs, calls.signal);
    // The process was paused, and others may have used the time since.
    if (performance.now() - startedAt > waitMs + SLOT_LASTS_MS) return waitForSlot(externalId);
    return saturated;
  };

  const unsentAfter = async (
    conversationId: string,
    message: UserMessage,
  ): Promise<readonly UserMessage[]> => {
    const queued = await findQueuedMessages(conversationId, message, maxTextLength);
    const sent = await Promise.all(queued.map(({ key }) => isSent(key, 1)));
    return queued.filter((_message, index) => !sent[index]);
  };

  return async (conversation, link, context, { mayJoin: mayJoinAny = true } = {}) => {
    const { key, text: body, sentAt } = context;
    const message: UserMessage = { key, text: sendable(body) };
    const parts = splitText(message.text, maxTextLength);
    let isJoined = false;
    let hasFailed = false;

    const callSend = (part: number, text: string, evenIfPaused: boolean) => {
      const outgoing = { key: `${key} ${part}`, text, sentAt };
      return echoes.trackSend(link.externalId, text, () =>
        calls.run('send', (call) => adapter.send(toRef(conversation, link), outgoing, call), {
          conversationId: conversation.id,
          onBehalfOf: context,
          evenIfPaused,
        }),
      );
    };

    /**
     * Tells the agents that a message is missing, once; after that, a search shows whether the helpdesk answers. They can
     * ask the user, who is not told otherwise. It is sent even while calls are paused: that may be because of this message.
     */
    const sendNote = async (): Promise<boolean> => {
      try {
        if (await isSent(key, 0)) {
          const session = toSession(conversation, adapter);
          await calls.run('find', (call) => adapter.find(session, call), {
            conversationId: conversation.id,
            onBehalfOf: context,
            evenIfPaused: true,
          });
          return true;
        }
        await callSend(0, MISSING_NOTE, true);
        await markSent(key, 0);
        return true;
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        const details = { conversationId: conversation.id, err: error };
        log.warn(details, 'agents were not told of a message that could not be shown');
        return false;
      }
    };

    /** Sends one part. Returns the later messages that were joined to it; `null` if another process has sent it. */
    const sendPart = async (
      text: string,
      part: number,
      mayJoin: boolean,
    ): Promise<readonly UserMessage[] | null> => {
      const saturated = await waitForSlot(link.externalId);
      // This process may have been paused while it waited for the slot, or to try again.
      if (await isSent(message.key, part)) return null;
      const joined =
        mayJoin && saturated && parts.length === 1 ? await unsentAfter(conversation.id, message) : [];
      isJoined = joined.length > 0;
      const whole = [text, ...joined.map((each) => each.text)].join(SEPARATOR);
      try {
        await callSend(part, whole, false);
      } catch (error) {
        hasFailed ||= isCallFailure(error) && !calls.ended;
        throw error;
      }
      return joined;
    };

    for (const [index, text] of parts.entries()) {
      const part = index + 1;
      // Sent by an earlier attempt at this event, or joined to an earlier message.
      if (await isSent(message.key, part)) continue;
      const trySend = (mayJoin: boolean) => retry(() => sendPart(text, part, mayJoin));
      const sendLastTime = () =>
        trySend(false).catch(async (error: unknown) => {
          if (!isCallFailure(error)) throw error;
          await failing.forget(key);
          const reason = `${adapter.name} takes other messages and keeps failing at this one: ${error.message}`;
          throw new AdapterError('invalid', reason, { cause: error });
        });
      const joined = await trySend(mayJoinAny)
        // Another message that was joined may be the one that is refused.
        .catch((error: unknown) => {
          if (!isJoined || !(isRefused(error) || isCallFailure(error))) throw error;
          return trySend(false);
        })
        .catch(async (error: unknown) => {
          if (isRefused(error)) await sendNote();
          else if (hasFailed && (await failing.isAtFault(key, sendNote))) return sendLastTime();
          throw error;
        });
      if (!joined) continue;
      await markSent(message.key, part);
      for (const each of joined) await markSent(each.key, 1);
      counters.count('sent');
    }
  };
}

/** A message of the user. */
interface UserMessage {
  /** The key of its event. */
  readonly key: string;
  readonly text: string;
}

/** Finds queued messages of the same conversation that fit into one message together with `first`. */
type FindQueuedMessages = (
  conversationId: string,
  first: UserMessage,
  maxLength: number,
) => Promise<readonly UserMessage[]>;

/** Upper bound on messages joined at once. */
const MAX_JOINED = 20;

/** Between messages that are joined into one. */
const SEPARATOR = '\n';

/**
 * The events behind the current one wait in the inbox. Joined ones are marked as sent, so their own turn sends nothing.
 * Without stored delivery nothing is found, and each message is sent alone.
 */
function createFindQueuedMessages({ queues }: Receiver['storage']): FindQueuedMessages {
  if (!queues) return async () => [];
  return async (conversationId, first, maxLength) => {
    const waiting = await queues.list('inbox', { state: 'waiting', conversationId, limit: MAX_JOINED });
    const found: UserMessage[] = [];
    let room = maxLength - first.text.length;
    for (const { id, what } of waiting) {
      const message = what === 'handoff.message' ? readQueuedMessage(await queues.show('inbox', id)) : null;
      if (message?.key === first.key) continue;
      room -= (message?.text.length ?? 0) + SEPARATOR.length;
      // Only whole messages, and none behind an event of another kind: order is kept.
      if (!message || room < 0) break;
      found.push(message);
    }
    return found;
  };
}

function readQueuedMessage(job: StoredJobDetails | null): UserMessage | null {
  const chat = handoffChat.safeParse(job?.content);
  return job?.key && chat.success ? { key: job.key, text: sendable(chat.data.body) } : null;
}
