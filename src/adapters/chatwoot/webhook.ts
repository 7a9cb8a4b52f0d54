import { createHash } from 'node:crypto';
import {
  type AdapterCall,
  AdapterError,
  asObject,
  asObjects,
  asText,
  type ConversationRef,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
  type JsonObject,
  type MessageAuthor,
  nullIf,
  type ParsedWebhook,
  parseJson,
  type SignatureVerdict,
  verifySignature,
} from '../../bridge/index.js';
import { contactOf } from './close.js';
import { filesOf, messageText } from './plain-text.js';
import { asId, type PublicApi } from './public-api.js';

const SIGNATURE = /^sha256=(.+)$/;
const UNIX_SECONDS = /^\d{1,12}$/;

/** Chatwoot signs `<timestamp>.<body>`. Inboxes before Chatwoot 4.13 send no signature and are refused. */
export function verify(
  secrets: readonly string[],
  { headers, body, receivedAt }: InboundRequest,
): SignatureVerdict {
  const signature = headers['x-chatwoot-signature'];
  const timestamp = headers['x-chatwoot-timestamp'];
  if (!signature || !timestamp) return 'unsigned';
  const [, hex] = SIGNATURE.exec(signature) ?? [];
  if (hex === undefined || !UNIX_SECONDS.test(timestamp)) return 'forged';
  return verifySignature({
    secrets,
    payload: Buffer.concat([Buffer.from(`${timestamp}.`), body]),
    signature: hex,
    signedAt: Number(timestamp) * 1000,
    receivedAt,
  });
}

type EventParser = (payload: JsonObject, request: InboundRequest) => readonly InboundEvent[];

/** Other events, such as typing and contacts, are ignored. */
const PARSERS: ReadonlyMap<unknown, EventParser> = new Map<unknown, EventParser>([
  ['message_created', parseCreated],
  ['message_updated', parseUpdated],
  ['conversation_status_changed', parseStatus],
  ['conversation_updated', parseAssigned],
]);

/** Translates a webhook into events. Account webhooks and inbox webhooks have the same body. */
export function parse(request: InboundRequest): ParsedWebhook {
  const payload = asObject(parseJson(request.body, 'Chatwoot sent a webhook whose body is not JSON.'));
  return { events: PARSERS.get(payload.event)?.(payload, request) ?? [] };
}

function parseCreated(payload: JsonObject): readonly InboundEvent[] {
  const externalId = asId(asObject(payload.conversation).id);
  if (externalId === null) throw unreadable('a message without its conversation');
  return parseMessage(payload, externalId);
}

/** The event of a message, which has the same id however it is read. */
export function parseMessage(message: JsonObject, externalId: string): readonly InboundMessage[] {
  const messageId = asId(message.id);
  if (messageId === null) throw unreadable('a message without its id');
  const author = authorOf(message);
  const text = author.kind === 'self' ? asText(message.content) : messageText(message);
  const attachments = filesOf(message);
  if (text === '' && attachments.length === 0) return [];
  return [
    {
      kind: 'message',
      // Not the delivery id: account and inbox webhooks deliver the same message under different ones.
      id: `message ${messageId}`,
      externalId,
      author,
      text,
      // Internal unless Chatwoot says otherwise.
      internal: message.private !== false,
      ...(attachments.length > 0 && { attachments }),
      messageId,
    },
  ];
}

/**
 * Chatwoot does not redeliver. It marks an undelivered message as failed, which is an update, as is the agent's click
 * on "retry". An update therefore counts as the message; the bridge drops it when the message arrived before.
 */
function parseUpdated(payload: JsonObject, request: InboundRequest): readonly InboundEvent[] {
  return isFreshReply(payload, request) ? parseCreated(payload) : [];
}

/**
 * A status change carries the last message. Chatwoot's workers can deliver it before the reply that the agent sent
 * just before, and a reply after the close would be lost: so the reply is read here too.
 */
function parseStatus(payload: JsonObject, request: InboundRequest): readonly InboundEvent[] {
  if (payload.status !== 'resolved') return [];
  const externalId = conversationIdOf(payload);
  const lastReplies = asObjects(payload.messages)
    .filter((message) => asId(message.id) !== null)
    .filter((message) => isFreshReply(message, request));
  return [
    ...lastReplies.flatMap((message) => parseMessage(message, externalId)),
    {
      kind: 'closed',
      id: `resolved ${externalId} ${changeIdOf(payload, request)}`,
      externalId,
      // The webhook does not name the agent; the assignee is the most likely one.
      author: { kind: 'agent', name: nameOf(asObject(payload.meta).assignee) },
    },
  ];
}

/** An older message took effect before, or comes too late. */
const MAX_REPLY_AGE_MS = 24 * 60 * 60 * 1000;

