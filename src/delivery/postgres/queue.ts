import { boundDelay } from '../backoff.js';
import {
  type AddResult,
  type ClaimedJob,
  type NewJob,
  type ProcessLease,
  type Queue,
  type SettleResult,
  SUSPECT_CRASHES,
} from '../queue.js';
import { digestKey, digestText, encodeText, toJob, toProcessRecord } from '../storage/encoding.js';
import { createQueueLookups } from '../storage/queue-lookups.js';
import { USER_NOTED_MS } from '../storage/retention.js';
import type { SqlDatabase, SqlRow } from '../storage/sql.js';
import { createBatcher } from './batcher.js';

/**
 * The queue on PostgreSQL. Statements lock heads in the order of their conversation, which prevents deadlocks; claims
 * skip locked heads.
 *
 * A head stays, with `jobs = 0`, when its last job is done: deleting it could race with a process that adds a job and
 * has not committed yet. An update always sees the latest version of the row it locks. Retention removes idle heads.
 */
interface PostgresQueueOptions {
  /** Runs one statement, within a time limit. */
  readonly query: (sql: string, values: readonly unknown[]) => Promise<SqlRow[]>;
  readonly table: SqlDatabase['table'];
  readonly list: SqlDatabase['list'];
  /** SQL for the current time. */
  readonly now: string;
  readonly queue: string;
  /** Identifies this process among those that share the database. */
  readonly owner: string;
  /** Whether finished jobs keep their content. */
  readonly keepContent: boolean;
}

const UNCLAIMED = 'owner = NULL, claim = NULL, job = NULL';

interface AddEntry {
  readonly job: NewJob;
  readonly claim: number | null;
  readonly digest: Buffer;
}

