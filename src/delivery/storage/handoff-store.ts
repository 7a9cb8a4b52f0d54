import { DEFAULT_BOT } from '../../events/index.js';
import {
  applyConversationChange,
  type Conversation,
  type ConversationFilter,
  type ConversationState,
  createConversation,
  type HandoffStore,
} from '../../handoff/index.js';
import { conversationKey, decodeText, digestText, encodeText } from './encoding.js';
import type { SqlDatabase, SqlRow, SqlValue } from './sql.js';

/** Rows per statement; larger batches would block other writers. */
const BATCH_SIZE = 1_000;

const COLUMNS =
  'conversation, version, state, user_key, user_id, anonymous_id, adapter, link, requested_at, changed_at, closed_at, content';
const PARAMETERS = '$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12';

const ALL_STATES = ['requested', 'waiting', 'connected', 'closing', 'closed', 'failed'] as const;

/**
 * Creates a {@link HandoffStore} in a database. Receivers that share the database are kept apart by the keys of their
 * rows, which contain the receiver's name.
 * `keepContent`: whether transcripts are kept after the end.
 */
export function createSqlHandoffStore(database: SqlDatabase, keepContent: boolean): HandoffStore {
  const { now, receiverName } = database;
  const keyOf = (id: string): string => conversationKey(id, receiverName());
  const digest = (text: string): string => digestText(text, receiverName());
  const table = database.table('conversation');
  const keys = database.table('idempotency_key');
  const cursors = database.table('cursor');
  const leases = database.table('task_lease');

  const find = async (where: string, values: readonly SqlValue[]): Promise<Conversation | null> => {
    const [row] = await database.read(`SELECT content FROM ${table} WHERE ${where}`, values);
    return row ? restoreConversation(row) : null;
  };
  const get = (id: string): Promise<Conversation | null> => find('conversation = $1', [keyOf(id)]);

  const wrote = async (sql: string, values: readonly SqlValue[]): Promise<boolean> =>
    (await database.write(sql, values)).length > 0;

  const removeAll = async (
    from: string,
    key: string,
    where: string,
    values: readonly SqlValue[],
  ): Promise<number> => {
    const sql = `DELETE FROM ${from} WHERE ${key} IN (SELECT ${key} FROM ${from} WHERE ${where} LIMIT ${BATCH_SIZE}) RETURNING 1 AS one`;
    let removed = 0;
    for (let count = BATCH_SIZE; count === BATCH_SIZE; removed += count) {
      count = (await database.write(sql, values)).length;
    }
    return removed;
  };

  return {
    get,
    async create(conversation) {
      const known = await get(conversation.id);
      if (known) return { conversation: known, created: false };
      const first = createConversation(conversation, Date.now());
      const created = await wrote(
        `INSERT INTO ${table} (${COLUMNS}) VALUES (${PARAMETERS}) ON CONFLICT DO NOTHING RETURNING 1 AS one`,
        columnsOf(first, receiverName()),
      );
      return { conversation: created ? first : ((await get(conversation.id)) ?? first), created };
    },
    findByLink: (adapter, externalId) =>
      find('link = $1 ORDER BY requested_at DESC, conversation DESC LIMIT 1', [
        linkKey(adapter, externalId, receiverName()),
      ]),
    async update(id, version, change) {
      const found = await find('conversation = $1 AND version = $2', [keyOf(id), version]);
      if (!found) return null;
      const next = applyConversationChange(found, change, { now: Date.now(), keepContent });
      const updated = await wrote(
        `UPDATE ${table} SET (${COLUMNS}) = (${PARAMETERS})
         WHERE conversation = $1 AND version = $13 RETURNING 1 AS one`,
        [...columnsOf(next, receiverName()), version],
      );
      return updated ? next : null;
    },
    async list(filter = {}) {
      if (filter.states?.length === 0) return [];
      const values: SqlValue[] = [];
      const rows = await database.read(listStatement(table, filter, receiverName(), values), values);
      return rows.map(restoreConversation);
    },
    addIdempotencyKey: (key, keepMs) =>
      wrote(
        `INSERT INTO ${keys} AS k (key, expires_at) VALUES ($1, ${now} + $2)
         ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE k.expires_at <= ${now}
         RETURNING 1 AS one`,
        [digest(key), keepMs],
      ),
    async hasIdempotencyKey(key) {
      const sql = `SELECT 1 AS one FROM ${keys} WHERE key = $1 AND expires_at > ${now}`;
      return (await database.read(sql, [digest(key)])).length > 0;
    },
    async removeIdempotencyKey(key) {
      await database.write(`DELETE FROM ${keys} WHERE key = $1`, [digest(key)]);
    },
    async cursor(name) {
      const [row] = await database.read(`SELECT position FROM ${cursors} WHERE name = $1`, [digest(name)]);
      return row ? decodeText(row.position) : null;
    },
    moveCursor: (name, from, to) =>
      from === null
        ? wrote(
            `INSERT INTO ${cursors} (name, position) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1 AS one`,
            [digest(name), encodeText(to)],
          )
        : wrote(`UPDATE ${cursors} SET position = $3 WHERE name = $1 AND position = $2 RETURNING 1 AS one`, [
            digest(name),
            encodeText(from),
            encodeText(to),
          ]),
    // A lease that ends much later than a new one would is from before the clock was set back.
    lease: (name, owner, forMs) =>
      wrote(
        `INSERT INTO ${leases} AS l (name, owner, expires_at) VALUES ($1, $2, ${now} + $3)
         ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
         WHERE l.owner = excluded.owner OR l.expires_at <= ${now} OR l.expires_at > ${now} + 2 * $3
         RETURNING 1 AS one`,
        [digest(name), digest(owner), forMs],
      ),
    async release(name, owner) {
      await database.write(`DELETE FROM ${leases} WHERE name = $1 AND owner = $2`, [
        digest(name),
        digest(owner),
      ]);
    },
    forget: (userId) =>
      removeAll(table, 'conversation', `(user_id = $1 OR anonymous_id = $1) AND ${isOf(receiverName())}`, [
        digestText(userId),
      ]),
    async prune(closedBefore) {
      await removeAll(keys, 'key', `expires_at <= ${now}`, []);
      await removeAll(leases, 'name', `expires_at <= ${now}`, []);
      return removeAll(table, 'conversation', 'closed_at < $1', [closedBefore.getTime()]);
    },
  };
}

