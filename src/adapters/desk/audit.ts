import type { Log } from '../../internal/index.js';
import { type DocumentStore, JOURNAL_TOPIC, type JournalAppend } from './store/index.js';

/** A line of the audit log. It never holds message texts or secrets. */
export interface AuditLine {
  /** The agent's id; `null` without a session. */
  readonly agent: string | null;
  readonly action: string;
  readonly conversationId?: string;
  /** Details of the action, such as the agent that a conversation was transferred to. */
  readonly detail?: string;
}

/** A line of the audit log with its time. */
export interface AuditEntry extends AuditLine {
  readonly at: Date;
}

/** Writes the audit log. */
export interface Audit {
  /** A line to be committed together with the action it describes. */
  line(agent: string | null, action: string, more?: Omit<AuditLine, 'agent' | 'action'>): JournalAppend;
  /** Writes a line by itself. */
  write(agent: string | null, action: string, more?: Omit<AuditLine, 'agent' | 'action'>): Promise<void>;
}

/** Creates an {@link Audit}. Lines name a conversation but hold no personal data, so forgetting a user keeps them. */
export function createAudit(store: DocumentStore): Audit {
  const line: Audit['line'] = (agent, action, more = {}) => ({
    topic: JOURNAL_TOPIC.audit,
    value: { agent, action, ...more } satisfies AuditLine,
  });
  return {
    line,
    async write(agent, action, more) {
      await store.write({ append: [line(agent, action, more)] });
    },
  };
}

/**
 * Reads the last lines of the audit log, oldest first.
 *
 * @example
 * for (const { at, agent, action } of await readAudit(desk.store, 100)) console.log(at, agent, action);
 */
export async function readAudit(store: DocumentStore, limit: number): Promise<AuditEntry[]> {
  const entries = await store.read({
    topics: [JOURNAL_TOPIC.audit],
    before: Number.MAX_SAFE_INTEGER,
    limit,
  });
  return entries.map(({ at, value }) => ({ ...(value as AuditLine), at }));
}

/** A request that the desk rejected. */
export interface RejectedRequest {
  /** The agent's id; `null` without a session. */
  readonly agent: string | null;
  readonly reason: string;
  readonly path: string;
  readonly ip: string | undefined;
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

/** Creates a {@link RejectionLog}. */
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
    async write({ agent, reason, path, ip }) {
      if (agent === null && isOverLimit(reason)) return;
      const shortPath = path.slice(0, MAX_PATH);
      log.warn({ agent, ip, path: shortPath }, `the desk refused: ${reason}`);
      await audit
        .write(agent, `refused: ${reason}`, { detail: `${shortPath} from ${ip ?? 'unknown address'}` })
        .catch((err: unknown) =>
          log.error({ err }, 'a rejected request could not be written to the audit log'),
        );
    },
  };
}
