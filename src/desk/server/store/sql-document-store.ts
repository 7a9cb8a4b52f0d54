import { setTimeout as sleep } from 'node:timers/promises';
import {
  conversationKey,
  decodeText,
  encodeText,
  type SqlDatabase,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '../../../delivery/index.js';
import {
  type Document,
  type DocumentStore,
  type DocumentWrite,
  type JournalAppend,
  type JournalEntry,
  SEARCHED_ENTRIES,
} from './document-store.js';

/** Rows that are deleted by one statement, and the pause after it. */
const BATCH_SIZE = 1_000;
const PAUSE_MS = 10;

/** The name of the desk's migrations, and of the signal that its journal has grown. */
const COMPONENT = 'desk';

/**
 * Creates a {@link DocumentStore} in SQLite or PostgreSQL. Kinds and topics contain the name of the receiver, so that the
 * desks of receivers that share a database have separate documents. The first call creates the tables; when that fails, the
 * caller gets the error and the next call tries again.
 */
export function createSqlDocumentStore(database: SqlDatabase): DocumentStore {
  const documents = database.table('desk_document');
  const journal = database.table('desk_journal');
  const isPostgres = database.dialect === 'postgres';
  const indexOf = isPostgres ? 'strpos' : 'instr';
  let migrated: Promise<void> | undefined;

  const scoped = (text: string): string => {
    const receiver = database.receiverName();
    return receiver === null ? text : `${receiver}:${text}`;
  };
  const unscoped = (text: unknown): string => String(text).slice(scoped('').length);
  const keyOf = (conversationId: string | undefined): string | null =>
    conversationId === undefined ? null : conversationKey(conversationId, database.receiverName());
  /** The condition that a journal entry is of this receiver. */
  const isOwn = (): string =>
    database.receiverName() === null
      ? "topic NOT LIKE '%:%'"
      : `substr(topic, 1, ${scoped('').length}) = '${scoped('')}'`;

  const ready = (): Promise<void> => {
    migrated ??= database.migrate(COMPONENT, migrationsOf(database)).catch((error: unknown) => {
      migrated = undefined;
      throw error;
    });
    return migrated;
  };

  const read = async (sql: string, values: readonly SqlValue[] = []): Promise<SqlRow[]> => {
    await ready();
    return database.read(sql, values);
  };

  const putStatement = (document: DocumentWrite, now: number): SqlStatement => {
    const { kind, id, version, value, group = '', rank = now, terms = '', conversationId } = document;
    const values = [
      scoped(kind),
      encodeText(id),
      version,
      JSON.stringify(value),
      group,
      rank,
      encodeText(terms.toLowerCase()),
      keyOf(conversationId),
      now,
    ];
    // Without a row to return, the document does not have the version to be replaced.
    return { sql: version === 0 ? insertDocument : updateDocument, values, required: true };
  };
  const insertDocument = `
    INSERT INTO ${documents} (kind, id, version, value, group_name, rank, terms, conversation_id, changed_at)
    VALUES ($1, $2, $3 + 1, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING version`;
  const updateDocument = `
    UPDATE ${documents} SET version = version + 1, value = $4, group_name = $5, rank = $6, terms = $7,
      conversation_id = $8, changed_at = $9
    WHERE kind = $1 AND id = $2 AND version = $3 RETURNING version`;

  const removeStatement = ({ kind, id }: { readonly kind: string; readonly id: string }): SqlStatement => ({
    sql: `DELETE FROM ${documents} WHERE kind = $1 AND id = $2`,
    values: [scoped(kind), encodeText(id)],
  });

  const appendStatement = (entry: JournalAppend, now: number): SqlStatement => {
    const { topic, value, conversationId, terms = '' } = entry;
    const searched = terms === '' ? null : encodeText(terms.toLowerCase());
    return {
      sql: `INSERT INTO ${journal} (topic, conversation_id, value, at, terms) VALUES ($1, $2, $3, $4, $5)
        RETURNING seq, topic, value, at`,
      values: [scoped(topic), keyOf(conversationId), JSON.stringify(value), now, searched],
    };
  };

  // PostgreSQL numbers rows before it commits them. Writers that append take turns, so that numbers become visible
  // in their order: otherwise a reader could skip an entry that is committed late.
  const lockJournal: SqlStatement = {
    sql: 'SELECT pg_advisory_xact_lock(hashtext($1))',
    values: [`handoff-kit ${journal}`],
  };

  /** Removes everything of conversations, whose ids come as `conversationKey` writes them. */
  const forgetConversations = async (conversations: readonly string[]): Promise<void> => {
    await ready();
    await database.transaction(
      [documents, journal].map((table) => ({
        sql: `DELETE FROM ${table} WHERE conversation_id IN ${database.list('$1')}`,
        values: [JSON.stringify(conversations)],
      })),
    );
  };

  /** With a pause between two, so that other writers can run. */
  const deleteInBatches = async (sql: string, values: readonly SqlValue[]): Promise<void> => {
    while ((await database.write(`${sql} RETURNING 1 AS one`, values)).length === BATCH_SIZE) {
      await sleep(PAUSE_MS);
    }
  };

  const store: DocumentStore = {
    async get(kind, id) {
      const sql = `SELECT * FROM ${documents} WHERE kind = $1 AND id = $2`;
      const [row] = await read(sql, [scoped(kind), encodeText(id)]);
      return row ? toDocument(row, kind) : null;
    },
    async list(kind, { group, search, belowRank, afterId, limit = 100 } = {}) {
      const query = createConditions();
      query.add('kind = ?', scoped(kind));
      if (group !== undefined) query.add('group_name = ?', group);
      if (belowRank !== undefined && afterId === undefined) query.add('rank < ?', belowRank);
      if (belowRank !== undefined && afterId !== undefined) {
        const [rank, id] = [query.value(belowRank), query.value(encodeText(afterId))];
        query.addSql(`(rank < ${rank} OR (rank = ${rank} AND id > ${id}))`);
      }
      if (search !== undefined) query.add(`${indexOf}(terms, ?) > 0`, encodeText(search.toLowerCase()));
      const sql = `SELECT * FROM ${documents} WHERE ${query.where()} ORDER BY rank DESC, id LIMIT ${query.value(limit)}`;
      return (await read(sql, query.values)).map((row) => toDocument(row, kind));
    },
    async count(kind) {
      const sql = `SELECT group_name, count(*) AS count FROM ${documents} WHERE kind = $1 GROUP BY group_name`;
      const rows = await read(sql, [scoped(kind)]);
      return Object.fromEntries(rows.map((row) => [String(row.group_name), Number(row.count)]));
    },
    async write({ put = [], remove = [], append = [] }) {
      await ready();
      const now = Date.now();
      const results = await database.transaction([
        ...(isPostgres && append.length > 0 ? [lockJournal] : []),
        ...put.map((document) => putStatement(document, now)),
        ...remove.map(removeStatement),
        ...append.map((entry) => appendStatement(entry, now)),
      ]);
      if (!results) return null;
      if (append.length > 0) database.publish(COMPONENT);
      return {
        entries: results
          .slice(results.length - append.length)
          .flat()
          .map((row) => toEntry(row, unscoped)),
      };
    },
    async read({ after = 0, before, topics, conversationId, limit = 100 } = {}) {
      const query = createConditions();
      query.add('seq > ?', after);
      if (before !== undefined) query.add('seq < ?', before);
      const key = keyOf(conversationId);
      if (key !== null) query.add('conversation_id = ?', key);
      if (topics) query.addSql(`topic IN (${topics.map((topic) => query.value(scoped(topic))).join(', ')})`);
      else if (key === null) query.addSql(isOwn());
      const order = before === undefined ? 'seq' : 'seq DESC';
      const sql = `SELECT * FROM ${journal} WHERE ${query.where()} ORDER BY ${order} LIMIT ${query.value(limit)}`;
      const entries = (await read(sql, query.values)).map((row) => toEntry(row, unscoped));
      return before === undefined ? entries : entries.toReversed();
    },
    async search(topic, text, limit) {
      const sql = `SELECT seq, topic, value, at FROM (
          SELECT seq, topic, value, at, terms FROM ${journal} WHERE topic = $1 AND terms IS NOT NULL
          ORDER BY seq DESC LIMIT ${SEARCHED_ENTRIES}
        ) AS latest WHERE ${indexOf}(terms, $2) > 0 ORDER BY seq DESC LIMIT $3`;
      const rows = await read(sql, [scoped(topic), encodeText(text.toLowerCase()), limit]);
      return rows.map((row) => toEntry(row, unscoped));
    },
    async head() {
      const [row] = await read(`SELECT coalesce(max(seq), 0) AS head FROM ${journal}`);
      return Number(row?.head ?? 0);
    },
    watch: (onChange) => database.subscribe(COMPONENT, onChange),
    forget: (conversationIds) =>
      forgetConversations(conversationIds.map((id) => conversationKey(id, database.receiverName()))),
    async prune(before, { kind, group }) {
      await ready();
      const query = createConditions();
      query.add('kind = ?', scoped(kind));
      if (group !== undefined) query.add('group_name = ?', group);
      query.add('changed_at < ?', before.getTime());
      const some = `SELECT kind, id FROM ${documents} WHERE ${query.where()} LIMIT ${BATCH_SIZE}`;
      await deleteInBatches(`DELETE FROM ${documents} WHERE (kind, id) IN (${some})`, query.values);
    },
    async pruneJournal(before) {
      await ready();
      const some = `SELECT seq FROM ${journal} WHERE at < $1 AND ${isOwn()} LIMIT ${BATCH_SIZE}`;
      await deleteInBatches(`DELETE FROM ${journal} WHERE seq IN (${some})`, [before.getTime()]);
    },
  };
  database.onForget(forgetConversations);
  return store;
}

/** A migration that was released never changes; add another. */
function migrationsOf(database: SqlDatabase): readonly (readonly string[])[] {
  const isPostgres = database.dialect === 'postgres';
  const documents = database.table('desk_document');
  const journal = database.table('desk_journal');
  return [
    [
      `CREATE TABLE ${documents} (
        kind text NOT NULL,
        id text ${isPostgres ? 'COLLATE "C"' : ''} NOT NULL,
        version integer NOT NULL,
        value text NOT NULL,
        group_name text NOT NULL,
        rank bigint NOT NULL,
        terms text NOT NULL,
        conversation_id text,
        changed_at bigint NOT NULL,
        PRIMARY KEY (kind, id)
      )`,
      `CREATE INDEX desk_document_rank ON ${documents} (kind, rank DESC, id)`,
      `CREATE INDEX desk_document_group ON ${documents} (kind, group_name, rank DESC, id)`,
      `CREATE INDEX desk_document_changed ON ${documents} (kind, group_name, changed_at)`,
      `CREATE INDEX desk_document_conversation ON ${documents} (conversation_id) WHERE conversation_id IS NOT NULL`,
      `CREATE TABLE ${journal} (
        seq ${isPostgres ? 'bigserial PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT'},
        topic text NOT NULL,
        conversation_id text,
        value text NOT NULL,
        at bigint NOT NULL
      )`,
      `CREATE INDEX desk_journal_topic ON ${journal} (topic, seq)`,
      `CREATE INDEX desk_journal_conversation ON ${journal} (conversation_id, seq) WHERE conversation_id IS NOT NULL`,
      `CREATE INDEX desk_journal_at ON ${journal} (at)`,
    ],
    [
      `ALTER TABLE ${journal} ADD COLUMN terms text`,
      `CREATE INDEX desk_journal_terms ON ${journal} (topic, seq) WHERE terms IS NOT NULL`,
    ],
  ];
}

/** Collects the conditions of a query and numbers their parameters. */
function createConditions() {
  const values: SqlValue[] = [];
  const conditions: string[] = [];
  const value = (given: SqlValue): string => `$${values.push(given)}`;
  return {
    values,
    /** Adds a parameter; returns its name. */
    value,
    /** Adds a condition; `?` stands for the value. */
    add: (sql: string, given: SqlValue): void => void conditions.push(sql.replace('?', value(given))),
    addSql: (sql: string): void => void conditions.push(sql),
    where: (): string => conditions.join(' AND '),
  };
}

function toDocument({ id, version, value, changed_at: changedAt }: SqlRow, kind: string): Document {
  return {
    kind,
    id: decodeText(id),
    version: Number(version),
    value: JSON.parse(String(value)),
    changedAt: new Date(Number(changedAt)),
  };
}

function toEntry({ seq, topic, value, at }: SqlRow, unscoped: (text: unknown) => string): JournalEntry {
  return {
    seq: Number(seq),
    topic: unscoped(topic),
    value: JSON.parse(String(value)),
    at: new Date(Number(at)),
  };
}
