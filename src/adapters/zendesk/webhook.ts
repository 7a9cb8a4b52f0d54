import { z } from 'zod';
import {
  type InboundAttachment,
  type InboundEvent,
  type InboundRequest,
  type MessageAuthor,
  type ParsedWebhook,
  parseJson,
  readAs,
} from '../../bridge/index.js';
import { conversationSchema } from './api.js';

const textField = z.string().nullish();

/** A message of any type: text, image, file, location, carousel and others. */
export const messageSchema = z.object({
  id: z.string(),
  author: z.object({ type: z.string(), displayName: textField }),
  content: z.object({
    text: textField,
    altText: textField,
    mediaUrl: textField,
    mediaType: textField,
    actions: z
      .array(z.object({ text: textField, uri: textField }))
      .nullish()
      .catch(null),
    items: z
      .array(z.object({ title: textField, description: textField }))
      .nullish()
      .catch(null),
  }),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  deleted: z.boolean().nullish(),
});
type Message = z.output<typeof messageSchema>;

/** An event; `message` only in `conversation:message`. */
export const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  payload: z.object({ conversation: conversationSchema, message: messageSchema.nullish() }),
});

const requestSchema = z.object({ events: z.array(z.object({ type: z.string() }).loose()) });

/** Translates a webhook request, which carries several events in their order. Other events are ignored. */
export function parse({ body }: InboundRequest, agentIntegration: string): ParsedWebhook {
  const json = parseJson(body, 'Zendesk sent a webhook whose body is not JSON.');
  const request = readAs(requestSchema, json, 'Zendesk sent a webhook without events.');
  return {
    events: request.events
      .filter(({ type }) => /^(conversation:message|switchboard:(release|pass)Control)$/.test(type))
      .map((value) => readAs(eventSchema, value, `Zendesk sent ${value.type} in an unknown form.`))
      .flatMap((event) => toEvents(event, agentIntegration)),
  };
}

function toEvents(
  { id, type, payload: { conversation, message } }: z.output<typeof eventSchema>,
  agentIntegration: string,
): InboundEvent[] {
  const externalId = conversation.id;
  if (type === 'conversation:message') return message ? messageEvents(externalId, message) : [];
  // Control that is passed to the agents begins a conversation; passed to anything else, it ends there.
  const active = conversation.activeSwitchboardIntegration?.name ?? null;
  if (type === 'switchboard:passControl' && (active === null || active === agentIntegration)) return [];
  // Zendesk does not name the one who ended it.
  return [{ kind: 'closed', id: `event ${id}`, externalId, author: { kind: 'agent', name: null } }];
}

/** The events of listed messages, in their order. */
export function listedEvents(externalId: string, messages: readonly unknown[]): InboundEvent[] {
  return messages.flatMap((value) => {
    const message = messageSchema.safeParse(value);
    return message.success ? messageEvents(externalId, message.data) : [];
  });
}

function messageEvents(externalId: string, message: Message): InboundEvent[] {
  const text = messageText(message);
  const attachments = fileOf(message);
  if ((text === '' && attachments.length === 0) || message.deleted) return [];
  return [
    {
      kind: 'message',
      id: `message ${message.id}`,
      externalId,
      author: authorOf(message),
      text,
      // Internal notes of a ticket stay in Zendesk.
      internal: false,
      ...(attachments.length > 0 && { attachments }),
      messageId: message.id,
    },
  ];
}

/** Set on messages that a human wrote in the Agent Workspace. */
const AGENT_METADATA = '__zendesk_msg.agent.id';

/** Only this adapter writes as the user. Messages of the business without an agent come from bots and triggers. */
function authorOf({ author: { type, displayName }, metadata }: Message): MessageAuthor {
  if (type === 'user') return { kind: 'self', name: null };
  const isAgent = type === 'business' && Boolean(metadata?.[AGENT_METADATA]);
  return { kind: isAgent ? 'agent' : 'system', name: displayName?.trim() || null };
}

/** A message as plain text: its text, its items and its links. */
function messageText({ content: { text, actions, items } }: Message): string {
  const join = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(': ');
  const lines = [
    text?.trim() ?? '',
    ...(items ?? []).map(({ title, description }) => join(title, description)),
    ...(actions ?? []).map((action) => join(action.text, action.uri)),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** The file of an image or file message. Its alternative text is its name. */
function fileOf({ content: { altText, mediaUrl, mediaType } }: Message): readonly InboundAttachment[] {
  if (!mediaUrl) return [];
  return [{ name: altText || 'file', contentType: mediaType ?? null, url: mediaUrl }];
}
