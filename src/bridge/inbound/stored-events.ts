import { receiverOfKey, type SqlDatabase } from '../../delivery/index.js';
import type { Conversation } from '../../handoff/index.js';
import { createTaskCounter, settlesWithin } from '../../internal/index.js';
import { AdapterError, type InboundEvent } from '../adapter/adapter-types.js';
import { type BridgeContext, repeatInBackground } from '../bridge-context.js';
import { pause } from '../calls/adapter-calls.js';
import { isByAgent } from './order-events.js';
import { type EventReceiver, groupByConversation } from './receive-events.js';

/**
 * Stores the events of a webhook, so that it can be answered before they are applied: a helpdesk waits a few seconds for
 * the answer, and its own list, or a conversation that is being opened, may take longer.
 *
 *     webhook ─> stored ─> answered
 *                   └────> applied ─> removed
 *                             └ fails ─> applied again after a wait
 *
 * The process that stored them applies them, and counts its claim up meanwhile. Another one takes them over once the count
 * has not changed for some time by its own clock, or at once if the first has set it to zero.
 */
export interface StoredEvents {
  /** Resolves when the events are stored. They are applied in the order of these calls. */
  accept(events: readonly InboundEvent[]): Promise<void>;
  /** Keeps claims, and takes over events of processes that have ended, until the bridge stops. */
  run(): Promise<void>;
  /** Resolves when no event is being applied. */
  idle(): Promise<void>;
}

/** Claims are renewed after `retry.firstWaitMs` times this, 2 seconds by default, and last for four renewals. */
const RENEW_WAITS = 10;
const MIN_RENEW_MS = 1_000;
const RENEWALS = 4;
/** Rows per look. */
const MAX_LOOK = 1_000;
/** The waits between tries grow from `retry.firstWaitMs` times this, a second by default, to ten seconds. */
const FIRST_WAITS = 5;
const MAX_WAITS = 50;
/** Events that cannot be applied for this long are given up. */
const GIVE_UP_AFTER_MS = 86_400_000;
/** How long a process that stops waits for events that are being applied. */
const STOP_WITHIN_MS = 1_000;

/** The events of one webhook that belong to one conversation: those of another must not wait for them. */
interface StoredGroup {
  readonly id: string;
  readonly externalId: string;
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
  const renewEveryMs = Math.max(MIN_RENEW_MS, settings.retry.firstWaitMs * RENEW_WAITS);
  const claimed = new Set<string>();
  /** The claims of other processes, and since when they have not changed. */
  let others: ReadonlyMap<string, { readonly claim: number; readonly since: number }> = new Map();
  const running = createTaskCounter();
  forgetStoredEvents(database);
  let migrated: Promise<void> | undefined;
  let count = 0;
  let lastArrival = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();

  const scope = (): string => scopeOf(database.receiverName(), adapter.name);
  const migrate = (): Promise<void> => {
    migrated ??= database
      .migrate('bridge-events', storedEventMigrations(database))
      .catch((error: unknown) => {
        migrated = undefined;
        throw error;
      });
    return migrated;
  };

  const store = async (arrived: readonly InboundEvent[]): Promise<StoredGroup[]> => {
    // The system clock may be set back.
    lastArrival = Math.max(lastArrival, Date.now());
    const arrivedAt = lastArrival;
    const groups = [...groupByConversation(arrived)].map(([externalId, group]) => {
      count += 1;
      return { id: `${instanceId} ${String(count).padStart(12, '0')}`, externalId, events: group, arrivedAt };
    });
    await migrate();
    await Promise.all(
      groups.map(({ id, externalId, events: group }) =>
        database.write(
          `INSERT INTO ${table} (id, scope, conversation, events, arrived_at, claim)
           VALUES ($1, $2, $3, $4, $5, 1)`,
          [id, scope(), externalId, JSON.stringify(group), arrivedAt],
        ),
      ),
    );
    return groups;
  };

  const remove = (id: string) => database.write(`DELETE FROM ${table} WHERE id = $1`, [id]);

  /** Whether earlier events of the conversation wait, perhaps in another process: later ones must not overtake them. */
  const isBehind = async ({ id, externalId, arrivedAt }: StoredGroup): Promise<boolean> => {
    const rows = await database.read(
      `SELECT 1 AS one FROM ${table} WHERE scope = $1 AND conversation = $2
       AND (arrived_at < $3 OR (arrived_at = $3 AND id < $4)) LIMIT 1`,
      [scope(), externalId, arrivedAt, id],
    );
    return rows.length > 0;
  };

  /** Whether they are applied or given up. */
  const tryApply = async (group: StoredGroup): Promise<boolean> => {
    const { id, events: arrived, arrivedAt } = group;
    try {
      if (await isBehind(group)) return false;
      await events.receive(arrived);
    } catch (error) {
      if (stopSignal.aborted) return false;
      const isGivenUp = Date.now() - arrivedAt > GIVE_UP_AFTER_MS;
      const level = isGivenUp || !(error instanceof AdapterError) ? 'error' : 'warn';
      const what = isGivenUp
        ? 'events of the helpdesk were given up after a day: what agents wrote did not reach the user'
        : 'events not applied yet; they are tried again';
      log[level]({ err: error, eventIds: arrived.map((each) => each.id) }, what);
      if (!isGivenUp) return false;
    }
    return remove(id).then(
      () => true,
      // They are applied once more, without effect.
      () => false,
    );
  };

