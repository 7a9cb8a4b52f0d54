import { type AdmitContext, type AdmitGate, type DeliveredEvent, eventKey } from '../events/index.js';
import type { Conversation } from '../handoff/index.js';
import { failUnaccepted } from './change-conversation.js';
import type { Opening, Openings } from './open-conversation.js';
import type { BridgeParts } from './parts.js';

/** What the service is told. Short: it may be shown to users. */
const REASON = {
  closed: 'outside business hours',
  away: 'no human is available',
  closing: 'shutting down',
} as const;

/** What {@link createAdmitHandoff} works with. */
export type AdmitParts = Pick<BridgeParts, 'lifecycle' | 'settings' | 'calls' | 'counters' | 'log'>;

/**
 * Makes the gate: a handoff is accepted once the system has it, so that "connecting" is never shown for a desk
 * that is down. Two requests for the same conversation, here or in another process, become one.
 */
export function createAdmitHandoff(
  { lifecycle, settings, calls, counters, log }: AdmitParts,
  openings: Pick<Openings, 'ensure'>,
): AdmitGate {
  const refuse = (reason: string, about: object): string => {
    counters.count('refused');
    log.info(about, 'a handoff was refused');
    return reason;
  };

  const refuseUnopened = async (conversation: Conversation, opening: Opening): Promise<true | string> => {
    const why = whyUnopened(opening, settings.openWithinMs);
    const failed = await failUnaccepted(lifecycle.store, conversation, why);
    const current = failed ?? (await lifecycle.store.get(conversation.id));
    // It may have opened at the last moment; then nobody needs to be told no.
    const opened = !failed && current?.session === conversation.session && current.link !== null;
    if (opened && current.closure === null) return true;
    return refuse(REASON.away, { conversationId: conversation.id, why });
  };

  return async (context) => {
    const { conversationId, receivedAt } = context;
    if (calls.ended) return refuse(REASON.closing, { conversationId, why: 'the bridge is closing' });
    if (!settings.isOpenAt(receivedAt)) {
      return settings.whenClosed === 'say' || refuse(REASON.closed, { conversationId, why: 'out of hours' });
    }
    // Accepted in any case; the handler opens it, and goes on trying.
    if (settings.whenUnopened === 'apologise') return true;
    const { conversation, isNew } = await lifecycle.request(eventOf(context));
    log.debug({ conversationId, isNew }, 'the service asks for a conversation');
    const opening = await openings.ensure(conversation, settings.openWithinMs);
    return opening.kind === 'open' || refuseUnopened(conversation, opening);
  };
}

/** The event that the receiver is going to make of the request, with the same key. */
function eventOf(context: AdmitContext): DeliveredEvent<'handoff.requested'> {
  const { conversationId, receivedAt, requestId, payload } = context;
  return {
    name: 'handoff.requested',
    key: eventKey('establish', payload, requestId),
    conversationId,
    body: payload,
    receivedAt: receivedAt.getTime(),
    requestId,
  };
}

function whyUnopened(opening: Opening, withinMs: number): string {
  if (opening.kind === 'late') return `the system did not open it within ${withinMs} ms`;
  return opening.kind === 'failed' ? opening.error.message : 'it ended before it was open';
}
