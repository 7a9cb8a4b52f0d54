import { fromText, toText } from '../text.js';
import type { Database } from './database.js';

/** Which conversations are whose. */
export interface People {
  /** Notes that a conversation is a person's. */
  note(person: string, lane: string, now: number): void;
  /** The conversations of a person. */
  lanesOf(person: string): string[];
  /** Forgets whose a conversation is, under all ids. */
  forget(lane: string): void;
  /** Forgets up to `limit` notes of whom nothing came since a time and nothing is stored; tells how many. */
  prune(unseenSince: number, limit: number): number;
}

/** Who wrote a moment ago need not be noted again. */
const NOTED_MS = 3_600_000;

/** Makes {@link People}. */
export function createPeople(database: Database): People {
  const insert = database.prepare(
    `INSERT INTO person (person, lane, seen_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
     SET seen_at = excluded.seen_at WHERE seen_at < excluded.seen_at - ${NOTED_MS}`,
  );
  const lanes = database.prepare('SELECT lane FROM person WHERE person = ?');
  const remove = database.prepare('DELETE FROM person WHERE lane = ?');
  const removeUnseen = database.prepare(
    `DELETE FROM person WHERE (person, lane) IN (
       SELECT person, lane FROM person p WHERE seen_at < ?
         AND NOT EXISTS (SELECT 1 FROM inbox WHERE lane = p.lane)
         AND NOT EXISTS (SELECT 1 FROM outbox WHERE lane = p.lane) LIMIT ?)`,
  );
  return {
    note: (person, lane, now) => void insert.run(toText(person), toText(lane), now),
    lanesOf: (person) => lanes.all(toText(person)).map(({ lane }) => fromText(lane)),
    forget: (lane) => void remove.run(toText(lane)),
    prune: (unseenSince, limit) => Number(removeUnseen.run(unseenSince - NOTED_MS, limit).changes),
  };
}