  const apply = async (group: StoredGroup): Promise<void> => {
    running.enter();
    claimed.add(group.id);
    for (let tries = 0; !(await tryApply(group)) && !stopSignal.aborted; tries += 1) {
      const waits = Math.min(FIRST_WAITS * 2 ** Math.min(tries, 10), MAX_WAITS);
      await pause(settings.retry.firstWaitMs * waits, stopSignal);
    }
    // A process that stops gives its claims up together.
    if (!stopSignal.aborted) claimed.delete(group.id);
    running.leave();
  };

  const applyUnstored = async (arrived: readonly InboundEvent[]): Promise<void> => {
    running.enter();
    await events.receive(arrived).catch((error: unknown) => {
      log.debug({ err: error }, 'events without effect could not be read');
    });
    running.leave();
  };

  const setClaims = async (claim: 'claim + 1' | '0'): Promise<void> => {
    if (claimed.size === 0) return;
    const ids = JSON.stringify([...claimed]);
    await database.write(`UPDATE ${table} SET claim = ${claim} WHERE id IN ${database.list('$1')}`, [ids]);
  };

  const take = async (id: string, claim: number): Promise<void> => {
    const [row] = await database.write(
      `UPDATE ${table} SET claim = claim + 1 WHERE id = $1 AND claim = $2 RETURNING conversation, events, arrived_at`,
      [id, claim],
    );
    if (!row) return;
    log.info({ id }, 'events of a process that has ended');
    const arrived = JSON.parse(String(row.events)) as InboundEvent[];
    const externalId = String(row.conversation);
    void apply({ id, externalId, events: arrived, arrivedAt: Number(row.arrived_at) });
  };

  const takeOver = async (): Promise<void> => {
    const rows = await database.read(
      `SELECT id, claim FROM ${table} WHERE scope = $1 ORDER BY arrived_at, id LIMIT ${MAX_LOOK}`,
      [scope()],
    );
    const now = performance.now();
    const before = others;
    const found = rows
      .map(({ id, claim }) => ({ id: String(id), claim: Number(claim) }))
      .filter(({ id }) => !claimed.has(id));
    others = new Map(
      found.map(({ id, claim }) => {
        const known = before.get(id);
        return [id, { claim, since: known?.claim === claim ? known.since : now }];
      }),
    );
    for (const { id, claim } of found) {
      const since = others.get(id)?.since ?? now;
      if (claim === 0 || now - since >= renewEveryMs * RENEWALS) await take(id, claim);
    }
  };

  return {
    async accept(arrived) {
      if (!arrived.some(isNoticed)) {
        void applyUnstored(arrived);
        return;
      }
      const stored = store(arrived);
      // The database may store a later request first.
      const turn = lastTurn
        .then(() => stored)
        .then((groups) => {
          for (const group of groups) void apply(group);
        });
      lastTurn = turn.catch(() => undefined);
      await turn;
    },
    async run() {
      const renewAndTake = async (): Promise<void> => {
        await migrate();
        await setClaims('claim + 1');
        await takeOver();
      };
      await repeatInBackground(bridge, {
        lease: `bridge events ${adapter.name}`,
        failure: 'stored events could not be looked for',
        run: renewAndTake,
        waitMs: () => renewEveryMs,
      });
      await settlesWithin(running.idle(), STOP_WITHIN_MS);
      // What is left is for the next process, at once.
      await setClaims('0').catch(() => undefined);
    },
    idle: () => running.idle(),
  };
}

/** The events of one adapter of a receiver. */
const scopeOf = (receiver: string | null, adapter: string): string => JSON.stringify([receiver, adapter]);

/** Stored events of a user's conversations are removed with the user. */
export function forgetStoredEvents(database: SqlDatabase): void {
  database.onForget(async (keys) => {
    await database.migrate('bridge-events', storedEventMigrations(database));
    const rows = await database.read(
      `SELECT conversation, content FROM ${database.table('conversation')} WHERE conversation IN ${database.list('$1')}`,
      [JSON.stringify(keys)],
    );
    for (const { conversation, content } of rows) {
      const { link } = JSON.parse(String(content)) as Pick<Conversation, 'link'>;
      if (!link) continue;
      const scope = scopeOf(receiverOfKey(String(conversation)), link.adapter);
      await database.write(
        `DELETE FROM ${database.table('bridge_event')} WHERE scope = $1 AND conversation = $2`,
        [scope, link.externalId],
      );
    }
  });
}

/** The table of the events. */
export function storedEventMigrations({ dialect, table }: SqlDatabase): readonly (readonly string[])[] {
  const text = dialect === 'sqlite' ? 'TEXT' : 'text COLLATE "C"';
  return [
    [
      `CREATE TABLE ${table('bridge_event')} (
        id ${text} PRIMARY KEY,
        scope ${text} NOT NULL,
        conversation ${text} NOT NULL,
        events ${text} NOT NULL,
        arrived_at bigint NOT NULL,
        claim bigint NOT NULL
      )`,
      `CREATE INDEX bridge_event_arrived ON ${table('bridge_event')} (scope, arrived_at, id)`,
    ],
  ];
}
