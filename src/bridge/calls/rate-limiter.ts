import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlDatabase, SqlStatement } from '../../delivery/index.js';
import type { AdapterCapabilities, RateLimit } from '../adapter/adapter.js';

/**
 * Keeps `send` within the rate limits of the helpdesk. Packages for this share their state in Redis, or count in fixed
 * windows, which let twice the limit through at their borders; none reserves a later slot under two limits at once.
 */
export interface RateLimiter {
  /** Reserves the next free slot for a conversation, unless that slot is more than `maxWaitMs` away. */
  reserve(externalId: string, maxWaitMs: number): Promise<Reservation>;
}

/** The result of {@link RateLimiter.reserve}. */
export interface Reservation {
  /** Wait this long before sending, or before asking again when no slot was granted. Negative: the slot is past. */
  readonly waitMs: number;
  readonly granted: boolean;
  /** Whether this slot had to wait for the conversation's own limit, or uses it up. */
  readonly saturated: boolean;
}

/**
 * The slots that were granted under one limit: times in ascending order, each with the number of its slots.
 *
 * A limit of `count` per `perMs` is `count` tokens, each usable once in `perMs`. So any period of that length has at most
 * `count` slots, and all of them may be at once. A token that is not listed is free.
 */
export type RateWindow = readonly (readonly [at: number, slots: number])[];

/** The windows that one reservation concerns. */
export interface RateWindows {
  readonly overall: RateWindow;
  readonly own: RateWindow;
}

/** Times are rounded up to this part of the period, so that a window has few entries however many slots it has. */
const STEPS = 50;

/** Reserves a slot at the time `now` or later. Returns the changed windows, which are the same if none was granted. */
export function reserveSlot(
  rate: AdapterCapabilities['rate'],
  before: RateWindows,
  now: number,
  maxWaitMs: number,
): Reservation & { readonly windows: RateWindows } {
  const overall = currentWindow(before.overall, rate?.overall, now, maxWaitMs);
  const own = currentWindow(before.own, rate?.perConversation, now, maxWaitMs);
  const ownFreeAt = freeAt(own, rate?.perConversation, now);
  const slot = Math.max(ownFreeAt, freeAt(overall, rate?.overall, now));
  const waitMs = slot - now;
  const saturated = ownFreeAt > now || isLastSlot(own, rate?.perConversation, slot);
  if (waitMs > maxWaitMs) return { waitMs, granted: false, saturated, windows: before };
  const windows = {
    overall: addSlot(overall, rate?.overall, slot),
    own: addSlot(own, rate?.perConversation, slot),
  };
  return { waitMs, granted: true, saturated, windows };
}

/** Without tokens that are free again, and without those from before the clock was set back. */
function currentWindow(
  window: RateWindow,
  limit: RateLimit | undefined,
  now: number,
  maxWaitMs: number,
): RateWindow {
  if (!limit) return [];
  const latest = now + maxWaitMs + limit.perMs;
  return window.filter(([at]) => at > now - limit.perMs && at <= latest);
}

const countSlots = (window: RateWindow): number => window.reduce((sum, [, slots]) => sum + slots, 0);

/** When all tokens are in use, the first that was used is the first to be free again. */
function freeAt(window: RateWindow, limit: RateLimit | undefined, now: number): number {
  const [oldest] = window;
  if (!limit || !oldest || countSlots(window) < limit.count) return now;
  return Math.max(now, oldest[0] + limit.perMs);
}

function isLastSlot(window: RateWindow, limit: RateLimit | undefined, slot: number): boolean {
  if (!limit) return false;
  return countSlots(window.filter(([at]) => at > slot - limit.perMs)) + 1 >= limit.count;
}

function addSlot(window: RateWindow, limit: RateLimit | undefined, slot: number): RateWindow {
  if (!limit) return [];
  const slots = new Map(window);
  const [oldest] = window;
  if (oldest && countSlots(window) >= limit.count) slots.set(oldest[0], oldest[1] - 1);
  const step = Math.max(1, Math.floor(limit.perMs / STEPS));
  const at = Math.ceil(slot / step) * step;
  slots.set(at, (slots.get(at) ?? 0) + 1);
  return [...slots].filter(([, count]) => count > 0).sort(([one], [other]) => one - other);
}

/** Upper bound on remembered conversations; the least recently used is forgotten first. */
const MAX_CONVERSATIONS = 50_000;

/** Creates a {@link RateLimiter} in memory: each process counts on its own. */
export function createRateLimiter(
  rate: AdapterCapabilities['rate'],
  now: () => number = Date.now,
): RateLimiter {
  let overall: RateWindow = [];
  const perConversation = new Map<string, RateWindow>();

  const remember = (externalId: string, window: RateWindow): void => {
    if (!rate?.perConversation) return;
    perConversation.delete(externalId);
    perConversation.set(externalId, window);
    for (const [oldest] of perConversation) {
      if (perConversation.size <= MAX_CONVERSATIONS) break;
      perConversation.delete(oldest);
    }
  };

  return {
    async reserve(externalId, maxWaitMs) {
      const before = { overall, own: perConversation.get(externalId) ?? [] };
      const { windows, ...reservation } = reserveSlot(rate, before, now(), maxWaitMs);
      overall = windows.overall;
      remember(externalId, windows.own);
      return reservation;
    },
  };
}

/** The longest wait before a reservation that lost a race is made again. */
const RACE_WAIT_MS = 10;

/** How often a process removes the windows of conversations that were idle. */
const PRUNE_EVERY_MS = 600_000;

/** A caller that waits for its reservation. */
interface Request {
  readonly externalId: string;
  readonly maxWaitMs: number;
  resolve(reservation: Reservation): void;
  reject(error: unknown): void;
}

