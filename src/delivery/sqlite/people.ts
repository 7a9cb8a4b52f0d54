import type { Database } from './database.js';
import { fromText, toText } from './text.js';

/** Which conversations are whose. */
export interface People {
  /** Notes that a conversation is a person's. */
  note(person: string, lane: string, now: number): void;
  /** The conversations of a person. */
  lanesOf(person: string): string[];
  /** Forgets whose a conversation is, under all ids. */
  forget(lane: string): void;
}

/** Makes {@link People}. */
export function createPeople(database: Database): People {
  const insert = database.prepare(
    'INSERT INTO person (person, lane, seen_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at',
  );
  const lanes = database.prepare('SELECT lane FROM person WHERE person = ?');
  const remove = database.prepare('DELETE FROM person WHERE lane = ?');
  return {
    note: (person, lane, now) => void insert.run(toText(person), toText(lane), now),
    lanesOf: (person) => lanes.all(toText(person)).map(({ lane }) => fromText(lane)),
    forget: (lane) => void remove.run(toText(lane)),
  };
}