export function createPostgresQueue(options: PostgresQueueOptions): Queue {
  const { query, table, list, now, queue, owner, keepContent } = options;
  const heads = table('head');
  const jobs = table('job');
  const keys = table('seen_key');

  /** Locks the claims that replies of handlers name, so that no process reclaims them before the replies are stored. */
  const HELD = `held AS (
      SELECT h.conversation, h.claim FROM ${heads} h
      JOIN given g ON g.event_queue = h.queue AND g.event_of = h.conversation AND g.event_claim = h.claim
      WHERE h.owner = $7 ORDER BY h.conversation FOR SHARE OF h
    ), `;
  const IS_HELD =
    'WHERE event_of IS NULL OR (event_of, event_claim) IN (SELECT conversation, claim FROM held)';

  const addSql = ({ fenced }: { readonly fenced: boolean }): string => `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($2::bytea[], $3::text[], $4::text[], $5::text[], $6::bigint[], $10::text[], $11::bigint[],
        $12::text[]) WITH ORDINALITY
        AS g (digest, conversation, type, content, claim, event_of, event_claim, event_queue, position)
    ), ${fenced ? HELD : ''}input AS MATERIALIZED (
      SELECT nextval('${keys}_seq_seq') AS seq, * FROM (
        SELECT * FROM given ${fenced ? IS_HELD : ''} ORDER BY position) AS ordered
    ), added_key AS (
      INSERT INTO ${keys} (seq, digest, seen_at) SELECT seq, digest, ${now} FROM input ORDER BY digest, position
      ON CONFLICT (digest) DO NOTHING RETURNING seq
    ), added AS (
      INSERT INTO ${jobs} (seq, queue, conversation, type, created_at, content)
      SELECT seq, $1, conversation, type, ${now}, content FROM input JOIN added_key USING (seq)
      RETURNING seq, conversation
    ), counted AS (
      INSERT INTO ${heads} AS h (queue, conversation, jobs, due_at, owner, claim, job)
      SELECT $1, conversation, jobs, ${now}, CASE WHEN claim IS NOT NULL THEN $7 END, claim,
        CASE WHEN claim IS NOT NULL THEN first END FROM (
        SELECT a.conversation, count(*) AS jobs, min(a.seq) AS first, (array_agg(i.claim ORDER BY a.seq))[1] AS claim
        FROM added a JOIN input i USING (seq) GROUP BY a.conversation) AS totals
      ORDER BY conversation
      ON CONFLICT (queue, conversation) DO UPDATE SET
        jobs = h.jobs + excluded.jobs,
        due_at = CASE WHEN h.jobs = 0 THEN excluded.due_at ELSE h.due_at END,
        delay_ms = CASE WHEN h.jobs = 0 THEN 0 ELSE h.delay_ms END,
        owner = CASE WHEN h.jobs = 0 AND h.owner IS NULL THEN excluded.owner ELSE h.owner END,
        claim = CASE WHEN h.jobs = 0 AND h.owner IS NULL THEN excluded.claim ELSE h.claim END,
        job = CASE WHEN h.jobs = 0 AND h.owner IS NULL THEN excluded.job ELSE h.job END
      RETURNING conversation, owner, claim
    ), users AS (
      INSERT INTO ${table('user_conversation')} AS u (user_id, conversation, seen_at)
      SELECT DISTINCT user_id, conversation, ${now} FROM unnest($8::text[], $9::text[]) AS n (user_id, conversation)
      ORDER BY user_id, conversation
      ON CONFLICT (user_id, conversation) DO UPDATE SET seen_at = excluded.seen_at
        WHERE u.seen_at < excluded.seen_at - ${USER_NOTED_MS}
    )
    SELECT i.seq, i.seq IS NULL AS refused, a.seq IS NOT NULL AS added, c.owner, c.claim,
      a.seq = min(a.seq) OVER (PARTITION BY i.conversation) AS is_first
    FROM given g LEFT JOIN input i USING (position) LEFT JOIN added a ON a.seq = i.seq
      LEFT JOIN counted c ON c.conversation = i.conversation
    ORDER BY g.position`;
  const ADD = addSql({ fenced: false });
  const ADD_FENCED = addSql({ fenced: true });

  const idsOfKeys = async (entries: readonly AddEntry[]): Promise<ReadonlyMap<string, string>> => {
    const rows = await query(`SELECT seq, digest FROM ${keys} WHERE digest = ANY($1::bytea[])`, [
      entries.map(({ digest }) => digest),
    ]);
    return new Map(rows.map(({ seq, digest }) => [(digest as Buffer).toString('hex'), String(seq)]));
  };

  const add = createBatcher<AddEntry, AddResult>(async (batch) => {
    const users = batch.flatMap(({ job }) =>
      (job.userIds ?? []).map((id) => [digestText(id), job.conversation] as const),
    );
    const rows = await query(batch.some(({ job }) => job.onBehalfOf) ? ADD_FENCED : ADD, [
      queue,
      batch.map(({ digest }) => digest),
      batch.map(({ job }) => job.conversation),
      batch.map(({ job }) => job.type),
      batch.map(({ job }) => job.content),
      batch.map(({ claim }) => claim),
      owner,
      users.map(([user]) => user),
      users.map(([, conversation]) => conversation),
      batch.map(({ job }) => job.onBehalfOf?.conversation ?? null),
      batch.map(({ job }) => job.onBehalfOf?.claim ?? null),
      batch.map(({ job }) => job.onBehalfOf?.queue ?? null),
    ]);
    const repeats = batch.filter((_entry, index) => !rows[index]?.added && !rows[index]?.refused);
    const known = repeats.length > 0 ? await idsOfKeys(repeats) : new Map<string, string>();
    return batch.map(({ claim, digest }, index): AddResult => {
      const row = rows[index];
      if (row?.refused === true) return { id: '0', isDuplicate: false, isClaimed: false, isRefused: true };
      if (row?.added !== true) {
        // Without a key, the first job was removed meanwhile. No job has the id 0, so its status is `gone`.
        return { id: known.get(digest.toString('hex')) ?? '0', isDuplicate: true, isClaimed: false };
      }
      const isClaimed =
        claim !== null && row.is_first === true && row.owner === owner && Number(row.claim) === claim;
      return { id: String(row.seq), isDuplicate: false, isClaimed };
    });
  });

  const CLAIM = `
    WITH due AS (
      SELECT conversation FROM ${heads} WHERE queue = $1 AND owner IS NULL AND jobs > 0 AND due_at <= ${now}
      ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE ${heads} h SET owner = $3, claim = $4 FROM due
    WHERE h.queue = $1 AND h.conversation = due.conversation RETURNING h.conversation, h.jobs`;

  /**
   * A separate statement: its snapshot is taken after the heads are claimed, so it contains no finished job. The heads
   * name the jobs, so that an interruption is counted on the job that ran, also if another came before it meanwhile.
   */
  const FIRST_JOBS = `
    WITH locked AS (
      SELECT conversation FROM ${heads} WHERE queue = $1 AND conversation = ANY($2::text[]) AND owner = $3 AND claim = $4
      ORDER BY conversation FOR UPDATE
    )
    UPDATE ${heads} h SET job = j.seq FROM locked l CROSS JOIN LATERAL (
      SELECT seq, type, attempts, interruptions, crashes, created_at, content FROM ${jobs}
      WHERE queue = $1 AND conversation = l.conversation AND state = 'waiting' ORDER BY seq LIMIT 1) AS j
    WHERE h.queue = $1 AND h.conversation = l.conversation RETURNING h.conversation, j.*`;

  /** Releases heads without a job, which would otherwise be claimed again and again. */
  const RESET = `
    WITH empty AS (
      SELECT h.conversation, e.jobs FROM ${heads} h
      JOIN unnest($2::text[], $3::integer[]) AS e (conversation, jobs) ON e.conversation = h.conversation
      WHERE h.queue = $1 AND h.owner = $4 AND h.claim = $5 ORDER BY h.conversation FOR UPDATE OF h
    )
    UPDATE ${heads} h SET jobs = greatest(0, h.jobs - e.jobs), ${UNCLAIMED} FROM empty e
    WHERE h.queue = $1 AND h.conversation = e.conversation`;

  /** Locks the heads of claims that are still valid: `$2` ids, `$3` conversations, `$4` claims, `$5` the owner. */
  const LOCKED = `
    WITH given AS (
      SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS g (seq, conversation, claim)
    ), locked AS (
      SELECT g.seq, h.conversation FROM ${heads} h JOIN given g ON g.conversation = h.conversation AND g.claim = h.claim
      WHERE h.queue = $1 AND h.owner = $5 ORDER BY h.conversation FOR UPDATE OF h
    )`;

  /** Ends claims whose job is done or dead. */
  const advance = (settle: string): string => `${LOCKED}, advanced AS (
      UPDATE ${heads} h SET jobs = greatest(0, h.jobs - 1), due_at = ${now}, delay_ms = 0, ${UNCLAIMED} FROM locked l
      WHERE h.queue = $1 AND h.conversation = l.conversation RETURNING l.seq, h.jobs
    ), job_settled AS (${settle})
    SELECT seq, jobs FROM advanced`;

  const COMPLETE = advance(
    keepContent
      ? `UPDATE ${jobs} j SET state = 'done', attempts = attempts + 1, error = NULL FROM advanced a WHERE j.seq = a.seq`
      : `DELETE FROM ${jobs} j USING advanced a WHERE j.seq = a.seq`,
  );
  const MAKE_DEAD = advance(
    `UPDATE ${jobs} j SET state = 'dead', attempts = attempts + 1, error = $6 FROM advanced a WHERE j.seq = a.seq`,
  );

  const resultOf = (row: SqlRow | undefined): SettleResult => {
    if (!row) return 'lost';
    return Number(row.jobs) > 0 ? 'more' : 'idle';
  };

  const complete = createBatcher<ClaimedJob, SettleResult>(async (batch) => {
    const rows = await query(COMPLETE, [queue, ...columnsOf(batch), owner]);
    const bySeq = new Map(rows.map((row) => [String(row.seq), row]));
    return batch.map(({ id }) => resultOf(bySeq.get(id)));
  });

  const POSTPONE = `
    WITH postponed AS (
      UPDATE ${heads} SET due_at = ${now} + $5::bigint, delay_ms = $5::bigint, ${UNCLAIMED}
      WHERE queue = $1 AND conversation = $2 AND owner = $3 AND claim = $4 RETURNING 1 AS one
    )
    UPDATE ${jobs} SET attempts = attempts + $6, crashes = 0, error = $7 FROM postponed WHERE seq = $8 RETURNING 1 AS one`;

  const RELEASE = `${LOCKED}, freed AS (
      UPDATE ${heads} h SET ${UNCLAIMED} FROM locked l
      WHERE h.queue = $1 AND h.conversation = l.conversation RETURNING l.seq
    )
    UPDATE ${jobs} j SET interruptions = interruptions + 1, crashes = 0 FROM freed f WHERE j.seq = f.seq AND $6`;

  const BEGIN_ALONE = `${LOCKED}
    UPDATE ${jobs} j SET crashes = crashes + 1 FROM locked l WHERE j.seq = l.seq RETURNING 1 AS one`;

  const RELEASE_UNUSED = `
    WITH unused AS (
      SELECT conversation FROM ${heads}
      WHERE queue = $1 AND owner = $2 AND claim <> ALL($3::bigint[]) AND claim < $4 ORDER BY conversation FOR UPDATE
    )
    UPDATE ${heads} h SET ${UNCLAIMED} FROM unused u
    WHERE h.queue = $1 AND h.conversation = u.conversation`;

  return {
    add: (job, claim) => add({ job, claim, digest: digestKey(queue, job.key) }),
    async claim(claim, limit) {
      const claimed = await query(CLAIM, [queue, limit, owner, claim]);
      if (claimed.length === 0) return { jobs: [], nextDueInMs: null };
      const rows = await query(FIRST_JOBS, [
        queue,
        claimed.map(({ conversation }) => conversation),
        owner,
        claim,
      ]);
      const found = new Set(rows.map(({ conversation }) => conversation));
      const empty = claimed.filter(({ conversation }) => !found.has(conversation));
      if (empty.length > 0) {
        const conversations = empty.map(({ conversation }) => conversation);
        await query(RESET, [queue, conversations, empty.map((row) => row.jobs), owner, claim]);
      }
      return { jobs: rows.map((row) => toJob(row, claim)), nextDueInMs: null };
    },
    complete,
    async fail(job, { error, retryInMs, counts }) {
      if (retryInMs === null) {
        const [row] = await query(MAKE_DEAD, [queue, ...columnsOf([job]), owner, encodeText(error)]);
        return resultOf(row);
      }
      const { id, conversation, claim } = job;
      const delayMs = boundDelay(retryInMs);
      const values = [queue, conversation, owner, claim, delayMs, counts ? 1 : 0, encodeText(error), id];
      return (await query(POSTPONE, values)).length > 0 ? 'idle' : 'lost';
    },
    async release(released, { interrupted }) {
      if (released.length === 0) return;
      await query(RELEASE, [queue, ...columnsOf(released), owner, interrupted]);
    },
    async releaseUnused(inUse, before) {
      await query(RELEASE_UNUSED, [queue, owner, inUse, before]);
    },
    ...createQueueLookups({ read: query, table, list }, queue, () => owner),
    beginAlone: async (job) => (await query(BEGIN_ALONE, [queue, ...columnsOf([job]), owner])).length > 0,
  };
}

