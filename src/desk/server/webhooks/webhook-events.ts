import type { ConversationSummary, ConversationUpdate, WebhookEventName, WebhookPayload } from '../../api.js';

/** Something that webhooks tell. */
export interface DeskEvent {
  readonly type: WebhookEventName;
  readonly at: number;
  readonly conversation: Omit<ConversationSummary, 'version'>;
  /** Who transferred it, if not its new agent. */
  readonly by?: string;
  readonly note?: { readonly messageId: string; readonly agent: string; readonly text: string };
}

/** What an update of a conversation means for webhooks: mostly nothing. */
export function eventsIn({ at, summary, event }: ConversationUpdate): readonly DeskEvent[] {
  const of = (type: WebhookEventName): DeskEvent => ({ type, at, conversation: summary });
  if (event.type === 'opened') return [of('conversation.opened')];
  if (event.type === 'claimed' || event.type === 'assigned') return [of('conversation.claimed')];
  if (event.type === 'transferred') {
    return [{ ...of('conversation.claimed'), ...(event.agent !== event.to && { by: event.agent }) }];
  }
  if (event.type === 'note') {
    const { messageId, agent, text } = event;
    return [{ ...of('note.added'), note: { messageId, agent, text } }];
  }
  if (event.type !== 'closed') return [];
  const isMissed = summary.firstReplyAt === null && (event.by === 'timeout' || isOverdue(summary, at));
  return [...(isMissed ? [of('sla.missed')] : []), of('conversation.closed')];
}

/** Whether the platform has waited in vain for a reply. */
export const isOverdue = (
  { replyBy, firstReplyAt }: Pick<ConversationSummary, 'replyBy' | 'firstReplyAt'>,
  now: number,
): boolean => firstReplyAt === null && replyBy !== null && replyBy <= now;

/**
 * The body of a webhook. Its fields are listed here, so that nothing else of a conversation leaves the desk; words, and
 * contact details of users, do with `hasContent` only.
 */
export function payloadOf(
  { type, at, conversation, by, note }: DeskEvent,
  hasContent: boolean,
): WebhookPayload {
  const { key, userId, anonymousId, email, phone } = conversation.user;
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      conversation: {
        id: conversation.id,
        conversationId: conversation.conversationId,
        bot: conversation.bot,
        state: conversation.state,
        agent: conversation.agent,
        team: conversation.team,
        requestedAt: conversation.requestedAt,
        replyBy: conversation.replyBy,
        firstReplyAt: conversation.firstReplyAt,
        ended: conversation.ended,
        tags: conversation.tags,
        priority: conversation.priority,
        user: { key, userId, anonymousId, ...(hasContent && { email, phone }) },
        ...(hasContent && { last: conversation.last }),
      },
      ...(by !== undefined && { by }),
      ...(note && {
        note: { messageId: note.messageId, agent: note.agent, ...(hasContent && { text: note.text }) },
      }),
    },
  };
}
