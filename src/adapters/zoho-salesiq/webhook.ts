import { z } from 'zod';
import {
  AdapterError,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
  keyHash,
  type ParsedWebhook,
  parseJson,
  readAs,
} from '../../bridge/index.js';
import { idSchema, type TranscriptMessage, valueSchema } from './api.js';

const textField = z.string().nullish();
const person = z.object({ id: valueSchema.nullish(), name: textField, type: textField }).nullish();

const webhookSchema = z.object({
  event: z.string(),
  /** The id of the conversation. */
  entity_id: idSchema,
  entity: z
    .object({
      message: z.object({ msgid: idSchema, sender: person, text: textField }).nullish(),
      owner: person,
      ended_by: textField,
      end_time: valueSchema.nullish(),
    })
    .nullish(),
});
type Webhook = z.output<typeof webhookSchema>;

/** Shown for a message without a text, whose form Zoho does not document. */
const NO_TEXT = '[file]';

/** Translates a webhook. Other events are ignored. */
export function parse({ body }: InboundRequest): ParsedWebhook {
  const message = 'Zoho SalesIQ sent a webhook in an unknown form.';
  const webhook = readAs(webhookSchema, parseJson(body, message), message);
  return { events: PARSERS.get(webhook.event)?.(webhook) ?? [] };
}

const PARSERS: ReadonlyMap<string, (webhook: Webhook) => InboundEvent[]> = new Map([
  ['conversation.operator.replied', messageEvents],
  ['conversation.attender.updated', joinedEvents],
  ['conversation.completed', closedEvents],
  ['conversation.missed', closedEvents],
]);

function messageEvents({ entity_id: externalId, entity }: Webhook): InboundEvent[] {
  const message = entity?.message;
  if (!message) throw new AdapterError('invalid', 'Zoho SalesIQ sent a reply without a message.');
  const { msgid, sender } = message;
  // Zobots reply, too.
  const kind = sender?.type === 'operator' ? 'agent' : 'system';
  return [messageEvent(externalId, msgid, message.text, { kind, name: sender?.name?.trim() || null })];
}

/** Notes of operators bring no webhook, and are not part of the transcript. */
function messageEvent(
  externalId: string,
  id: string,
  given: string | null | undefined,
  author: InboundMessage['author'],
): InboundMessage {
  const text = given?.trim() || NO_TEXT;
  // Zoho does not document whether webhooks and transcripts name a message by the same id.
  const sameAs = keyHash({ key: text.replace(/\s+/g, ' ') });
  return {
    kind: 'message',
    id: `message ${id}`,
    externalId,
    author,
    text,
    internal: false,
    messageId: id,
    sameAs,
  };
}

/** The id of an operator is a number; those of visitors and Zobots begin with another character. */
const OPERATOR_ID = /^\d+$/;

/** What operators wrote, in order, and the end. Files are left to their webhooks, since Zoho does not document their form. */
export function listedEvents(
  externalId: string,
  messages: readonly TranscriptMessage[],
  endTime: string | null,
): InboundEvent[] {
  const replies = messages.flatMap(({ id, sender, message }) => {
    if (!message?.text?.trim() || !OPERATOR_ID.test(sender?.id ?? '')) return [];
    return [
      messageEvent(externalId, id, message.text, { kind: 'agent', name: sender?.name?.trim() || null }),
    ];
  });
  if (endTime === null) return replies;
  const author = { kind: 'agent', name: null } as const;
  return [
    ...replies,
    { kind: 'closed', id: closedId('conversation.completed', externalId, endTime), externalId, author },
  ];
}

const closedId = (event: string, externalId: string, endTime: string | null | undefined): string =>
  `${event} ${externalId} ${endTime ?? ''}`;

function joinedEvents({ entity_id: externalId, entity }: Webhook): InboundEvent[] {
  const owner = entity?.owner;
  if (!owner?.id || owner.type !== 'operator') return [];
  const author = { kind: 'agent', name: owner.name?.trim() || null } as const;
  return [{ kind: 'joined', id: `attended ${externalId} ${owner.id}`, externalId, author }];
}

/** A missed conversation is one that no operator took in time. */
function closedEvents({ event, entity_id: externalId, entity }: Webhook): InboundEvent[] {
  const isOperator = event === 'conversation.completed' && entity?.ended_by === 'agent';
  const id = closedId(event, externalId, entity?.end_time);
  return [{ kind: 'closed', id, externalId, author: { kind: isOperator ? 'agent' : 'system', name: null } }];
}
