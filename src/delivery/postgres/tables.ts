/**
 * What is kept beside the engine's own tables: which conversations are whose, so that a person's data can be
 * found and forgotten, and what is parked, so that it is found without looking through all that is done.
 *
 * Each statement may be run again. One that was released never changes; add another.
 */
export const tables = (schema: string): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS ${schema}.person (
    person text NOT NULL,
    lane text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person, lane)
  )`,
  `CREATE TABLE IF NOT EXISTS ${schema}.parked (
    queue text NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (queue, id)
  )`,
];
