import { hash } from 'node:crypto';
import { DEFAULT_BOT, type DeliveredEvent } from '../../events/index.js';
import type { ClaimedJob, ProcessRecord, QueueKind } from '../queue.js';
import type { SqlDatabase, SqlRow } from './sql.js';

/** Text without quotes, backslashes, control characters and surrogates: the characters that JSON escapes. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/**
 * Escapes characters that databases cannot store: PostgreSQL refuses NUL, and both replace lone surrogates. Nearly all
 * text is returned unchanged.
 */
export const encodeText = (text: string): string =>
  PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1);

/** The inverse of {@link encodeText}. */
export function decodeText(stored: unknown): string {
  const text = String(stored);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/**
 * A digest for text that is only looked up: of any length, with any characters. With the name of a receiver, equal texts
 * of receivers that share a database differ.
 */
export const digestText = (text: string, receiver: string | null = null): string =>
  hash('sha256', JSON.stringify(receiver === null ? text : [receiver, text]), 'base64url');

/** 128 bits of SHA-256: enough to tell idempotency keys apart. */
export const digestKey = (queue: string, key: string): Buffer =>
  hash('sha256', `${queue}:${encodeText(key)}`, 'buffer').subarray(0, 16);

/** Longer ids are stored as their digest: an index entry of PostgreSQL holds at most 2,704 bytes. */
const LONGEST_ID = 200;

/**
 * The form of a conversation's id in index columns. The id itself is in the content. The ids of a receiver with a name
 * begin with `#name/`, which neither an id nor a digest does. Persisted: never change it.
 */
export function conversationKey(id: string, receiver: string | null = null): string {
  const isPlain = id.length <= LONGEST_ID && !id.startsWith('#');
  const key = isPlain ? encodeText(id) : `#${digestText(id)}`;
  return receiver === null ? key : `#${receiver}/${key}`;
}

/** The name of the receiver whose conversation has this key; `null` for the receiver without a name. */
export const receiverOfKey = (key: string): string | null => /^#([^/]+)\//.exec(key)?.[1] ?? null;

/**
 * Serialises an event. The body is the JSON text as received, if available: serialising it again would cost time and
 * change nothing.
 */
export function storeEvent(event: DeliveredEvent): string {
  const { body, text, raw, name, key, bot, conversationId, receivedAt, requestId, trace } = event;
  const ids = `"key":"${encodeText(key)}","conversationId":"${encodeText(conversationId)}"`;
  const fields = `"name":"${name}",${bot === DEFAULT_BOT ? '' : `"bot":"${bot}",`}${ids}`;
  const received = `"receivedAt":${receivedAt},"requestId":"${encodeText(requestId)}"`;
  const original = raw === undefined ? '' : `,"raw":${JSON.stringify(raw)}`;
  const traced = trace === undefined ? '' : `,"trace":${JSON.stringify(trace)}`;
  return `{${fields},${received},"body":${text ?? JSON.stringify(body)}${original}${traced}}`;
}

/** The inverse of {@link storeEvent}. */
export function restoreEvent(content: string): DeliveredEvent {
  const stored = JSON.parse(content) as DeliveredEvent;
  return { ...stored, bot: stored.bot ?? DEFAULT_BOT };
}

/** Every id under which the platform knows the user of an event. */
export function userIdsOf(event: DeliveredEvent): string[] {
  const ids =
    event.name === 'message' ? event.body : event.name === 'handoff.requested' && event.body.user_info;
  if (!ids) return [];
  return [ids.user_id, ids.anonymous_id].filter((id) => id !== null);
}

/** The name of a receiver that was given none. */
export const DEFAULT_RECEIVER = 'default';

/** A queue in a database: receivers that share it have queues of their own, and each bot has its own outbox. */
interface QueueOwner {
  readonly queue: QueueKind;
  /** The name of the receiver. */
  readonly receiver: string;
  /** The bot whose replies are in an outbox. An inbox has the events of all bots. */
  readonly bot: string;
}

/**
 * The name of a queue in the database: `inbox` and `outbox` by default, `outbox/sales` for a bot, and
 * `shop:outbox/sales` for the bot of a receiver with a name. Persisted: never change it.
 */
export function queueNameOf({
  queue,
  receiver = DEFAULT_RECEIVER,
  bot = DEFAULT_BOT,
}: Pick<QueueOwner, 'queue'> & Partial<QueueOwner>): string {
  const prefix = receiver === DEFAULT_RECEIVER ? '' : `${receiver}:`;
  return `${prefix}${queue}${bot === DEFAULT_BOT ? '' : `/${bot}`}`;
}

/** The inverse of {@link queueNameOf}. */
export function queueOwnerOf(name: string): QueueOwner {
  const colon = name.indexOf(':');
  const [queue, bot = DEFAULT_BOT] = name.slice(colon + 1).split('/');
  return {
    queue: queue === 'outbox' ? 'outbox' : 'inbox',
    receiver: colon < 0 ? DEFAULT_RECEIVER : name.slice(0, colon),
    bot,
  };
}

/**
 * The names of all queues that have jobs, and of the default ones. Skips from one name to the next in the index of jobs,
 * so that it takes as many lookups as there are names.
 */
export async function readQueueNames(database: Pick<SqlDatabase, 'read' | 'table'>): Promise<string[]> {
  const jobs = database.table('job');
  const rows = await database.read(
    `WITH RECURSIVE names (queue) AS (
       SELECT min(queue) FROM ${jobs}
       UNION ALL SELECT (SELECT min(j.queue) FROM ${jobs} j WHERE j.queue > names.queue) FROM names
       WHERE names.queue IS NOT NULL)
     SELECT queue FROM names WHERE queue IS NOT NULL`,
  );
  return [...new Set(['inbox', 'outbox', ...rows.map(({ queue }) => String(queue))])];
}

/** Names as a list of SQL literals, so that a statement is planned as for one name. */
export const sqlList = (names: readonly string[]): string =>
  names.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');

/** A row of the job table that was claimed. */
export const toJob = (row: SqlRow, claim: number): ClaimedJob => ({
  id: String(row.seq),
  conversation: String(row.conversation),
  type: String(row.type),
  content: String(row.content),
  attempt: Number(row.attempts) + Number(row.interruptions) + 1,
  failures: Number(row.attempts),
  crashes: Number(row.crashes),
  interrupted: Number(row.interruptions) > 0,
  createdAt: Number(row.created_at),
  claim,
});

/** A row of the process table. An owner of claims that has none gives nothing but its name. */
export const toProcessRecord = (row: SqlRow): ProcessRecord => ({
  owner: String(row.owner),
  renewals: Number(row.renewals ?? 0),
  leaseMs: Number(row.lease_ms ?? 0),
  identity: typeof row.identity === 'string' ? row.identity : null,
});
