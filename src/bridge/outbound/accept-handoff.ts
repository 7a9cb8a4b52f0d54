import {
  type AdmitContext,
  type AdmitGate,
  type DeliveredEvent,
  type Handler,
  type HandoffRequestedContext,
  Postponed,
} from '../../events/index.js';
import { type Conversation, isOpen } from '../../handoff/index.js';
import { type BridgeContext, failUnaccepted, sessionKey } from '../bridge-context.js';
import { asPostponed } from '../calls/adapter-calls.js';
import type { TellAndEnd } from './close-conversation.js';
import type { SendTranscript } from './deliver-message.js';
import type { ConversationOpener, OpenResult } from './open-conversation.js';

/** Reasons sent to the platform. Short, because users may see them. */
const REFUSAL = {
  outsideHours: 'outside business hours',
  unavailable: 'no agent is available',
  unrouted: 'no agent is available for this bot',
  closing: 'shutting down',
} as const;

/** The part of {@link BridgeContext} that {@link createAdmitHandoff} uses. */
export type AdmitDependencies = Pick<
  BridgeContext,
  'lifecycle' | 'settings' | 'ownership' | 'calls' | 'counters' | 'log'
>;

/**
 * Creates the gate for handoff requests. A request is accepted only once the helpdesk has the conversation, so that
 * the platform never shows "connecting" while the helpdesk is down. Repeated requests for one conversation, in this
 * or another process, open it once.
 */
export function createAdmitHandoff(
  { lifecycle, settings, ownership, calls, counters, log }: AdmitDependencies,
  opener: Pick<ConversationOpener, 'ensureOpen'>,
): AdmitGate {
  const refuse = (reason: string, details: object): string => {
    counters.count('refused');
    log.info(details, 'handoff refused');
    return reason;
  };

  const refuseUnopened = async (conversation: Conversation, result: OpenResult): Promise<true | string> => {
    const reason = whyUnopened(result, settings.openWithinMs);
    const failed = await failUnaccepted(lifecycle.store, conversation, reason);
    const current = failed ?? (await lifecycle.store.get(conversation.id));
    // It may have opened between the timeout and this check; then it is accepted after all.
    const isOpened = !failed && current?.session === conversation.session && current.link !== null;
    if (isOpened && current.closure === null) return true;
    return refuse(REFUSAL.unavailable, { conversationId: conversation.id, reason });
  };

  return async (context) => {
    const { conversationId, receivedAt } = context;
    const botId = context.payload.bot_id;
    if (ownership.refuses(botId)) {
      log.warn(
        { conversationId, botId },
        'no bridge takes the handoffs of this bot: add it to botIds of one',
      );
      return refuse(REFUSAL.unrouted, { conversationId, reason: 'no bridge takes it' });
    }
    // The gate of another bridge decides.
    if (!ownership.takes(botId)) return true;
    if (calls.ended) return refuse(REFUSAL.closing, { conversationId, reason: 'the bridge is closing' });
    const decision = await settings.decideAt(receivedAt);
    if (decision === 'refuse')
      return refuse(REFUSAL.outsideHours, { conversationId, reason: 'out of hours' });
    // The handler says it.
    if (decision === 'apologise') return true;
    // The handler opens it after the answer, and retries.
    if (settings.whenUnavailable === 'apologise') return true;
    const { conversation, isNew } = await lifecycle.request(toEvent(context));
    log.debug({ conversationId, isNew }, 'handoff requested');
    const result = await opener.ensureOpen(conversation, settings.openWithinMs);
    return result.kind === 'open' || refuseUnopened(conversation, result);
  };
}

/** The event of this request. */
function toEvent(context: AdmitContext): DeliveredEvent<'handoff.requested'> {
  const { bot, key, conversationId, receivedAt, requestId, payload } = context;
  return {
    name: 'handoff.requested',
    bot,
    key,
    conversationId,
    body: payload,
    receivedAt: receivedAt.getTime(),
    requestId,
  };
}

function whyUnopened(result: OpenResult, withinMs: number): string {
  if (result.kind === 'pending') return `the helpdesk did not open it within ${withinMs} ms`;
  return result.kind === 'failed' ? result.error.message : 'it ended before it was open';
}

/** An accepted handoff is retried after `firstWaitMs` times this, 2 seconds by default: the user is waiting. */
const FIRST_WAITS = 10;

/**
 * Creates the handler of accepted handoffs: makes sure that the conversation is open, also after a restart, and sends
 * the greeting and the rest of a long transcript. When it cannot be opened within 45 seconds, the user is told and the conversation ends.
 */
export function createOnRequested(
  bridge: BridgeContext,
  opener: ConversationOpener,
  sendTranscript: SendTranscript,
  tellAndEnd: TellAndEnd,
): Handler<'handoff.requested'> {
  const { lifecycle, settings, conversations, renderMessage, counters, calls, log } = bridge;

  const greet = async (conversation: Conversation): Promise<void> => {
    const text = await renderMessage('greeting', conversation);
    if (text === null) return;
    const once = `bridge greeting ${sessionKey(conversation)}`;
    await conversations.reply(conversation.id, text, { once, by: 'system' });
  };

  /** Agents see the rest of a long transcript at once, and not only before the next message of the user. */
  const showTranscript = async (conversation: Conversation, run: HandoffRequestedContext): Promise<void> => {
    if (!conversation.link) return;
    const sending = sendTranscript(conversation, conversation.link, run).catch((error: unknown) => {
      const postponed = asPostponed(error, settings.retry);
      if (bridge.isStored && postponed instanceof Postponed) throw postponed;
      const details = { conversationId: conversation.id, err: error };
      log.warn(details, 'the rest of the transcript is sent before the next message of the user');
    });
    // Without stored delivery the platform waits for this handler.
    if (bridge.isStored) await sending;
  };

  const giveUpOrPostpone = async (
    conversation: Conversation,
    result: OpenResult,
    run: HandoffRequestedContext,
  ): Promise<void> => {
    const error = result.kind === 'failed' ? result.error : null;
    const isPermanent = error !== null && !error.retryable;
    const reason = error?.message ?? 'the helpdesk is slow to open it';
    const remainingMs = run.receivedAt.getTime() + settings.giveUpOpeningAfterMs - Date.now();
    if (isPermanent || (remainingMs <= 0 && !calls.ended)) {
      // Another process may have taken the event over, and opened the conversation.
      await run.ensureClaimed();
      return tellAndEnd(conversation, 'unavailable', reason);
    }
    counters.count('postponed');
    const retryAfterMs = Math.min(
      Math.max(settings.retry.firstWaitMs * FIRST_WAITS, error?.retryAfterMs ?? 0),
      Math.max(remainingMs, 1),
    );
    throw new Postponed(reason, { retryAfterMs, cause: error });
  };

  return async (context) => {
    const { conversationId, receivedAt } = context;
    const conversation = await lifecycle.store.get(conversationId);
    if (!conversation || !isOpen(conversation.state)) return;
    // The hours may have changed since: a conversation that agents have stays open.
    if (conversation.link === null && (await settings.decideAt(receivedAt)) === 'apologise') {
      return tellAndEnd(conversation, 'outsideHours', 'out of hours');
    }
    await context.ensureClaimed();
    const result = await opener.ensureOpen(conversation, settings.openWithinMs);
    if (result.kind === 'ended') return;
    if (result.kind === 'open') {
      await greet(result.conversation);
      return showTranscript(result.conversation, context);
    }
    return giveUpOrPostpone(conversation, result, context);
  };
}
