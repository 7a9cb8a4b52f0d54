import type { Log } from '../../internal/index.js';
import type { Audit } from './book/index.js';

/** What was refused. Never what people wrote, never a secret. */
export interface Refused {
  /** Who was refused, as far as that is known. */
  readonly agent: string | null;
  readonly why: string;
  readonly path: string;
  readonly ip: string | undefined;
  readonly conversationId?: string;
}

/** Writes down what is refused: in the log, and in the audit log. */
export interface Refusals {
  /** Never rejects: what is refused stays refused. */
  note(refused: Refused): Promise<void>;
}

/** Lines of a kind that strangers can cause in a minute: nobody who is not logged in may fill the disk. */
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;
const LONGEST_PATH = 200;

/** Makes {@link Refusals}. */
export function createRefusals(audit: Audit, log: Log): Refusals {
  const ofStrangers = new Map<string, number>();
  let minute = 0;

  const isTooMany = (why: string): boolean => {
    const now = Math.floor(Date.now() / MINUTE_MS);
    if (now !== minute) ofStrangers.clear();
    minute = now;
    const count = (ofStrangers.get(why) ?? 0) + 1;
    ofStrangers.set(why, count);
    return count > MOST_A_MINUTE;
  };

  return {
    async note({ agent, why, path, ip, conversationId }) {
      if (agent === null && isTooMany(why)) return;
      const where = path.slice(0, LONGEST_PATH);
      log.warn({ agent, ip, path: where }, `the desk refused: ${why}`);
      const detail = `${where} from ${ip ?? 'nowhere'}`;
      const line = { detail, ...(conversationId !== undefined && { conversationId }) };
      await audit
        .note(agent, `refused: ${why}`, line)
        .catch((err: unknown) => log.error({ err }, 'a refusal could not be written down'));
    },
  };
}
