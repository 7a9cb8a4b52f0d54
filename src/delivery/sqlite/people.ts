import { fromText, toText } from '../text.js';
import type { Database } from './database.js';

/** Which conversations are whose. */
export interface People {
  /** Notes that a conversation is a person's. */
  note(person: string, lane: string, now: number): void;
  /** Notes that there is something new in a conversation, whoever's it is. */
  seen(lane: string, now: number): void;
  /** The conversations of a person. */
  lanesOf(person: string): string[];
  /** Forgets whose a conversation is, under all ids. */
  forget(lane: string): void;
  /**
   * Forgets up to `limit` notes of whom nothing came since a time and nothing waits or is dead; tells how many. What
   * else is known of their conversations is as old, and forgotten with them.
   */
  prune(unseenSince: number, limit: number): number;
  /** Believes nothing that is not in the database: it may have changed. */
  distrust(): void;
}

/** Who wrote a moment ago need not be noted again. */
const NOTED_MS = 3_600_000;

/** So many notes are remembered, so that they need not be looked for. */
const MOST_REMEMBERED = 10_000;

/** That a lane is a person's. */
interface Note {
  readonly person: string;
  at: number;
}

/** Makes {@link People}. */
export function createPeople(database: Database): People {
  const insert = database.prepare(
    `INSERT INTO person (person, lane, seen_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
     SET seen_at = excluded.seen_at WHERE seen_at < excluded.seen_at - ${NOTED_MS}`,
  );
  const touch = database.prepare(
    `UPDATE person SET seen_at = ?1 WHERE lane = ?2 AND seen_at < ?1 - ${NOTED_MS}`,
  );
  const lanes = database.prepare('SELECT lane FROM person WHERE person = ?');
  const remove = database.prepare('DELETE FROM person WHERE lane = ?');
  const unfinished = (queue: string): string => `
    NOT EXISTS (SELECT 1 FROM ${queue}_lane WHERE lane = p.lane)
    AND NOT EXISTS (SELECT 1 FROM ${queue}_work WHERE lane = p.lane AND state = 'dead')`;
  const removeUnseen = database.prepare(
    `DELETE FROM person WHERE (person, lane) IN (
       SELECT person, lane FROM person p WHERE seen_at < ?
         AND ${unfinished('inbox')} AND ${unfinished('outbox')} LIMIT ?)`,
  );
  /** Whose lanes are, and when that was noted at the latest: what was noted earlier is looked for again. */
  const noted = new Map<string, Note[]>();
  let remembered = 0;

  const distrust = (): void => {
    noted.clear();
    remembered = 0;
  };

  const remember = (lane: string, note: Note): void => {
    if (remembered >= MOST_REMEMBERED) distrust();
    remembered += 1;
    const notes = noted.get(lane);
    if (notes) notes.push(note);
    else noted.set(lane, [note]);
  };

  return {
    note(person, lane, now) {
      const note = noted.get(lane)?.find((other) => other.person === person);
      if (note && now - note.at < NOTED_MS) return;
      insert.run(toText(person), toText(lane), now);
      if (note) note.at = now;
      else remember(lane, { person, at: now });
    },
    seen: (lane, now) => void touch.run(now, toText(lane)),
    lanesOf: (person) => lanes.all(toText(person)).map(({ lane }) => fromText(lane)),
    forget(lane) {
      remove.run(toText(lane));
      distrust();
    },
    prune(unseenSince, limit) {
      // A note may be an hour old when it is remembered, and is then remembered for an hour.
      const { changes } = removeUnseen.run(unseenSince - 2 * NOTED_MS, limit);
      if (Number(changes) > 0) distrust();
      return Number(changes);
    },
    distrust,
  };
}