/** A window, as it was read and as it is to be written. */
interface StoredWindow {
  /** Its text in the database; empty if there is none. */
  readonly before: string;
  window: RateWindow;
}

/**
 * Creates a {@link RateLimiter} for all processes that share a database. Windows are rows that are compared and set, by
 * the database's clock. Callers that wait at the same time share one transaction. A process that dies leaves its slots
 * unused, which costs no more than those slots.
 */
export function createSharedRateLimiter(
  rate: NonNullable<AdapterCapabilities['rate']>,
  database: SqlDatabase,
  adapter: string,
): RateLimiter {
  const table = database.table('bridge_rate');
  let waiting: Request[] = [];
  let isWorking = false;
  let migrated: Promise<void> | undefined;
  let pruneAt = 0;

  const overallName = (): string => digest([database.receiverName(), adapter]);
  const nameOf = (externalId: string): string => digest([database.receiverName(), adapter, externalId]);

  const migrate = (): Promise<void> => {
    migrated ??= database.migrate('bridge', migrationsOf(database)).catch((error: unknown) => {
      migrated = undefined;
      throw error;
    });
    return migrated;
  };

  /** Windows of conversations have an end, after which they are empty. The overall one stays. */
  const put = (
    name: string,
    { before, window }: StoredWindow,
    endsAfterMs: number | null,
  ): SqlStatement[] => {
    const slots = window.length === 0 ? before : JSON.stringify(window);
    if (slots === before) return [];
    const endsAt = endsAfterMs === null ? null : (window.at(-1)?.[0] ?? 0) + endsAfterMs;
    const sql = `INSERT INTO ${table} AS r (name, slots, ends_at) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, ends_at = excluded.ends_at
      WHERE r.slots = $4 RETURNING name`;
    return [{ sql, values: [name, slots, endsAt, before], required: true }];
  };

  /** Makes all reservations, or none because another process was faster. */
  const tryReserve = async (requests: readonly Request[]): Promise<Reservation[] | null> => {
    const { overall: limit, perConversation } = rate;
    // In the order of names, and the overall window last: so processes never wait for each other in a circle.
    const own = perConversation
      ? [...new Set(requests.map(({ externalId }) => nameOf(externalId)))].sort()
      : [];
    const rows = await database.read(
      `SELECT ${database.now} AS now, names.item AS name, r.slots AS slots
       FROM ${database.list('$1')} AS names LEFT JOIN ${table} AS r ON r.name = names.item`,
      [JSON.stringify([...own, overallName()])],
    );
    const readAt = performance.now();
    const now = Number(rows[0]?.now);
    const windows = new Map(rows.map(({ name, slots }) => [String(name), readWindow(slots)]));
    const overall = windows.get(overallName()) ?? readWindow(null);

    const reservations = requests.map(({ externalId, maxWaitMs }) => {
      const ownWindow = windows.get(nameOf(externalId)) ?? readWindow(null);
      const before = { overall: overall.window, own: ownWindow.window };
      const { windows: after, ...reservation } = reserveSlot(rate, before, now, maxWaitMs);
      overall.window = after.overall;
      ownWindow.window = after.own;
      return reservation;
    });

    const statements = own.flatMap((name) => {
      const stored = windows.get(name);
      return stored && perConversation ? put(name, stored, perConversation.perMs) : [];
    });
    if (limit) statements.push(...put(overallName(), overall, null));
    if (statements.length > 0 && !(await database.transaction(statements))) return null;
    const elapsedMs = performance.now() - readAt;
    return reservations.map((each) => ({ ...each, waitMs: each.waitMs - elapsedMs }));
  };

  const reserveAll = async (requests: readonly Request[]): Promise<Reservation[]> => {
    await migrate();
    for (;;) {
      const reservations = await tryReserve(requests);
      if (reservations) return reservations;
      await sleep(Math.random() * RACE_WAIT_MS);
    }
  };

  const prune = async (): Promise<void> => {
    if (Date.now() < pruneAt) return;
    pruneAt = Date.now() + PRUNE_EVERY_MS;
    const lock = database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    await database.write(
      `DELETE FROM ${table} WHERE name IN
        (SELECT name FROM ${table} WHERE ends_at <= ${database.now} LIMIT 10000 ${lock})`,
    );
  };

  const work = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) {
      const requests = waiting;
      waiting = [];
      try {
        const reservations = await reserveAll(requests);
        for (const [index, reservation] of reservations.entries()) requests[index]?.resolve(reservation);
      } catch (error) {
        for (const request of requests) request.reject(error);
      }
      // It is tried again ten minutes later.
      await prune().catch(() => undefined);
    }
    isWorking = false;
  };

  return {
    reserve: (externalId, maxWaitMs) =>
      new Promise((resolve, reject) => {
        waiting.push({ externalId, maxWaitMs, resolve, reject });
        if (!isWorking) void work();
      }),
  };
}

const digest = (parts: readonly (string | null)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url');

function readWindow(slots: unknown): StoredWindow {
  const before = typeof slots === 'string' ? slots : '';
  return { before, window: before === '' ? [] : (JSON.parse(before) as RateWindow) };
}

function migrationsOf({ dialect, table }: SqlDatabase): readonly (readonly string[])[] {
  const text = dialect === 'sqlite' ? 'TEXT' : 'text COLLATE "C"';
  return [
    [
      `CREATE TABLE ${table('bridge_rate')} (
        name ${text} PRIMARY KEY,
        slots ${text} NOT NULL,
        ends_at bigint
      )`,
      `CREATE INDEX bridge_rate_ends ON ${table('bridge_rate')} (ends_at) WHERE ends_at IS NOT NULL`,
    ],
  ];
}
