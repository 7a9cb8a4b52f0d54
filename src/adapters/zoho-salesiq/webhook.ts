import { z } from 'zod';
import {
  AdapterError,
  type InboundEvent,
  type InboundRequest,
  type ParsedWebhook,
  parseJson,
  readAs,
} from '../../bridge/index.js';

const textField = z.string().nullish();
const person = z.object({ id: z.coerce.string().nullish(), name: textField, type: textField }).nullish();

const webhookSchema = z.object({
  event: z.string(),
  /** The id of the conversation. */
  entity_id: z.coerce.string(),
  entity: z
    .object({
      message: z.object({ msgid: z.coerce.string(), sender: person, text: textField }).nullish(),
      owner: person,
      ended_by: textField,
      end_time: z.coerce.string().nullish(),
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
  return [
    {
      kind: 'message',
      id: `message ${msgid}`,
      externalId,
      // Zobots reply, too.
      author: { kind: sender?.type === 'operator' ? 'agent' : 'system', name: sender?.name?.trim() || null },
      text: message.text?.trim() || NO_TEXT,
      // Notes of operators bring no webhook.
      internal: false,
      messageId: msgid,
    },
  ];
}

function joinedEvents({ entity_id: externalId, entity }: Webhook): InboundEvent[] {
  const owner = entity?.owner;
  if (!owner?.id || owner.type !== 'operator') return [];
  const author = { kind: 'agent', name: owner.name?.trim() || null } as const;
  return [{ kind: 'joined', id: `attended ${externalId} ${owner.id}`, externalId, author }];
}

/** A missed conversation is one that no operator took in time. */
function closedEvents({ event, entity_id: externalId, entity }: Webhook): InboundEvent[] {
  const isOperator = event === 'conversation.completed' && entity?.ended_by === 'agent';
  const id = `${event} ${externalId} ${entity?.end_time ?? ''}`;
  return [{ kind: 'closed', id, externalId, author: { kind: isOperator ? 'agent' : 'system', name: null } }];
}
