/**
 * Who takes part in the measurements of deliveries. Each is served by a process of its own.
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} module what makes its server
 * @property {boolean} [needsPostgres]
 *
 * @typedef {object} Context
 * @property {(receivedAt: number) => void} begun to be called when a handler begins, with when the request came
 * @property {string} folder for files
 * @property {string} url of PostgreSQL, where it is needed
 * @property {string} schema in it
 *
 * @typedef {(context: Context) => Promise<import('node:http').RequestListener>} CreateListener
 */

/** @type {readonly Contender[]} */
export const contenders = [
  { id: 'inline', title: 'handoff-kit, inline', module: 'kit-inline.js' },
  { id: 'sqlite', title: 'handoff-kit on SQLite', module: 'kit-sqlite.js' },
  {
    id: 'bare-sqlite',
    title: 'bare SQLite: an insert and a commit for each event',
    module: 'bare-sqlite.js',
  },
  { id: 'postgres', title: 'handoff-kit on PostgreSQL', module: 'kit-postgres.js', needsPostgres: true },
  {
    id: 'bare-boss',
    title: 'pg-boss alone: a send for each event',
    module: 'bare-boss.js',
    needsPostgres: true,
  },
];

/** Who is compared with whom. */
export const groups = [
  ['inline', 'sqlite', 'bare-sqlite'],
  ['postgres', 'bare-boss'],
];

/**
 * The same on a slow disk, and how many rounds they have at the most. Who syncs for each event takes seconds to answer
 * what 256 connections sent: the others would stand idle meanwhile, and be far apart in time.
 */
export const slowDiskGroups = [
  { group: ['inline', 'sqlite'], mostRounds: Number.POSITIVE_INFINITY },
  { group: ['bare-sqlite'], mostRounds: 9 },
];

/** The contender with an id. */
export function contenderOf(/** @type {string} */ id) {
  const found = contenders.find((contender) => contender.id === id);
  if (!found) throw new Error(`no contender is called ${id}; --help lists them`);
  return found;
}
