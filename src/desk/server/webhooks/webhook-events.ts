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
  switch (event.type) {
    case 'opened':
      return [of('conversation.opened')];
    case 'claimed':
    case 'assigned':
      return [of('conversation.claimed')];
    case 'transferred':
      return [{ ...of('conversation.claimed'), ...(event.agent !== event.to && { by: event.agent }) }];
    case 'closed':
      return [
        ...(summary.firstReplyAt === null && (event.by === 'timeout' || isOverdue(summary, at))
          ? [of('sla.missed')]
          : []),
        of('conversation.closed'),
      ];
    case 'note': {
      const { messageId, agent, text } = event;
      return [{ ...of('note.added'), note: { messageId, agent, text } }];
    }
    default:
      return [];
  }
}

/** Whether the platform has waited in vain for a reply. */
export const isOverdue = (
  { replyBy, firstReplyAt }: Pick<ConversationSummary, 'replyBy' | 'firstReplyAt'>,
  now: number,
): boolean => firstReplyAt === null && replyBy !== null && replyBy <= now;

/** The body of a webhook. Words, and contact details of users, are in it with `hasContent` only. */
export function payloadOf(
  { type, at, conversation, by, note }: DeskEvent,
  hasContent: boolean,
): WebhookPayload {
  const { id, conversationId, bot, state, agent, team, requestedAt, replyBy, firstReplyAt, ended } =
    conversation;
  const { user, tags, priority, last } = conversation;
  const { email, phone, ...ids } = user;
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      conversation: {
        ...{ id, conversationId, bot, state, agent, team, requestedAt, replyBy, firstReplyAt, ended },
        ...{ tags, priority },
        user: hasContent ? { ...ids, email, phone } : ids,
        ...(hasContent && { last }),
      },
      ...(by !== undefined && { by }),
      ...(note && {
        note: { messageId: note.messageId, agent: note.agent, ...(hasContent && { text: note.text }) },
      }),
    },
  };
}
