import { z } from 'zod';
import {
  asObject,
  asText,
  type InboundAttachment,
  type InboundEvent,
  type InboundRequest,
  type MessageAuthor,
  type ParsedWebhook,
  readAs,
  type SignatureVerdict,
  verifySecret,
} from '../../bridge/index.js';
import { parseJsonOrText } from '../../internal/index.js';
import type { chatSchema } from './api.js';

const textField = z.string().nullish();

/** An event in a chat: a message, a file, a rich message, a system message. */
export const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  created_at: textField,
  author_id: textField,
  text: textField,
  name: textField,
  url: textField,
  content_type: textField,
  elements: z
    .array(z.object({ title: textField, subtitle: textField }))
    .nullish()
    .catch(null),
  /** Called `recipients` before version 3.5. */
  visibility: textField,
  recipients: textField,
});
type ChatEvent = z.output<typeof eventSchema>;

const incomingEvent = z.object({ chat_id: z.string(), thread_id: z.string(), event: eventSchema });
const chatDeactivated = z.object({ chat_id: z.string(), thread_id: z.string(), user_id: textField });
const userAdded = z.object({
  chat_id: z.string(),
  thread_id: z.string(),
  user_type: z.string(),
  user: z.object({ id: z.string(), name: textField }),
});
/** The payloads that the adapter reads, by the action of the webhook. */
export const PAYLOADS = {
  incoming_event: incomingEvent,
  chat_deactivated: chatDeactivated,
  user_added_to_chat: userAdded,
} as const;

const webhookSchema = z.object({ action: z.string(), payload: z.unknown() });

const jsonOf = (body: Buffer): unknown => parseJsonOrText(body.toString('utf8'));

/** The secret key of the webhook is a field of the body. */
export function verify(secrets: readonly string[], { body }: InboundRequest): SignatureVerdict {
  return verifySecret({ secrets, given: asText(asObject(jsonOf(body)).secret_key) });
}

/** Translates a webhook. Other actions are ignored. */
export function parse({ body }: InboundRequest): ParsedWebhook {
  const message = 'LiveChat sent a webhook without an action.';
  const { action, payload } = readAs(webhookSchema, jsonOf(body), message);
  const unknownForm = `LiveChat sent ${action} in an unknown form.`;
  if (action === 'incoming_event')
    return { events: messageEvents(readAs(incomingEvent, payload, unknownForm)) };
  if (action === 'chat_deactivated')
    return { events: [closedEvent(readAs(chatDeactivated, payload, unknownForm))] };
  if (action === 'user_added_to_chat')
    return { events: joinedEvents(readAs(userAdded, payload, unknownForm)) };
  return { events: [] };
}

/** The external id of a conversation. */
export const threadKey = (chatId: string, threadId: string): string => `${chatId}/${threadId}`;

/** Whether an event of a chat contains a text. */
export const hasText = ({ thread }: z.output<typeof chatSchema>, text: string): boolean =>
  (thread?.events ?? []).some((event) => asText(asObject(event).text).includes(text));

function messageEvents({ chat_id, thread_id, event }: z.output<typeof incomingEvent>): InboundEvent[] {
  const text = eventText(event);
  const attachments = fileOf(event);
  if (text === '' && attachments.length === 0) return [];
  return [
    {
      kind: 'message',
      id: `event ${event.id}`,
      externalId: threadKey(chat_id, thread_id),
      author: authorOf(event.type === 'system_message' ? null : event.author_id),
      text,
      // Supervisors whisper to agents.
      internal: (event.visibility ?? event.recipients) !== 'all',
      ...(attachments.length > 0 && { attachments }),
      messageId: event.id,
    },
  ];
}

/** What agents did in a chat since a time, in the order of its thread. A thread that is not active is closed. */
export function chatEvents({ id, thread }: z.output<typeof chatSchema>, since: Date): InboundEvent[] {
  if (!thread) return [];
  const replies = (thread.events ?? []).flatMap((value) => {
    const event = eventSchema.safeParse(value);
    if (!event.success || Date.parse(event.data.created_at ?? '') < since.getTime()) return [];
    return messageEvents({ chat_id: id, thread_id: thread.id, event: event.data });
  });
  if (thread.active) return replies;
  // The thread does not say who closed it.
  const author = { kind: 'agent', name: null } as const;
  return [...replies, { ...closedEvent({ chat_id: id, thread_id: thread.id }), author }];
}

const closedEvent = ({ chat_id, thread_id, user_id }: z.output<typeof chatDeactivated>): InboundEvent => ({
  kind: 'closed',
  id: `deactivated ${thread_id}`,
  externalId: threadKey(chat_id, thread_id),
  author: authorOf(user_id),
});

function joinedEvents({ chat_id, thread_id, user, user_type }: z.output<typeof userAdded>): InboundEvent[] {
  const { kind } = authorOf(user.id);
  if (user_type !== 'agent' || kind !== 'agent') return [];
  const author = { kind, name: user.name?.trim() || null };
  const externalId = threadKey(chat_id, thread_id);
  return [{ kind: 'joined', id: `joined ${thread_id} ${user.id}`, externalId, author }];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of an agent is an e-mail address, that of a customer a UUID, that of a bot a hash. Webhooks do not name the
 * author otherwise. Only this adapter writes as a customer of its chats.
 */
function authorOf(id: string | null | undefined): MessageAuthor {
  if (id?.includes('@')) return { kind: 'agent', name: null };
  return { kind: id && UUID.test(id) ? 'self' : 'system', name: null };
}

/** An event as plain text: its text, or its cards. */
function eventText({ text, elements }: ChatEvent): string {
  const cards = (elements ?? []).map(({ title, subtitle }) => [title, subtitle].filter(Boolean).join(': '));
  return [text?.trim() ?? '', ...cards].filter((line) => line !== '').join('\n');
}

function fileOf({ type, name, url, content_type }: ChatEvent): readonly InboundAttachment[] {
  if (type !== 'file') return [];
  return [{ name: name || 'file', contentType: content_type ?? null, url: url ?? null }];
}
