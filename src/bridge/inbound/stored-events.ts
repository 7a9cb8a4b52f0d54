import type { SqlDatabase } from '../../delivery/index.js';
import { createTaskCounter, settlesWithin } from '../../internal/index.js';
import { AdapterError, type InboundEvent } from '../adapter/adapter-types.js';
import { type BridgeContext, repeatInBackground } from '../bridge-context.js';
import { pause } from '../calls/adapter-calls.js';
import { isByAgent } from './order-events.js';
import type { EventReceiver } from './receive-events.js';

/**
 * Stores the events of a webhook, so that it can be answered before they are applied: a helpdesk waits a few seconds for
 * the answer, and its own list, or a conversation that is being opened, may take longer.
 *
 *     webhook ─> stored ─> answered
 *                   └────> applied ─> removed
 *                             └ fails ─> applied again after a wait
 *
 * The process that stored them applies them. Once it has not renewed its claim for half a minute, another one does.
 */
export interface StoredEvents {
  /** Resolves when the events are stored. They are applied in the order of these calls. */
  accept(events: readonly InboundEvent[]): Promise<void>;
  /** Keeps claims, and takes over events of processes that have ended, until the bridge stops. */
  run(): Promise<void>;
  /** Resolves when no event is being applied. */
  idle(): Promise<void>;
}

const RENEW_EVERY_MS = 10_000;
const CLAIM_LASTS_MS = 30_000;
/** Events per look. */
const MAX_TAKEN = 100;
/** The waits between tries grow from `retry.firstWaitMs` times this, a second by default. */
const FIRST_WAITS = 5;
const MAX_WAIT_MS = 30_000;
/** Events that cannot be applied for this long are given up. */
const GIVE_UP_AFTER_MS = 86_400_000;
/** How long a process that stops waits for events that are being applied. */
const STOP_WITHIN_MS = 1_000;

/** The events of one webhook. */
interface StoredRequest {
  readonly id: string;
  readonly events: readonly InboundEvent[];
  readonly arrivedAt: number;
}

/** Whether users notice an event. A lost echo or note has no consequence. */
const isNoticed = (event: InboundEvent): boolean =>
  event.kind === 'closed' ? event.author.kind !== 'self' : isByAgent(event);

