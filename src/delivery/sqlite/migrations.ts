/**
 * A queue is two tables. Items are what is to be done, in the order of `seq`; a lane is a conversation that has
 * items waiting, with the time from which its next item may be begun and who is at it. Finding work looks at
 * lanes only, so its cost does not grow with what is stored.
 */
const queue = (name: string): string => `
  CREATE TABLE ${name} (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    lane TEXT NOT NULL,
    content TEXT,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    begun INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ${name}_turn ON ${name} (lane, seq) WHERE state = 'waiting';
  CREATE INDEX ${name}_dead ON ${name} (seq) WHERE state = 'dead';
  CREATE INDEX ${name}_done ON ${name} (changed_at) WHERE state = 'done';
  CREATE TABLE ${name}_lane (
    lane TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL,
    owner TEXT,
    leased_until INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ${name}_due ON ${name}_lane (due_at);
`;

/** Which conversations are whose, so that a person's data can be found and forgotten. */
const PEOPLE = `
  CREATE TABLE person (
    person TEXT NOT NULL,
    lane TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (person, lane)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX person_lane ON person (lane);
`;

/** Each entry brings the tables one version further. One that was released never changes; add another. */
export const MIGRATIONS: readonly string[] = [`${queue('inbox')}${queue('outbox')}${PEOPLE}`];
