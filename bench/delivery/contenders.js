/**
 * A receiver to be measured, in a process of its own.
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} module the file whose `create` makes its request listener
 * @property {boolean} [needsPostgres]
 *
 * @typedef {object} Context
 * @property {string} id of the contender
 * @property {(receivedAt: number) => void} onHandlerStart to be called when a handler starts, with the arrival time of
 *   its request
 * @property {string} folder for files
 * @property {string} url of PostgreSQL; empty where it is not needed
 * @property {string} schema in PostgreSQL
 *
 * @typedef {(context: Context) => Promise<import('node:http').RequestListener>} CreateListener
 */

/** @type {readonly Contender[]} */
export const contenders = [
  { id: 'inline', title: 'handoff-kit, inline', module: 'handoff-kit.js' },
  { id: 'sqlite', title: 'handoff-kit on SQLite', module: 'handoff-kit.js' },
  { id: 'bare-sqlite', title: 'bare SQLite: an insert and a commit per event', module: 'bare-sqlite.js' },
  { id: 'postgres', title: 'handoff-kit on PostgreSQL', module: 'handoff-kit.js', needsPostgres: true },
  {
    id: 'pg-boss',
    title: 'pg-boss alone: a send per event',
    module: 'bare-pg-boss.js',
    needsPostgres: true,
  },
];

/** Contenders that are compared with each other take turns within a round. */
export const throughputGroups = [
  ['inline', 'sqlite', 'bare-sqlite'],
  ['postgres', 'pg-boss'],
];

/**
 * Bare SQLite syncs for every event, so on a slow disk it takes seconds to answer 256 connections. It is measured
 * alone and in few rounds: within a group, the others would idle meanwhile.
 */
export const slowDiskGroups = [
  { group: ['inline', 'sqlite'], maxRounds: Number.POSITIVE_INFINITY },
  { group: ['bare-sqlite'], maxRounds: 9 },
];

/** Finds a contender by its id. */
export function contenderOf(/** @type {string} */ id) {
  const found = contenders.find((contender) => contender.id === id);
  if (!found) throw new Error(`no contender is called ${id}; --help lists them`);
  return found;
}