export function createStoredEvents(
  bridge: BridgeContext,
  events: EventReceiver,
  database: SqlDatabase,
): StoredEvents {
  const { adapter, settings, stopSignal, instanceId, log } = bridge;
  const table = database.table('bridge_event');
  const claimed = new Set<string>();
  const running = createTaskCounter();
  let migrated: Promise<void> | undefined;
  let count = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();

  const scope = (): string => JSON.stringify([database.receiverName(), adapter.name]);
  const migrate = (): Promise<void> => {
    migrated ??= database.migrate('bridge-events', migrationsOf(database)).catch((error: unknown) => {
      migrated = undefined;
      throw error;
    });
    return migrated;
  };

  const store = async (arrived: readonly InboundEvent[]): Promise<StoredRequest> => {
    count += 1;
    const id = `${instanceId} ${String(count).padStart(12, '0')}`;
    const arrivedAt = Date.now();
    await migrate();
    await database.write(
      `INSERT INTO ${table} (id, scope, events, arrived_at, claimed_at) VALUES ($1, $2, $3, $4, ${database.now})`,
      [id, scope(), JSON.stringify(arrived), arrivedAt],
    );
    return { id, events: arrived, arrivedAt };
  };

  const remove = (id: string) => database.write(`DELETE FROM ${table} WHERE id = $1`, [id]);

  /** Whether they are applied or given up. */
  const tryApply = async ({ id, events: arrived, arrivedAt }: StoredRequest): Promise<boolean> => {
    try {
      await events.receive(arrived);
    } catch (error) {
      if (stopSignal.aborted) return false;
      const isGivenUp = Date.now() - arrivedAt > GIVE_UP_AFTER_MS;
      const level = isGivenUp || !(error instanceof AdapterError) ? 'error' : 'warn';
      const what = isGivenUp ? 'they are given up' : 'they are tried again';
      log[level]({ err: error, eventIds: arrived.map((each) => each.id) }, `events not applied yet; ${what}`);
      if (!isGivenUp) return false;
    }
    return remove(id).then(
      () => true,
      // They are applied once more, without effect.
      () => false,
    );
  };

  const apply = async (request: StoredRequest): Promise<void> => {
    running.enter();
    claimed.add(request.id);
    for (let tries = 0; !(await tryApply(request)) && !stopSignal.aborted; tries += 1) {
      const waitMs = settings.retry.firstWaitMs * FIRST_WAITS * 2 ** Math.min(tries, 10);
      await pause(Math.min(waitMs, MAX_WAIT_MS), stopSignal);
    }
    // A process that stops gives its claims up together.
    if (!stopSignal.aborted) claimed.delete(request.id);
    running.leave();
  };

  const applyUnstored = async (arrived: readonly InboundEvent[]): Promise<void> => {
    running.enter();
    await events.receive(arrived).catch((error: unknown) => {
      log.debug({ err: error }, 'events without effect could not be read');
    });
    running.leave();
  };

  const setClaims = async (sql: string): Promise<void> => {
    if (claimed.size === 0) return;
    await database.write(`UPDATE ${table} SET claimed_at = ${sql} WHERE id IN ${database.list('$1')}`, [
      JSON.stringify([...claimed]),
    ]);
  };

  const takeOver = async (): Promise<void> => {
    const lock = database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    const rows = await database.write(
      `UPDATE ${table} SET claimed_at = ${database.now} WHERE id IN
        (SELECT id FROM ${table} WHERE scope = $1 AND claimed_at <= ${database.now} - ${CLAIM_LASTS_MS}
         ORDER BY arrived_at, id LIMIT ${MAX_TAKEN} ${lock})
       RETURNING id, events, arrived_at`,
      [scope()],
    );
    const requests = rows
      .map((row) => ({
        id: String(row.id),
        events: JSON.parse(String(row.events)) as InboundEvent[],
        arrivedAt: Number(row.arrived_at),
      }))
      .filter(({ id }) => !claimed.has(id))
      .toSorted((one, other) => one.arrivedAt - other.arrivedAt || (one.id < other.id ? -1 : 1));
    if (requests.length > 0) log.info({ requests: requests.length }, 'events of a process that ended');
    for (const request of requests) void apply(request);
  };

  return {
    async accept(arrived) {
      if (!arrived.some(isNoticed)) {
        void applyUnstored(arrived);
        return;
      }
      const stored = store(arrived);
      // The database may store a later request first.
      const turn = lastTurn.then(() => stored).then((request) => void apply(request));
      lastTurn = turn.catch(() => undefined);
      await turn;
    },
    async run() {
      const renewAndTake = async (): Promise<void> => {
        await migrate();
        await setClaims(database.now);
        await takeOver();
      };
      await repeatInBackground(bridge, {
        lease: `bridge events ${adapter.name}`,
        failure: 'stored events could not be looked for',
        run: renewAndTake,
        waitMs: () => RENEW_EVERY_MS,
      });
      await settlesWithin(running.idle(), STOP_WITHIN_MS);
      // What is left is for the next process, at once.
      await setClaims('0').catch(() => undefined);
    },
    idle: () => running.idle(),
  };
}

function migrationsOf({ dialect, table }: SqlDatabase): readonly (readonly string[])[] {
  const text = dialect === 'sqlite' ? 'TEXT' : 'text COLLATE "C"';
  return [
    [
      `CREATE TABLE ${table('bridge_event')} (
        id ${text} PRIMARY KEY,
        scope ${text} NOT NULL,
        events ${text} NOT NULL,
        arrived_at bigint NOT NULL,
        claimed_at bigint NOT NULL
      )`,
      `CREATE INDEX bridge_event_claimed ON ${table('bridge_event')} (scope, claimed_at)`,
    ],
  ];
}
