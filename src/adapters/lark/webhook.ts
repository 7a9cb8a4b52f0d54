import { createDecipheriv, hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import {
  AdapterError,
  asObject,
  asText,
  type InboundEvent,
  type InboundRequest,
  isObject,
  type JsonObject,
  type MessageAuthor,
  type ParsedWebhook,
  parseJson,
  readAgentMessage,
  readAs,
  type SignatureVerdict,
  verifySecret,
} from '../../bridge/index.js';
import { readButton, rootCard } from './card.js';
import { type Mention, readContent } from './content.js';
import type { CheckedSettings } from './settings.js';

const textField = z.string().nullish();
const idsSchema = z.object({ open_id: textField });

/** The content of `im.message.receive_v1` that the adapter reads. */
export const messageSchema = z.object({
  sender: z.object({ sender_id: idsSchema.nullish(), sender_type: z.string() }),
  message: z.object({
    message_id: z.string(),
    root_id: textField,
    thread_id: textField,
    chat_id: z.string(),
    message_type: z.string(),
    content: z.string(),
    mentions: z.array(z.object({ key: z.string(), id: idsSchema, name: z.string() })).nullish(),
  }),
});

/** The content of `card.action.trigger` that the adapter reads. */
export const clickSchema = z.object({
  operator: idsSchema.nullish(),
  action: z.object({ value: z.unknown().optional() }).nullish(),
  context: z.object({ open_message_id: textField, open_chat_id: textField }).nullish(),
});

const envelopeSchema = z.object({
  header: z.object({ event_id: z.string(), event_type: z.string() }),
  event: z.unknown(),
});

/** Seconds. With a digit more or less, a part of the nonce could be taken for one of the time. */
const TIMESTAMP = /^\d{10}$/;
const TOLERANCE_MS = 300_000;

/**
 * Lark signs with a hash of the time, a nonce, the Encrypt Key and the body. Requests that verify an address have no
 * signature: they have the Verification Token in their encrypted body, and no events.
 */
export function verify(settings: CheckedSettings, request: InboundRequest): SignatureVerdict {
  const { headers, body, receivedAt } = request;
  const signature = headers['x-lark-signature'];
  if (!signature) return isAddressVerification(settings, body) ? 'genuine' : 'unsigned';
  const timestamp = headers['x-lark-request-timestamp'] ?? '';
  const nonce = headers['x-lark-request-nonce'] ?? '';
  if (!TIMESTAMP.test(timestamp) || !/^[0-9a-f]{64}$/i.test(signature)) return 'forged';
  const given = Buffer.from(signature, 'hex');
  const isRight = settings.encryptKeys
    .map((key) => Buffer.concat([Buffer.from(timestamp + nonce + key), body]))
    .map((signed) => timingSafeEqual(given, hash('sha256', signed, 'buffer')))
    .includes(true);
  if (!isRight) return 'forged';
  return Math.abs(receivedAt - Number(timestamp) * 1_000) <= TOLERANCE_MS ? 'genuine' : 'stale';
}

function isAddressVerification({ encryptKeys, verificationTokens }: CheckedSettings, body: Buffer): boolean {
  try {
    const { type, token } = readBody(encryptKeys, body);
    return (
      type === 'url_verification' &&
      verifySecret({ secrets: verificationTokens, given: asText(token) }) === 'genuine'
    );
  } catch {
    return false;
  }
}

const UNREADABLE = 'Lark sent a request that cannot be read.';

/** The JSON of a request, decrypted. */
function readBody(encryptKeys: readonly string[], body: Buffer): JsonObject {
  const outer = parseJson(body, UNREADABLE);
  const { encrypt } = asObject(outer);
  const inner = typeof encrypt === 'string' ? decrypted(encryptKeys, encrypt) : outer;
  if (isObject(inner)) return inner;
  throw new AdapterError('invalid', UNREADABLE);
}

/** AES-256-CBC with the hash of the Encrypt Key; the first block is the initialization vector. */
function decrypted(encryptKeys: readonly string[], encrypt: string): unknown {
  const bytes = Buffer.from(encrypt, 'base64');
  for (const key of encryptKeys) {
    try {
      const decipher = createDecipheriv('aes-256-cbc', hash('sha256', key, 'buffer'), bytes.subarray(0, 16));
      const text = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
      return JSON.parse(text.toString('utf8'));
    } catch {
      // Encrypted with another key.
    }
  }
  throw new AdapterError('invalid', 'Lark sent a request that none of the Encrypt Keys decrypts.');
}

/** Translates a request. Other events are ignored. */
export function parse(settings: CheckedSettings, { body }: InboundRequest): ParsedWebhook {
  const payload = readBody(settings.encryptKeys, body);
  if (payload.type === 'url_verification') {
    return { events: [], response: json({ challenge: asText(payload.challenge) }) };
  }
  const { header, event } = readAs(envelopeSchema, payload, UNREADABLE);
  const unknownForm = `Lark sent ${header.event_type} in an unknown form.`;
  if (header.event_type === 'im.message.receive_v1')
    return { events: receivedEvents(readAs(messageSchema, event, unknownForm), settings) };
  if (header.event_type === 'card.action.trigger')
    return parseClick(readAs(clickSchema, event, unknownForm), header.event_id, settings);
  return { events: [] };
}

const json = (body: object): NonNullable<ParsedWebhook['response']> => ({
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

function receivedEvents(
  { sender, message }: z.output<typeof messageSchema>,
  settings: CheckedSettings,
): InboundEvent[] {
  if (message.chat_id !== settings.chat || !message.root_id) return [];
  const mentions = (message.mentions ?? []).map(({ key, id, name }) => ({
    key,
    name,
    openId: id.open_id ?? '',
  }));
  return messageEvents(
    {
      id: message.message_id,
      root: message.root_id,
      inThread: Boolean(message.thread_id),
      type: message.message_type,
      content: message.content,
      mentions,
      sender: { id: sender.sender_id?.open_id ?? '', type: sender.sender_type },
    },
    settings,
  );
}

/** A message of a thread, from an event or from a list. */
export interface ThreadMessage {
  readonly id: string;
  /** The first message of the thread, which identifies the conversation. */
  readonly root: string;
  /** `false` for one that only quotes the first message, in the chat itself. */
  readonly inThread: boolean;
  readonly type: string;
  readonly content: string;
  readonly mentions: readonly Mention[];
  readonly sender: { readonly id: string; readonly type: string };
}

/** Translates a message into a message, a close, both or nothing. */
export function messageEvents(message: ThreadMessage, settings: CheckedSettings): InboundEvent[] {
  if (message.type === 'system') return [];
  const { id, root: externalId, inThread } = message;
  const author = authorOf(message.sender, settings);
  const { text, attachments } = readContent(message.type, message.content, message.mentions, settings);
  const read =
    author.kind === 'agent' && inThread
      ? readAgentMessage(text, settings)
      : { text, internal: !inThread, closes: false };
  return [
    ...(read.text === '' && attachments.length === 0
      ? []
      : [
          {
            kind: 'message',
            id,
            externalId,
            author,
            text: read.text,
            internal: read.internal,
            ...(attachments.length > 0 && { attachments }),
            messageId: id,
          } as const,
        ]),
    ...(read.closes ? [{ kind: 'closed', id: `${id}:close`, externalId, author } as const] : []),
  ];
}

/** A list identifies our bot by the id of the app, an event by its open id. */
function authorOf(
  { id, type }: ThreadMessage['sender'],
  { appId, botOpenId, names }: CheckedSettings,
): MessageAuthor {
  if (id === appId || id === botOpenId) return { kind: 'self', name: null };
  return type === 'user' ? agentOf(id, names) : { kind: 'system', name: null };
}

/** The bridge asks for the name of an agent who is not listed. */
function agentOf(id: string, names: CheckedSettings['names']): MessageAuthor {
  const name = names.get(id) ?? null;
  return { kind: 'agent', name, ...(name === null && id !== '' && { id }) };
}

/** A click on a button of the first message. The answer shows everybody who clicked. */
function parseClick(
  { operator, action, context }: z.output<typeof clickSchema>,
  eventId: string,
  { chat, names }: CheckedSettings,
): ParsedWebhook {
  const button = readButton(action?.value);
  const externalId = context?.open_message_id ?? '';
  const by = operator?.open_id ?? '';
  if (!button || externalId === '' || by === '' || context?.open_chat_id !== chat)
    return { events: [], response: json({}) };
  const author = agentOf(by, names);
  const isClaim = button.action === 'claim';
  const card = rootCard(button.content, { kind: isClaim ? 'taken' : 'closed', by });
  return {
    events: [
      isClaim
        ? { kind: 'joined', id: `${externalId}:joined:${by}`, externalId, author }
        : { kind: 'closed', id: `${externalId}:button:${eventId}`, externalId, author },
    ],
    response: json({
      toast: { type: 'success', content: isClaim ? 'The conversation is yours.' : 'Conversation closed.' },
      card: { type: 'raw', data: card },
    }),
  };
}
