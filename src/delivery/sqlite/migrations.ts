/** The queues of the first version: what was done lay among what was to be done. */
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

/**
 * Handed-over conversations, and what those who carry them elsewhere must remember. Whatever is looked for has its
 * index; `content` is the whole conversation as JSON.
 */
const HANDOFFS = `
  CREATE TABLE conversation (
    lane TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    user_key TEXT NOT NULL,
    user_id TEXT,
    anonymous_id TEXT,
    adapter TEXT,
    external_id TEXT,
    requested_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    ended_at INTEGER,
    content TEXT NOT NULL
  ) STRICT;
  CREATE INDEX conversation_state ON conversation (state, changed_at, lane);
  CREATE INDEX conversation_adapter ON conversation (adapter, state, changed_at, lane) WHERE adapter IS NOT NULL;
  CREATE INDEX conversation_link ON conversation (external_id, adapter, requested_at) WHERE external_id IS NOT NULL;
  CREATE INDEX conversation_key ON conversation (user_key, changed_at, lane);
  CREATE INDEX conversation_user ON conversation (user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX conversation_anonymous ON conversation (anonymous_id) WHERE anonymous_id IS NOT NULL;
  CREATE INDEX conversation_ended ON conversation (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE mark (key TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX mark_until ON mark (until);
  CREATE TABLE cursor (name TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE lease (name TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX lease_until ON lease (until);
`;

/** What is left of a conversation is found by it: to forget a person, and to forget whom nothing is kept of. */
const LANES = `
  CREATE INDEX inbox_lane_items ON inbox (lane);
  CREATE INDEX outbox_lane_items ON outbox (lane);
  CREATE INDEX person_seen ON person (seen_at);
`;

/** What an application keeps: documents, and a journal of what happened. */
const SHELF = `
  CREATE TABLE doc (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    grp TEXT NOT NULL,
    rank INTEGER NOT NULL,
    terms TEXT NOT NULL,
    lane TEXT,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT;
  CREATE INDEX doc_rank ON doc (kind, rank DESC, id);
  CREATE INDEX doc_group ON doc (kind, grp, rank DESC, id);
  CREATE INDEX doc_lane ON doc (lane) WHERE lane IS NOT NULL;
  CREATE INDEX doc_changed ON doc (kind, grp, changed_at);
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    lane TEXT,
    value TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX entry_topic ON entry (topic, seq);
  CREATE INDEX entry_lane ON entry (lane, seq) WHERE lane IS NOT NULL;
  CREATE INDEX entry_at ON entry (at);
`;

/**
 * A queue is what it knows, what it has to do, and its lanes. Every item that was taken is known for a while, in the
 * order of `seq`; only what is not over has its content and its state among the work. A lane is a conversation that has
 * work, with the time from which its next item may be begun, who is at it, and with which item. Finding work looks at
 * lanes only, so its cost does not grow with what is stored.
 *
 * What comes, is begun at once and is over soon touches no index but those of its key and its time: each page that
 * is touched is written twice. So an item that is begun is found through its lane alone.
 */
const split = (name: string): string => `
  CREATE TABLE ${name}_known (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    lane TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE ${name}_work (
    seq INTEGER PRIMARY KEY,
    lane TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    content TEXT
  ) STRICT;
  CREATE TABLE ${name}_kept (seq INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
  ALTER TABLE ${name}_lane RENAME TO ${name}_lane_before;
  CREATE TABLE ${name}_lane (
    lane TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL,
    owner TEXT,
    item INTEGER
  ) STRICT, WITHOUT ROWID;

  INSERT INTO ${name}_known SELECT seq, key, lane, attempts, created_at FROM ${name};
  INSERT INTO ${name}_work
    SELECT seq, lane, CASE WHEN state = 'waiting' AND begun = 1 THEN 'begun' ELSE state END, attempts, error, content
    FROM ${name} WHERE state <> 'done';
  INSERT INTO ${name}_kept SELECT seq, content FROM ${name} WHERE state = 'done' AND content IS NOT NULL;
  INSERT INTO ${name}_lane
    SELECT lane, due_at, NULL, (SELECT seq FROM ${name}_work w WHERE w.lane = before.lane AND w.state = 'begun')
    FROM ${name}_lane_before before;
  DROP TABLE ${name}_lane_before;
  DROP TABLE ${name};

  CREATE INDEX ${name}_time ON ${name}_known (created_at);
  CREATE INDEX ${name}_turn ON ${name}_work (lane, seq) WHERE state = 'waiting';
  CREATE INDEX ${name}_dead ON ${name}_work (lane, seq) WHERE state = 'dead';
  CREATE INDEX ${name}_due ON ${name}_lane (due_at) WHERE owner IS NULL;
`;

/** Who works on lanes, and until when that is believed without a sign of life. */
const OWNERS = `
  CREATE TABLE owner (owner TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * An item is found by its conversation and its key through a number that is made of hashes of both: an index of the texts
 * would be ten times as large, and a page of it written for every event. New items are not in the index at first, but filed in it
 * many at a time, a part of the index at a time; `filed` says up to which number that was done for each of the 64 parts.
 * Items are in the order of their time, so that has no index.
 */
const index = (name: string): string => `
  ALTER TABLE ${name}_known RENAME TO ${name}_known_before;
  CREATE TABLE ${name}_known (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    lane TEXT NOT NULL,
    place INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE ${name}_index (
    place INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (place, seq)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO ${name}_known
    SELECT seq, key, lane, place(lane, key), attempts, created_at FROM ${name}_known_before;
  INSERT INTO ${name}_index SELECT place, seq FROM ${name}_known ORDER BY place, seq;
  WITH RECURSIVE part (bucket) AS (SELECT 0 UNION ALL SELECT bucket + 1 FROM part WHERE bucket < 63)
    INSERT INTO filed SELECT '${name}', bucket, (SELECT coalesce(max(seq), 0) FROM ${name}_known) FROM part;
  DROP TABLE ${name}_known_before;
`;

/**
 * What is begun as it comes lies in one row for all that came with one commit, written over by what comes after it is
 * over. Such items are neither among the work nor have they lanes. The head is JSON with spaces behind it, the content has
 * zeros behind it: a row that stays as large as it is is written over where it lies. In the newest head `open` is the
 * number of such items, `first` the lowest, `over` those in any row that are over.
 */
const batch = (name: string): string => `
  CREATE TABLE ${name}_batch (
    id INTEGER PRIMARY KEY,
    head TEXT NOT NULL,
    content BLOB NOT NULL
  ) STRICT;
`;

const FILED = `
  CREATE TABLE filed (
    queue TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    upto INTEGER NOT NULL,
    PRIMARY KEY (queue, bucket)
  ) STRICT, WITHOUT ROWID;
`;

/** Each entry brings the tables one version further; `place` is a function in them. One that was released never changes; add another. */
export const MIGRATIONS: readonly string[] = [
  `${queue('inbox')}${queue('outbox')}${PEOPLE}`,
  `${HANDOFFS}${LANES}`,
  SHELF,
  `${split('inbox')}${split('outbox')}${OWNERS}`,
  `${FILED}${index('inbox')}${index('outbox')}${batch('inbox')}${batch('outbox')}`,
];
