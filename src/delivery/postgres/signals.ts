import { hash } from 'node:crypto';
import type { Database } from './database.js';

/** What processes tell each other: there is something in a queue or on the shelf, or a reply has found its end. */
export type Signal = 'inbox' | 'outbox' | 'receipts' | 'shelf';

/** Tells other processes on the same database that there is something to do. */
export interface Signals {
  /** Says it to all, soon. It may get lost; who depends on it also looks now and then. */
  send(signal: Signal): void;
  /** Listens from now on. */
  listen(hear: (signal: Signal) => void): void;
  /** Says what is still to be said, and listens no more. */
  stop(): Promise<void>;
}

/** After a failure, listening is tried again so often. Once it works, the engine keeps it up. */
const LISTEN_AGAIN_MS = 2_000;

const ALL: readonly Signal[] = ['inbox', 'outbox', 'receipts', 'shelf'];

/** Makes {@link Signals}, by LISTEN and NOTIFY on a channel of the schema's own. */
export function createSignals(database: Database, onTrouble: (error: unknown) => void): Signals {
  const channel = `handoff_kit_${hash('sha256', database.schema, 'hex').slice(0, 24)}`;
  const unsent = new Set<Signal>();
  let sending: Promise<void> | undefined;
  let stopped = false;
  let again: NodeJS.Timeout | undefined;
  let listener: { close(): Promise<void> } | undefined;

  const sendAll = async (): Promise<void> => {
    while (unsent.size > 0) {
      const signals = [...unsent];
      unsent.clear();
      await database.run('SELECT pg_notify($1, signal) FROM unnest($2::text[]) AS signal', [
        channel,
        signals,
      ]);
    }
  };

  const listen = async (hear: (signal: Signal) => void): Promise<void> => {
    const db = (await database.boss()).getDb();
    const onPayload = (payload: string): void => {
      const signal = ALL.find((each) => each === payload);
      if (signal) hear(signal);
    };
    const made = await db.listen?.(channel, onPayload, () => ALL.forEach(hear));
    if (stopped) await made?.close();
    else listener = made;
  };

  const keepListening = (hear: (signal: Signal) => void): void => {
    listen(hear).catch((error: unknown) => {
      if (stopped) return;
      onTrouble(error);
      again = setTimeout(() => keepListening(hear), LISTEN_AGAIN_MS).unref();
    });
  };

  return {
    send(signal) {
      if (stopped) return;
      unsent.add(signal);
      sending ??= sendAll()
        .catch(onTrouble)
        .finally(() => {
          sending = undefined;
        });
    },
    listen: keepListening,
    async stop() {
      stopped = true;
      clearTimeout(again);
      await sending;
      await listener?.close();
    },
  };
}
