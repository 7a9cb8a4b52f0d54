import type { Database } from './database.js';

/** Who takes conversations for itself, and until when. */
export interface Taker {
  readonly owner: string;
  readonly until: number;
}

/** The processes that share a file, as far as they have said that they live. */
export interface Owners {
  /** Sees to it that an owner is believed to live for about as long as it says. */
  hold(taker: Taker, now: number): void;
  /** Says that an owner lives, until a time. */
  renew(taker: Taker): void;
  /** Those whose time is over. They are not known any more. */
  takeGone(now: number): string[];
  forget(owner: string): void;
  /** Believes nothing that is not in the database: it may have changed. */
  distrust(): void;
}

/** Makes {@link Owners}. */
export function createOwners(database: Database): Owners {
  const write = database.prepare(
    'INSERT INTO owner (owner, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until',
  );
  const read = database.prepare('SELECT until FROM owner WHERE owner = ?');
  const removeGone = database.prepare('DELETE FROM owner WHERE until <= ? RETURNING owner');
  const remove = database.prepare('DELETE FROM owner WHERE owner = ?');
  /** Until when owners are held, as far as that is known. */
  const held = new Map<string, number>();

  const renew = ({ owner, until }: Taker): void => {
    write.run(owner, until);
    held.set(owner, until);
  };

  return {
    hold(taker, now) {
      const enough = now + (taker.until - now) / 2;
      if ((held.get(taker.owner) ?? 0) > enough) return;
      const until = Number(read.get(taker.owner)?.until ?? 0);
      if (until > enough) held.set(taker.owner, until);
      else renew(taker);
    },
    renew,
    takeGone(now) {
      const gone = removeGone.all(now).map(({ owner }) => String(owner));
      for (const owner of gone) held.delete(owner);
      return gone;
    },
    forget(owner) {
      remove.run(owner);
      held.delete(owner);
    },
    distrust: () => held.clear(),
  };
}