/** Whether a repeated message may still be new. A deleted message carries a placeholder text. */
function isFreshReply(
  { created_at, content_attributes, message_type }: JsonObject,
  { receivedAt }: InboundRequest,
) {
  const createdAt = typeof created_at === 'number' ? created_at * 1000 : Date.parse(asText(created_at));
  return (
    Math.abs(receivedAt - createdAt) <= MAX_REPLY_AGE_MS &&
    !asObject(content_attributes).deleted &&
    typeName(message_type) === 'outgoing'
  );
}

function parseAssigned(payload: JsonObject, request: InboundRequest): readonly InboundEvent[] {
  const changes = asObjects(payload.changed_attributes).map(({ assignee_id }) => asObject(assignee_id));
  const assignee = asObject(asObject(payload.meta).assignee);
  const isTaken = changes.some(({ current_value }) => asId(current_value) !== null);
  if (!isTaken || assignee.type !== 'user') return [];
  const externalId = conversationIdOf(payload);
  return [
    {
      kind: 'joined',
      id: `assigned ${externalId} ${changeIdOf(payload, request)}`,
      externalId,
      author: { kind: 'agent', name: nameOf(assignee) },
    },
  ];
}

function conversationIdOf(payload: JsonObject): string {
  const externalId = asId(payload.id);
  if (externalId === null) throw unreadable('a conversation without its id');
  return externalId;
}

/** Tells changes of a conversation apart, and is equal in repeated deliveries of one change. */
function changeIdOf({ updated_at }: JsonObject, { body }: InboundRequest): string {
  if (typeof updated_at === 'number') return String(updated_at);
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}

/**
 * Only this adapter writes as the contact. Greetings and surveys are templates. Automation rules, campaigns and bots
 * write as agents, and Chatwoot itself does not count their messages as a human's reply. Chatwoot's Slack integration
 * writes without a sender when it finds no account for a person in Slack, and adds the person's name.
 */
function authorOf({
  message_type,
  sender,
  content_attributes,
  additional_attributes,
}: JsonObject): MessageAuthor {
  const type = typeName(message_type);
  if (type === 'incoming') return { kind: 'self', name: null };
  const { campaign_id, sender_name } = asObject(additional_attributes);
  const slackName = sender === null || sender === undefined ? asText(sender_name).trim() : '';
  const isAutomatic = Boolean(asObject(content_attributes).automation_rule_id) || Boolean(campaign_id);
  const isPerson = asObject(sender).type === 'user' || slackName !== '';
  const isAgent = type === 'outgoing' && isPerson && !isAutomatic;
  return { kind: isAgent ? 'agent' : 'system', name: nameOf(sender) ?? (slackName || null) };
}

/** A message event has the name of the type, a message within a conversation its number. */
const typeName = (type: unknown): unknown => (typeof type === 'number' ? MESSAGE_TYPES[type] : type);
const MESSAGE_TYPES = ['incoming', 'outgoing', 'activity', 'template'];

const nameOf = (person: unknown): string | null => asText(asObject(person).name).trim() || null;

const unreadable = (what: string): AdapterError => new AdapterError('invalid', `Chatwoot sent ${what}.`);

/**
 * Lists the messages of a conversation in the order of their ids, and its close. Chatwoot's workers send webhooks in any
 * order and only once.
 *
 * The public API has no authors of messages that came through Chatwoot's Slack integration: they are listed as the
 * system's, and count when their webhooks arrive. It does not tell campaigns from replies; Chatwoot refuses campaigns
 * for API inboxes. Of a conversation that is too large to read, the last 20 messages are listed, without the close.
 */
export async function listEvents(
  api: PublicApi,
  ref: ConversationRef,
  since: Date,
  call: AdapterCall,
): Promise<readonly InboundEvent[]> {
  const { externalId } = ref;
  const contact = contactOf(ref);
  const conversation = await api.conversation(contact, externalId, call).catch(nullIf('invalid'));
  const messages = conversation?.messages ?? (await api.latestMessages(contact, externalId, call));
  const replies = messages
    .filter((message) => isSince(message, since) && !isDeleted(message))
    .toSorted((one, other) => Number(asId(one.id)) - Number(asId(other.id)))
    .flatMap((message) => parseMessage({ ...message, private: false }, externalId));
  if (conversation?.status !== 'resolved') return replies;
  // Another id than that of the webhook, which names the time. The second of the two finds an ended conversation.
  const author = { kind: 'agent', name: null } as const;
  return [...replies, { kind: 'closed', id: `resolved ${externalId}`, externalId, author }];
}

const isSince = ({ created_at }: JsonObject, since: Date): boolean =>
  typeof created_at === 'number' && created_at >= Math.floor(since.getTime() / 1000);

/** A deleted message carries a placeholder text. */
const isDeleted = ({ content_attributes }: JsonObject): boolean =>
  Boolean(asObject(content_attributes).deleted);
