import { describe, expect, it } from 'vitest';
import type { Queue } from '../../src/delivery/queue.js';
import { createSqlHandoffStore } from '../../src/delivery/storage/handoff-store.js';
import { createQueueAdmin } from '../../src/delivery/storage/queue-admin.js';
import { startRetention } from '../../src/delivery/storage/retention.js';
import type { SqlDatabase, SqlValue } from '../../src/delivery/storage/sql.js';
import { eventually } from '../delivery/contract/stage.js';
import { fresh, link } from './contract/stage.js';

/** A database that explains each statement. */
export interface ExplainedDatabase {
  readonly sql: SqlDatabase;
  /** A statement's plan, as the database prints it. */
  readonly explain: (sql: string, values: readonly SqlValue[]) => Promise<string>;
  /** Matches plans that read a whole table. */
  readonly scan: RegExp;
  /** A queue that records its statements. */
  readonly inbox: Queue;
}

/** Retention reads all heads for those that are idle, once a minute. */
const ONCE_A_MINUTE = 'jobs = 0 AND owner IS NULL AND due_at < $1';

/** Every statement finds its rows by an index. */
export function describeTables(
  name: string,
  open: (note: (sql: string, values: readonly SqlValue[]) => void) => Promise<ExplainedDatabase>,
): void {
  describe(`the tables of ${name}`, () => {
    it('are read by an index in every statement that runs for events and conversations', async () => {
      const noted = new Map<string, readonly SqlValue[]>();
      const note = (sql: string, values: readonly SqlValue[] = []) => void noted.set(sql, values);
      const { sql, explain, scan, inbox } = await open(note);
      const database: SqlDatabase = {
        ...sql,
        read: (text, values) => {
          note(text, values);
          return sql.read(text, values);
        },
        write: (text, values) => {
          note(text, values);
          return sql.write(text, values);
        },
        transaction: (statements) => {
          for (const { sql: text, values } of statements) note(text, values);
          return sql.transaction(statements);
        },
      };
      await useConversations(database);
      await useQueue(inbox);
      await useAdmin(database, sql);
      expect(noted.size).toBeGreaterThan(35);
      for (const [text, values] of noted) {
        if (!text.includes(ONCE_A_MINUTE)) expect(await explain(text, values), text).not.toMatch(scan);
      }
    });
  });
}

async function useConversations(database: SqlDatabase): Promise<void> {
  const store = createSqlHandoffStore(database, false);
  await store.create(fresh('c'));
  await store.update('c', 1, { state: 'waiting', link: link('7') });
  expect(await store.findByLink('desk', '7')).toMatchObject({ id: 'c' });
  const after = { id: 'd', changedAt: new Date(Date.now() + 60_000) };
  for (const filter of [
    {},
    { states: ['waiting', 'closed'], adapter: 'desk' },
    { userKey: 'conversation:c', changedBefore: new Date(Date.now() + 60_000), after },
    { states: ['waiting'], after },
  ] as const)
    expect(await store.list(filter)).toHaveLength(1);
  await store.addIdempotencyKey('seen', 60_000);
  await store.hasIdempotencyKey('seen');
  await store.removeIdempotencyKey('seen');
  await store.moveCursor('desk', null, '1');
  await store.moveCursor('desk', '1', '2');
  await store.cursor('desk');
  await store.lease('poll', 'one', 60_000);
  await store.release('poll', 'one');
  await store.forget('unknown user');
  await store.prune(new Date(0));
}

async function useQueue(inbox: Queue): Promise<void> {
  const job = (key: string) => ({
    key,
    conversation: key,
    type: 'message',
    content: '{}',
    userIds: ['ada'],
  });
  for (const key of ['a', 'b', 'c', 'd']) await inbox.add(job(key), null);
  await inbox.add(job('a'), null);
  const { jobs } = await inbox.claim(1, 4);
  const [first, second, third, fourth] = jobs;
  if (!first || !second || !third || !fourth) throw new Error('four jobs were added');
  const failure = { error: 'no', retryInMs: null, counts: true };
  await inbox.beginAlone(first);
  await inbox.complete(first);
  await inbox.fail(second, failure);
  await inbox.fail(third, { ...failure, retryInMs: 1 });
  await inbox.release([fourth], { interrupted: true });
  await inbox.releaseUnused([1], 2);
  await inbox.has('a');
  await inbox.statusOf([first.id, second.id]);
}

/** `plain` is the same database without recording. */
async function useAdmin(database: SqlDatabase, plain: SqlDatabase): Promise<void> {
  const admin = createQueueAdmin(database, []);
  const [dead] = await admin.list('inbox', { state: 'dead', conversationId: 'b' });
  await admin.show('inbox', dead?.id ?? '');
  expect(await admin.retry('inbox', dead?.id ?? '')).toBe(true);
  expect(await admin.discard('inbox', dead?.id ?? '')).toBe(false);
  await admin.check();
  const failures: unknown[] = [];
  const stop = startRetention({
    database,
    handoffs: createSqlHandoffStore(database, false),
    rememberMs: 1,
    onError: (error) => failures.push(error),
  });
  await eventually(async () => {
    const [row] = await plain.read(`SELECT count(*) AS count FROM ${plain.table('seen_key')}`);
    expect(Number(row?.count)).toBe(3);
  });
  stop();
  expect(failures).toEqual([]);
  // Three jobs, and the conversation of one of them.
  expect(await admin.forget('ada')).toBe(4);
}
