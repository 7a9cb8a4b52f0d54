import { createHash } from 'node:crypto';
import {
  AdapterError,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
  type MessageAuthor,
  type ParsedWebhook,
} from '../../bridge/index.js';
import { idOf, type Json, objectOf, objectsOf, textOf } from './json.js';
import { messageText } from './plain-text.js';

type Read = (payload: Json, request: InboundRequest) => readonly InboundEvent[];

/** What is heard of; Chatwoot tells of much more, such as typing and contacts. */
const READ: ReadonlyMap<unknown, Read> = new Map<unknown, Read>([
  ['message_created', readCreated],
  ['message_updated', readUpdated],
  ['conversation_status_changed', readStatus],
  ['conversation_updated', readAssigned],
]);

/** Tells what a webhook says. Those of an account and of an inbox have the same body. */
export function parse(request: InboundRequest): ParsedWebhook {
  const payload = objectOf(readJson(request.body));
  return { events: READ.get(payload.event)?.(payload, request) ?? [] };
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Without its cause: that quotes the body, which may hold people's words.
    throw unreadable('a webhook whose body is not JSON');
  }
}

function readCreated(payload: Json): readonly InboundEvent[] {
  const externalId = idOf(objectOf(payload.conversation).id);
  if (externalId === null) throw unreadable('a message without its conversation');
  return readMessage(payload, externalId);
}

function readMessage(message: Json, externalId: string): readonly InboundMessage[] {
  const messageId = idOf(message.id);
  if (messageId === null) throw unreadable('a message without its id');
  const author = authorOf(message);
  const text = author.kind === 'self' ? textOf(message.content) : messageText(message);
  if (text === '') return [];
  return [
    {
      kind: 'message',
      // The id of the message, not of the delivery: account and inbox deliver the same message, each with its own.
      id: `message ${messageId}`,
      externalId,
      author,
      text,
      // What does not say that it is for the user is not.
      internal: message.private !== false,
      messageId,
    },
  ];
}

/**
 * Chatwoot does not deliver again. What it could not deliver it marks as failed, which is an update, as is the
 * agent's click on "retry": so an update counts as the message, and has no effect where the message had it.
 */
function readUpdated(payload: Json, request: InboundRequest): readonly InboundEvent[] {
  return isFreshReply(payload, request) ? readCreated(payload) : [];
}

/**
 * An end carries the last message. Chatwoot's workers can bring the end before the reply that the agent sent with
 * it, and a reply to an ended conversation would be lost.
 */
function readStatus(payload: Json, request: InboundRequest): readonly InboundEvent[] {
  if (payload.status !== 'resolved') return [];
  const externalId = conversationOf(payload);
  const last = objectsOf(payload.messages)
    .filter((message) => idOf(message.id) !== null)
    .filter((message) => isFreshReply(message, request));
  return [
    ...last.flatMap((message) => readMessage(message, externalId)),
    {
      kind: 'closed',
      id: `resolved ${externalId} ${momentOf(payload, request)}`,
      externalId,
      // Chatwoot does not say who it was; the assignee is the likeliest.
      author: { kind: 'agent', name: nameOf(objectOf(payload.meta).assignee) },
    },
  ];
}

/** A day: what is older has had its effect, or nobody waits for it any more. */
const LATE_MS = 24 * 60 * 60 * 1000;

/** Whether a message that is told of again may still be news. A deleted one has other words in its place. */
function isFreshReply(
  { created_at, content_attributes, message_type }: Json,
  { receivedAt }: InboundRequest,
) {
  const createdAt = typeof created_at === 'number' ? created_at * 1000 : Date.parse(textOf(created_at));
  return (
    Math.abs(receivedAt - createdAt) <= LATE_MS &&
    !objectOf(content_attributes).deleted &&
    typeName(message_type) === 'outgoing'
  );
}

function readAssigned(payload: Json, request: InboundRequest): readonly InboundEvent[] {
  const changes = objectsOf(payload.changed_attributes).map(({ assignee_id }) => objectOf(assignee_id));
  const assignee = objectOf(objectOf(payload.meta).assignee);
  const isTaken = changes.some(({ current_value }) => idOf(current_value) !== null);
  if (!isTaken || assignee.type !== 'user') return [];
  const externalId = conversationOf(payload);
  return [
    {
      kind: 'joined',
      id: `assigned ${externalId} ${momentOf(payload, request)}`,
      externalId,
      author: { kind: 'agent', name: nameOf(assignee) },
    },
  ];
}

function conversationOf(payload: Json): string {
  const externalId = idOf(payload.id);
  if (externalId === null) throw unreadable('a conversation without its id');
  return externalId;
}

/** What tells one change of a conversation from the next, and is the same in both deliveries of one. */
function momentOf({ updated_at }: Json, { body }: InboundRequest): string {
  if (typeof updated_at === 'number') return String(updated_at);
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}

/**
 * Who wrote. Only we write as the contact. Greetings, surveys and the like are templates; rules, campaigns and
 * bots write as if they were agents, and Chatwoot itself does not count them as a human's answer.
 */
function authorOf({ message_type, sender, content_attributes, additional_attributes }: Json): MessageAuthor {
  const type = typeName(message_type);
  if (type === 'incoming') return { kind: 'self', name: null };
  const name = nameOf(sender);
  const isAutomatic =
    Boolean(objectOf(content_attributes).automation_rule_id) ||
    Boolean(objectOf(additional_attributes).campaign_id);
  const isHuman = type === 'outgoing' && objectOf(sender).type === 'user' && !isAutomatic;
  return { kind: isHuman ? 'agent' : 'system', name };
}

/** A message of its own has the name of its type, one within a conversation the number. */
const typeName = (type: unknown): unknown => (typeof type === 'number' ? TYPES[type] : type);
const TYPES = ['incoming', 'outgoing', 'activity', 'template'];

const nameOf = (person: unknown): string | null => textOf(objectOf(person).name).trim() || null;

const unreadable = (what: string): AdapterError => new AdapterError('invalid', `Chatwoot sent ${what}.`);