const linkKey = (adapter: string, externalId: string, receiver: string | null): string =>
  digestText(JSON.stringify([adapter, externalId]), receiver);

/** The state of a conversation in its column, where it separates the receivers in the index. */
const stateKey = (state: ConversationState, receiver: string | null): string =>
  receiver === null ? state : `${receiver}:${state}`;

/** The condition that a conversation is a receiver's. */
const isOf = (receiver: string | null): string =>
  receiver === null
    ? "conversation NOT LIKE '#%/%'"
    : `substr(conversation, 1, ${receiver.length + 2}) = '#${receiver}/'`;

const digestOrNull = (text: string | null): string | null => (text === null ? null : digestText(text));

/** Lookup columns, then the whole conversation as JSON, in the order of {@link COLUMNS}. */
function columnsOf(conversation: Conversation, receiver: string | null): SqlValue[] {
  const { id, version, state, user, link, closure, requestedAt, changedAt } = conversation;
  return [
    conversationKey(id, receiver),
    version,
    stateKey(state, receiver),
    digestText(user.key, receiver),
    digestOrNull(user.userId),
    digestOrNull(user.anonymousId),
    link && digestText(link.adapter, receiver),
    link && linkKey(link.adapter, link.externalId, receiver),
    requestedAt.getTime(),
    changedAt.getTime(),
    closure?.at.getTime() ?? null,
    JSON.stringify(conversation),
  ];
}

export function restoreConversation({ content }: SqlRow): Conversation {
  const stored = JSON.parse(String(content)) as Conversation;
  const { closure } = stored;
  return {
    ...stored,
    bot: stored.bot ?? DEFAULT_BOT,
    requestedAt: new Date(stored.requestedAt),
    replyBy: new Date(stored.replyBy),
    firstReplyAt: stored.firstReplyAt && new Date(stored.firstReplyAt),
    changedAt: new Date(stored.changedAt),
    closure: closure && { ...closure, at: new Date(closure.at) },
  };
}

/**
 * The SQL of `list`; adds its parameters to `values`. Each state is read in index order and the parts are merged:
 * one condition for several states would sort the whole table.
 */
function listStatement(
  table: string,
  filter: ConversationFilter,
  receiver: string | null,
  values: SqlValue[],
): string {
  const { states = ALL_STATES, userKey, adapter, linked } = filter;
  const { changedBefore, changedAfter, after, limit = 100 } = filter;
  const parameter = (value: SqlValue): string => `$${values.push(value)}`;
  const order = 'ORDER BY changed_at DESC, conversation DESC';

  const part = (which: string): string => {
    const conditions = [
      which,
      ...(adapter === undefined ? [] : [`adapter = ${parameter(digestText(adapter, receiver))}`]),
      ...(linked === undefined ? [] : [`link IS ${linked ? 'NOT ' : ''}NULL`]),
      ...(changedBefore ? [`changed_at < ${parameter(changedBefore.getTime())}`] : []),
      ...(changedAfter ? [`changed_at > ${parameter(changedAfter.getTime())}`] : []),
      ...(after
        ? [
            `(changed_at, conversation) < (${parameter(after.changedAt.getTime())}, ${parameter(conversationKey(after.id, receiver))})`,
          ]
        : []),
    ];
    return `SELECT content, changed_at, conversation FROM ${table} WHERE ${conditions.join(' AND ')}
      ${order} LIMIT ${parameter(limit)}`;
  };

  const stored = states.map((state) => `'${stateKey(state, receiver)}'`);
  const inStates = `state IN (${stored.join(', ')})`;
  const parts =
    userKey === undefined
      ? stored.map((state) => part(`state = ${state}`))
      : [part(`user_key = ${parameter(digestText(userKey, receiver))} AND ${inStates}`)];
  const merged = parts.map((each, index) => `SELECT * FROM (${each}) AS part_${index}`).join(' UNION ALL ');
  return `SELECT content FROM (${merged}) AS parts ${order} LIMIT ${parameter(limit)}`;
}
