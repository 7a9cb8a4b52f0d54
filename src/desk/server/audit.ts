import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../../internal/index.js';
import { type DocumentStore, JOURNAL_TOPIC, type JournalAppend } from './store/index.js';

/** A line of the audit log. It never holds messages of customers or secrets. */
export interface AuditLine {
  /** The agent's id; `null` without a session. */
  readonly agent: string | null;
  readonly action: string;
  /** The address of the client; missing for commands on the server itself. */
  readonly from?: string;
  readonly conversationId?: string;
  /** What the action is about, such as the agent whose role was changed. */
  readonly detail?: string;
  /** The fields that changed, as they were. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** The same fields, as they are now. */
  readonly after?: Readonly<Record<string, unknown>>;
}

/** A line of the audit log with its time. */
export interface AuditEntry extends AuditLine {
  /** Grows with every line. */
  readonly seq: number;
  readonly at: Date;
}

/** The optional fields of an audit line. */
export type AuditDetails = Omit<AuditLine, 'agent' | 'action'>;

/** Writes the audit log. */
export interface Audit {
  /** A line to be committed together with the action it describes. */
  line(agent: string | null, action: string, more?: AuditDetails): JournalAppend;
  /** Writes a line by itself. */
  write(agent: string | null, action: string, more?: AuditDetails): Promise<void>;
}

/** The address of the request that is being answered, so that every line has it, wherever it is written. */
const clientAddress = new AsyncLocalStorage<string>();

/** Runs a function on behalf of a client, whose address its audit lines get. */
export const runForClient = (address: string | undefined, run: () => void): void =>
  clientAddress.run(address ?? 'unknown', run);

/** Lines name a conversation but hold no personal data, so forgetting a user keeps them. */
export function createAudit(store: DocumentStore): Audit {
  const line: Audit['line'] = (agent, action, more = {}) => {
    const from = clientAddress.getStore();
    const value: AuditLine = { agent, action, ...(from !== undefined && { from }), ...more };
    return { topic: JOURNAL_TOPIC.audit, value };
  };
  return {
    line,
    async write(agent, action, more) {
      await store.write({ append: [line(agent, action, more)] });
    },
  };
}

/** The given fields that differ between two records, for an audit line. */
export function changedFields<Item extends object>(
  before: Item,
  after: Item,
  fields: readonly (keyof Item & string)[],
): Pick<AuditLine, 'before' | 'after'> {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return {};
  const pick = (item: Item) => Object.fromEntries(changed.map((field) => [field, item[field] ?? null]));
  return { before: pick(before), after: pick(after) };
}

/**
 * Reads the last lines of the audit log, oldest first.
 *
 * @example
 * for (const { at, agent, action } of await readAudit(desk.store, 100)) console.log(at, agent, action);
 */
export function readAudit(store: DocumentStore, limit: number): Promise<AuditEntry[]> {
  return readBefore(store, Number.MAX_SAFE_INTEGER, limit);
}

async function readBefore(store: DocumentStore, before: number, limit: number): Promise<AuditEntry[]> {
  const entries = await store.read({ topics: [JOURNAL_TOPIC.audit], before, limit });
  return entries.map(({ seq, at, value }) => ({ ...(value as AuditLine), seq, at }));
}

/** Selects lines of the audit log. */
export interface AuditFilter {
  /** Only lines that contain this text; case is ignored. */
  readonly search?: string;
  /** Only lines from this time on, and before that one, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** Only lines with a lower number. */
  readonly before?: number;
}

/** Lines read from the store at once. */
const PAGE = 500;

/** Finds lines of the audit log, latest first. */
export async function* findAudit(
  store: DocumentStore,
  { search = '', since = 0, until = Number.POSITIVE_INFINITY, before = Number.MAX_SAFE_INTEGER }: AuditFilter,
): AsyncGenerator<AuditEntry> {
  const wanted = search.toLowerCase();
  for (let next = before; ; ) {
    const entries = await readBefore(store, next, PAGE);
    for (const entry of entries.toReversed()) {
      const at = entry.at.getTime();
      // Clocks of processes differ by less than this, so that nothing later can be older.
      if (at < since - 3_600_000) return;
      if (at >= since && at < until && JSON.stringify(entry).toLowerCase().includes(wanted)) yield entry;
    }
    const first = entries[0];
    if (!first || entries.length < PAGE) return;
    next = first.seq;
  }
}

/** A request that the desk rejected. */
export interface RejectedRequest {
  /** The agent's id; `null` without a session. */
  readonly agent: string | null;
  readonly reason: string;
  readonly path: string;
  readonly ip: string | undefined;
  /** The name that a login was tried with. */
  readonly name?: string;
}

/** Writes rejected requests to the log and to the audit log. */
export interface RejectionLog {
  /** Never rejects. */
  write(request: RejectedRequest): Promise<void>;
}

/** Lines per reason and minute that requests without a session can cause, so that they cannot fill the disk. */
const MAX_ANONYMOUS_LINES = 60;
const MINUTE_MS = 60_000;
const MAX_PATH = 200;
const MAX_NAME = 64;

export function createRejectionLog(audit: Audit, log: Log): RejectionLog {
  const anonymousLines = new Map<string, number>();
  let minute = 0;

  const isOverLimit = (reason: string): boolean => {
    const now = Math.floor(Date.now() / MINUTE_MS);
    if (now !== minute) anonymousLines.clear();
    minute = now;
    const count = (anonymousLines.get(reason) ?? 0) + 1;
    anonymousLines.set(reason, count);
    return count > MAX_ANONYMOUS_LINES;
  };

  return {
    async write({ agent, reason, path, ip, name }) {
      if (agent === null && isOverLimit(reason)) return;
      const shortPath = path.slice(0, MAX_PATH);
      const detail =
        name === undefined ? shortPath : `${shortPath} as ${JSON.stringify(name.slice(0, MAX_NAME))}`;
      log.warn({ agent, ip, path: shortPath }, `the desk refused: ${reason}`);
      await audit
        .write(agent, `refused: ${reason}`, { detail, from: ip ?? 'unknown' })
        .catch((err: unknown) =>
          log.error({ err }, 'a rejected request could not be written to the audit log'),
        );
    },
  };
}
