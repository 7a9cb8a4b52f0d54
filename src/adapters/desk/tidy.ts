import type { Shelf } from '../../delivery/index.js';
import type { Log } from '../../internal/index.js';
import type { Sessions } from './agents/sessions.js';
import { DONE_GROUP, FAILED_GROUP } from './book/outgoing.js';
import { KIND } from './book/record.js';

/** Removes what the desk need not keep any longer. */
export interface Tidying {
  /** Does it once. */
  tidy(): Promise<void>;
  stop(): void;
}

/** What {@link startTidying} needs. */
export interface TidyParts {
  readonly shelf: Shelf;
  readonly sessions: Sessions;
  readonly log: Log;
  /** How long ended conversations, the journal and the audit log are kept, in milliseconds. */
  readonly keepMs: number;
}

const EVERY_MS = 3_600_000;
/** Not at the start, when there is enough to do. */
const FIRST_AFTER_MS = 60_000;

/** What goes when it is old: what is still open stays, however old it is. */
const PRUNED = [
  { kind: KIND.conversation, group: 'closed' },
  { kind: KIND.outgoing, group: DONE_GROUP },
  { kind: KIND.outgoing, group: FAILED_GROUP },
] as const;

/** Starts {@link Tidying}, every hour. Several processes may do it at once: what is gone is gone. */
export function startTidying({ shelf, sessions, log, keepMs }: TidyParts): Tidying {
  const tidy = async (): Promise<void> => {
    await sessions.prune();
    const before = new Date(Date.now() - keepMs);
    for (const of of PRUNED) await shelf.prune(before, of);
  };
  const run = (): void => {
    tidy().catch((err: unknown) => log.warn({ err }, 'the desk could not be tidied up'));
  };
  const timers = [setTimeout(run, FIRST_AFTER_MS).unref(), setInterval(run, EVERY_MS).unref()];
  return {
    tidy,
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
