import { z } from 'zod';
import {
  type InboundAttachment,
  type InboundEvent,
  type InboundRequest,
  type MessageAuthor,
  type ParsedWebhook,
  parseJson,
  readAs,
  type SignatureVerdict,
  verifySignature,
} from '../../bridge/index.js';
import { readBody } from './body.js';

/** Begins the messages that the adapter writes in the name of an admin, who is also an agent. */
export const NOTICE_PREFIX = '[handoff] ';

/** A text or a number, never what `String` makes of anything else. */
const valueSchema = z.union([z.string(), z.number()]).transform(String);
const idSchema = valueSchema.refine((id) => id !== '');

/** An entry of a conversation: a comment, a note, an assignment, a close. Any of them can carry a text. */
export const partSchema = z.object({
  id: idSchema,
  part_type: z.string(),
  /** In seconds. */
  created_at: z.number().nullish(),
  body: z.string().nullish(),
  author: z
    .object({
      type: z.string().nullish(),
      id: valueSchema.nullish(),
      name: z.string().nullish(),
      from_ai_agent: z.boolean().nullish(),
      is_ai_answer: z.boolean().nullish(),
    })
    .nullish(),
  assigned_to: z.object({ type: z.string().nullish(), id: valueSchema.nullish() }).nullish(),
  attachments: z
    .array(
      z.object({ name: z.string().nullish(), url: z.string().nullish(), content_type: z.string().nullish() }),
    )
    .nullish(),
});
type Part = z.output<typeof partSchema>;

/** Parts whose text the contact sees. Notes are internal, and so is whatever this adapter does not know. */
const VISIBLE_TYPES: ReadonlySet<string> = new Set(
  'comment quick_reply assignment assign_and_reopen assign_and_unsnooze open close snoozed unsnoozed'.split(
    ' ',
  ),
);

/** A conversation with parts; in a webhook only the newest. */
export const conversationSchema = z.object({
  id: idSchema,
  conversation_parts: z.object({ conversation_parts: z.array(z.unknown()) }).nullish(),
});

const notificationSchema = z.object({ topic: z.string(), data: z.object({ item: z.unknown() }) });

/** Intercom signs the body with the app's client secret. It signs no time. */
export function verify(
  secrets: readonly string[],
  { headers, body, receivedAt }: InboundRequest,
): SignatureVerdict {
  const header = headers['x-hub-signature'];
  if (!header) return 'unsigned';
  const [, signature] = /^sha1=(.+)$/.exec(header) ?? [];
  if (signature === undefined) return 'forged';
  return verifySignature({ secrets, payload: body, signature, algorithm: 'sha1', receivedAt });
}

/** Translates a notification. Other topics than those of admins, and the ping of a new subscription, are ignored. */
export function parse({ body }: InboundRequest): ParsedWebhook {
  const notification = parseJson(body, 'Intercom sent a webhook whose body is not JSON.');
  const { topic, data } = readAs(
    notificationSchema,
    notification,
    'Intercom sent a webhook without a topic.',
  );
  if (!topic.startsWith('conversation.admin.')) return { events: [] };
  const conversation = readAs(
    conversationSchema,
    data.item,
    `Intercom sent ${topic} without a conversation.`,
  );
  return { events: conversationEvents(conversation) };
}

/** The events of a conversation's parts, in their order; only those since a time if there is one. */
export function conversationEvents(
  { id, conversation_parts: parts }: z.output<typeof conversationSchema>,
  since = new Date(0),
): InboundEvent[] {
  const sinceSeconds = Math.floor(since.getTime() / 1000);
  return (parts?.conversation_parts ?? []).flatMap((value) => {
    const part = partSchema.safeParse(value);
    if (!part.success || (part.data.created_at ?? sinceSeconds) < sinceSeconds) return [];
    return partEvents(id, part.data);
  });
}

/**
 * A part has the same id in every webhook. Agents can write while they close, assign or reopen: the text comes first.
 */
function partEvents(externalId: string, part: Part): InboundEvent[] {
  const { text, attachments } = partContent(part);
  const author = authorOf(part, text);
  const id = `part ${part.id}`;
  const events: InboundEvent[] = [];
  if (text !== '' || attachments.length > 0) {
    const internal = !VISIBLE_TYPES.has(part.part_type);
    const files = attachments.length > 0 ? { attachments } : {};
    events.push({ kind: 'message', id, externalId, author, text, internal, ...files, messageId: part.id });
  }
  if (part.assigned_to?.type === 'admin') {
    // The part names only its author. The agent who is assigned is another one, unless the ids are the same.
    const name = part.assigned_to.id === part.author?.id ? author.name : null;
    events.push({ kind: 'joined', id: `${id} assigned`, externalId, author: { kind: 'agent', name } });
  }
  if (part.part_type === 'close') events.push({ kind: 'closed', id: `${id} closed`, externalId, author });
  return events;
}

/** Only this adapter writes as the contact, and closes with this prefix. Fin, bots and workflows are no humans. */
function authorOf({ author, part_type }: Part, text: string): MessageAuthor {
  const name = author?.name?.trim() || null;
  const isOwnClose = part_type === 'close' && text.startsWith(NOTICE_PREFIX);
  if (author?.type === 'user' || author?.type === 'lead' || isOwnClose) return { kind: 'self', name: null };
  const isAgent = author?.type === 'admin' && !author.from_ai_agent && !author.is_ai_answer;
  return { kind: isAgent ? 'agent' : 'system', name };
}

interface PartContent {
  readonly text: string;
  readonly attachments: readonly InboundAttachment[];
}

/** Shown for a comment whose content the webhook does not tell. */
const UNKNOWN_CONTENT: InboundAttachment = { name: 'a message without text', contentType: null, url: null };

function partContent({ body, attachments: files, part_type }: Part): PartContent {
  const { text, media } = readBody(body?.trim() ?? '');
  const attachments = [
    ...media,
    ...(files ?? []).map(({ name, url, content_type }) => ({
      name: name ?? 'file',
      contentType: content_type ?? null,
      url: url ?? null,
    })),
  ];
  const isUnknown = part_type === 'comment' && text === '' && attachments.length === 0;
  return { text, attachments: isUnknown ? [UNKNOWN_CONTENT] : attachments };
}
