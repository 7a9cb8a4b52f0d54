import type { Receipt } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { createReceipts, type Receipts } from '../outbox.js';
import type { Database } from './database.js';
import { readText } from './job.js';

/** Receipts of replies that this process or another one sends. */
export interface FollowedReceipts extends Receipts {
  /** The reply is stored: from now on its end can be looked up. */
  stored(id: string): void;
  /** Looks up what others have sent. */
  look(): void;
  stop(): void;
}

/** What {@link followReceipts} needs. */
export interface FollowParts {
  readonly database: Database;
  /** How often to look. */
  readonly pollMs: number;
  readonly onTrouble: (error: unknown) => void;
}

interface Open {
  readonly receipt: Receipt;
  stored: boolean;
}

/** Looked up in one go. */
const AT_ONCE = 1_000;

/** Makes {@link FollowedReceipts}. Replies with the same id share one receipt. */
export function followReceipts({ database, pollMs, onTrouble }: FollowParts): FollowedReceipts {
  const receipts = createReceipts();
  const open = new Map<string, Open>();
  let looking = false;

  const find = `SELECT id, state::text AS state, output FROM ${database.schema}.job
    WHERE name = 'outbox' AND id = ANY($1::uuid[])`;

  const lookUp = async (ids: readonly string[]): Promise<void> => {
    const rows = await database.run(find, [ids]);
    const found = new Map(rows.map((row) => [String(row.id), row]));
    for (const id of ids) {
      const row = found.get(id);
      const output = (row?.output ?? {}) as { readonly answer?: string; readonly error?: string };
      if (!row) receipts.failed(id, goneError());
      else if (row.state === 'completed') receipts.delivered(id, JSON.parse(output.answer ?? 'null'));
      else if (row.state === 'cancelled') receipts.failed(id, parkedError(readText(output.error)));
    }
  };

  const lookAll = async (): Promise<void> => {
    const ids = [...open].filter(([, each]) => each.stored).map(([id]) => id);
    for (let from = 0; from < ids.length; from += AT_ONCE) await lookUp(ids.slice(from, from + AT_ONCE));
  };

  const look = (): void => {
    if (looking || open.size === 0) return;
    looking = true;
    lookAll()
      .catch(onTrouble)
      .finally(() => {
        looking = false;
      });
  };
  const timer = setInterval(look, pollMs).unref();

  return {
    open(id, conversationId) {
      const known = open.get(id);
      if (known) return known.receipt;
      const receipt = receipts.open(id, conversationId);
      open.set(id, { receipt, stored: false });
      const close = (): void => void open.delete(id);
      receipt.delivered.then(close, close);
      return receipt;
    },
    delivered: (id, answer) => receipts.delivered(id, answer),
    failed: (id, error) => receipts.failed(id, error),
    stored(id) {
      const found = open.get(id);
      if (found) found.stored = true;
    },
    look,
    stop: () => clearInterval(timer),
  };
}

const parkedError = (why: string): HandoffKitError =>
  new HandoffKitError(
    'REPLY_PARKED',
    `the reply was not taken and is parked (${why}). Send it again or discard it.`,
  );

const goneError = (): HandoffKitError =>
  new HandoffKitError('REPLY_GONE', 'the reply was removed before the service had it.');
