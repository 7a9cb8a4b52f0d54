/**
 * Handed-over conversations, and what those who carry them elsewhere must remember. What is only looked for is kept
 * as a digest; `content` is the whole conversation as JSON text. Made in one go: to look whether an index is there
 * would hold up those who write.
 */
const handoffs = (schema: string): string => `DO $$ BEGIN
  IF to_regclass('${schema}.conversation') IS NULL THEN
    CREATE TABLE ${schema}.conversation (
      lane text COLLATE "C" PRIMARY KEY,
      version integer NOT NULL,
      state text NOT NULL,
      user_key text NOT NULL,
      user_id text,
      anonymous_id text,
      adapter text,
      link text,
      requested_at bigint NOT NULL,
      changed_at bigint NOT NULL,
      ended_at bigint,
      content text NOT NULL
    );
    CREATE INDEX conversation_state ON ${schema}.conversation (state, changed_at, lane);
    CREATE INDEX conversation_adapter ON ${schema}.conversation (adapter, state, changed_at, lane) WHERE adapter IS NOT NULL;
    CREATE INDEX conversation_link ON ${schema}.conversation (link, requested_at) WHERE link IS NOT NULL;
    CREATE INDEX conversation_key ON ${schema}.conversation (user_key, changed_at, lane);
    CREATE INDEX conversation_user ON ${schema}.conversation (user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX conversation_anonymous ON ${schema}.conversation (anonymous_id) WHERE anonymous_id IS NOT NULL;
    CREATE INDEX conversation_ended ON ${schema}.conversation (ended_at) WHERE ended_at IS NOT NULL;
    CREATE TABLE ${schema}.mark (key text PRIMARY KEY, until timestamptz NOT NULL);
    CREATE INDEX mark_until ON ${schema}.mark (until);
    CREATE TABLE ${schema}.reading (name text PRIMARY KEY, position text NOT NULL);
    CREATE TABLE ${schema}.lease (name text PRIMARY KEY, owner text NOT NULL, until timestamptz NOT NULL);
    CREATE INDEX lease_until ON ${schema}.lease (until);
  END IF;
END $$`;

/** What an application keeps: documents, and a journal of what happened. */
const shelf = (schema: string): string => `DO $$ BEGIN
  IF to_regclass('${schema}.doc') IS NULL THEN
    CREATE TABLE ${schema}.doc (
      kind text NOT NULL,
      id text COLLATE "C" NOT NULL,
      version integer NOT NULL,
      value text NOT NULL,
      grp text NOT NULL,
      rank bigint NOT NULL,
      terms text NOT NULL,
      lane text,
      changed_at bigint NOT NULL,
      PRIMARY KEY (kind, id)
    );
    CREATE INDEX doc_rank ON ${schema}.doc (kind, rank DESC, id);
    CREATE INDEX doc_group ON ${schema}.doc (kind, grp, rank DESC, id);
    CREATE INDEX doc_lane ON ${schema}.doc (lane) WHERE lane IS NOT NULL;
    CREATE INDEX doc_changed ON ${schema}.doc (kind, grp, changed_at);
    CREATE TABLE ${schema}.entry (
      seq bigserial PRIMARY KEY,
      topic text NOT NULL,
      lane text,
      conversation_id text,
      value text NOT NULL,
      at bigint NOT NULL
    );
    CREATE INDEX entry_topic ON ${schema}.entry (topic, seq);
    CREATE INDEX entry_lane ON ${schema}.entry (lane, seq) WHERE lane IS NOT NULL;
    CREATE INDEX entry_at ON ${schema}.entry (at);
  END IF;
END $$`;

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
  handoffs(schema),
  shelf(schema),
];
