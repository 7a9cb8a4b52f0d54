import { hash } from 'node:crypto';
import { createRecentKeys } from '../recent-keys.js';
import type { Database } from './database.js';

/** Which conversations are whose. */
export interface People {
  /** Notes that conversations are persons', as pairs of a person and a lane. */
  note(pairs: readonly (readonly string[])[]): Promise<void>;
  /** The lanes of a person. */
  lanesOf(person: string): Promise<string[]>;
  /** Forgets which lanes are a person's. */
  forget(person: string): Promise<void>;
  /** Forgets persons of whom nothing has been stored for so long. */
  prune(unseenMs: number): Promise<void>;
}

/** Who wrote a moment ago need not be noted again. Not for long: another process may forget a person meanwhile. */
const NOTED = { maxKeys: 10_000, maxAgeMs: 60_000 };

/** Makes {@link People}. Ids are kept as digests: finding a person by id takes no more. */
export function createPeople(database: Database): People {
  const { schema } = database;
  const noted = createRecentKeys(NOTED);

  return {
    async note(pairs) {
      const marked = pairs.map(([person = '', lane = '']) => ({ person: digest(person), lane }));
      const fresh = new Map(marked.map((pair) => [`${pair.person} ${pair.lane}`, pair]));
      for (const mark of fresh.keys()) if (noted.has(mark)) fresh.delete(mark);
      if (fresh.size === 0) return;
      // In one order everywhere, so that two processes never wait for each other.
      const rows = [...fresh].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
      await database.run(
        `INSERT INTO ${schema}.person (person, lane) SELECT * FROM unnest($1::text[], $2::text[])
         ON CONFLICT (person, lane) DO UPDATE SET seen_at = now()`,
        [rows.map(({ person }) => person), rows.map(({ lane }) => lane)],
      );
      for (const mark of fresh.keys()) noted.add(mark);
    },
    async lanesOf(person) {
      const rows = await database.run(`SELECT lane FROM ${schema}.person WHERE person = $1`, [
        digest(person),
      ]);
      return rows.map(({ lane }) => String(lane));
    },
    async forget(person) {
      await database.run(`DELETE FROM ${schema}.person WHERE person = $1`, [digest(person)]);
    },
    async prune(unseenMs) {
      await database.run(
        `DELETE FROM ${schema}.person p WHERE seen_at < now() - $1 * interval '1 ms'
         AND NOT EXISTS (SELECT FROM ${schema}.job j WHERE j.singleton_key = p.lane)`,
        [unseenMs + NOTED.maxAgeMs],
      );
    },
  };
}

/** What stands for a text that is only ever looked for: of any length, with any characters. */
export const digest = (text: string): string => hash('sha256', JSON.stringify(text), 'base64url');
