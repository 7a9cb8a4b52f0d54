import type { Log } from '../../internal/index.js';
import type { Sessions } from './agents/sessions.js';
import { OUTGOING_GROUP } from './conversations/outgoing-items.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';

/** Deletes expired data of the desk every hour. */
export interface Retention {
  /** Deletes expired data now. */
  run(): Promise<void>;
  stop(): void;
}

export interface RetentionParts {
  readonly store: DocumentStore;
  readonly sessions: Sessions;
  readonly log: Log;
  /** How long closed conversations, the journal and the audit log are kept, in milliseconds. */
  readonly keepMs: number;
}

const INTERVAL_MS = 3_600_000;
/** The first run waits until the process has started up. */
const FIRST_RUN_AFTER_MS = 60_000;

/** Documents that expire. Open ones stay, however old they are. */
const EXPIRING = [
  { kind: DOCUMENT_KIND.conversation, group: 'closed' },
  { kind: DOCUMENT_KIND.history },
  { kind: DOCUMENT_KIND.presence },
  { kind: DOCUMENT_KIND.connection },
  { kind: DOCUMENT_KIND.mention },
  { kind: DOCUMENT_KIND.webhookDelivery },
  // Open pages renew theirs.
  { kind: DOCUMENT_KIND.pushSubscription },
  { kind: DOCUMENT_KIND.visiblePages },
  { kind: DOCUMENT_KIND.escalation },
  { kind: DOCUMENT_KIND.outgoing, group: OUTGOING_GROUP.done },
  { kind: DOCUMENT_KIND.outgoing, group: OUTGOING_GROUP.failed },
] as const;

/** Starts {@link Retention}. Several processes may run it at the same time. */
export function startDeskRetention({ store, sessions, log, keepMs }: RetentionParts): Retention {
  const run = async (): Promise<void> => {
    await sessions.prune();
    const before = new Date(Date.now() - keepMs);
    for (const documents of EXPIRING) await store.prune(before, documents);
    await store.pruneJournal(before);
  };
  const runAndLog = (): void => {
    run().catch((err: unknown) => log.warn({ err }, 'the desk could not delete expired data'));
  };
  const timers = [
    setTimeout(runAndLog, FIRST_RUN_AFTER_MS).unref(),
    setInterval(runAndLog, INTERVAL_MS).unref(),
  ];
  return {
    run,
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