const columnsOf = (jobs: readonly ClaimedJob[]): unknown[] => [
  jobs.map(({ id }) => id),
  jobs.map(({ conversation }) => conversation),
  jobs.map(({ claim }) => claim),
];

interface PostgresLeaseOptions extends Pick<PostgresQueueOptions, 'query' | 'table' | 'now' | 'owner'> {
  /** Like `query`, for renewals: it waits for no other statement, and soon gives up a connection that is dead. */
  readonly queryToRenew: PostgresQueueOptions['query'];
}

export function createPostgresLease(options: PostgresLeaseOptions): ProcessLease {
  const { query, queryToRenew, table, now, owner } = options;
  const heads = table('head');
  const jobs = table('job');
  const processes = table('process');

  const RENEW = `
    WITH renewed AS (
      UPDATE ${processes} SET renewals = $2, lease_ms = $3, identity = $4 WHERE owner = $1 RETURNING owner
    ), added AS (
      INSERT INTO ${processes} (owner, renewals, lease_ms, identity)
      SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM renewed) RETURNING owner
    )
    SELECT ${now} AS now, EXISTS (SELECT 1 FROM added) AS is_new`;

  /** An owner without a row died during a claim, or made one after a pause during which its row was removed. */
  const OTHERS = `
    SELECT owner, renewals, lease_ms, identity FROM ${processes} WHERE owner <> $1
    UNION ALL SELECT DISTINCT owner, 0, 0, NULL FROM ${heads} h
    WHERE owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${processes} p WHERE p.owner = h.owner)`;

  /** Releases the heads of the owners in the relation `dead`. */
  const FREE = `
    owned AS (
      SELECT h.queue, h.conversation, h.job FROM ${heads} h JOIN dead d ON d.owner = h.owner
      ORDER BY h.queue, h.conversation FOR UPDATE OF h
    ), freed AS (
      UPDATE ${heads} h SET ${UNCLAIMED} FROM owned o
      WHERE h.queue = o.queue AND h.conversation = o.conversation RETURNING o.job
    )`;

  const RECLAIM = `
    WITH removed AS (DELETE FROM ${processes} WHERE owner = $1 AND renewals = $2 RETURNING owner),
    dead AS MATERIALIZED (
      SELECT $1::text AS owner WHERE EXISTS (SELECT 1 FROM removed)
        OR NOT EXISTS (SELECT 1 FROM ${processes} WHERE owner = $1)
    ), ${FREE}, interrupted AS (
      UPDATE ${jobs} SET interruptions = interruptions + 1,
        crashes = greatest(crashes, least(crashes + 1, ${SUSPECT_CRASHES}))
      WHERE seq IN (SELECT job FROM freed)
    )
    SELECT count(*) AS count FROM freed`;

  const BOUND_DUE_TIMES = `
    WITH late AS (
      SELECT queue, conversation FROM ${heads} WHERE due_at > ${now} + delay_ms
      ORDER BY queue, conversation FOR UPDATE
    )
    UPDATE ${heads} h SET due_at = ${now} + delay_ms FROM late l
    WHERE h.queue = l.queue AND h.conversation = l.conversation AND h.due_at > ${now} + delay_ms`;

  return {
    async renew({ renewals, leaseMs, identity }) {
      // The first has no claims to keep, and a process does not start if it fails: it may take as long as other calls.
      const run = renewals === 1 ? query : queryToRenew;
      const [row] = await run(RENEW, [owner, renewals, leaseMs, identity]);
      const others = await run(OTHERS, [owner]);
      return { isNew: row?.is_new === true, now: Number(row?.now), others: others.map(toProcessRecord) };
    },
    async reclaim({ owner: dead, renewals }) {
      const [row] = await query(RECLAIM, [dead, renewals]);
      return Number(row?.count ?? 0);
    },
    async boundDueTimes() {
      await query(BOUND_DUE_TIMES, []);
    },
    async end() {
      await query(`WITH dead AS (SELECT $1 AS owner), ${FREE} SELECT 1 AS one FROM freed`, [owner]);
      await query(`DELETE FROM ${processes} WHERE owner = $1`, [owner]);
    },
  };
}
