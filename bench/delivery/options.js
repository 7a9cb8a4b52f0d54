import { parseArgs } from 'node:util';
import { contenderOf, contenders } from './contenders.js';

/** @typedef {'throughput' | 'draining' | 'remembered' | 'waiting' | 'replies' | 'slow-disk'} Part */

/** The parts of a run, in this order. @type {Readonly<Record<Part, string>>} */
export const PARTS = {
  throughput: 'events accepted and handled per second, and the time until a handler starts',
  draining: 'handling alone: events that were stored while no worker ran',
  remembered: 'throughput with 1,000, 100,000 and 1,000,000 remembered events',
  waiting: 'draining with 1,000, 100,000 and 1,000,000 waiting conversations',
  replies: 'draining with one reply for each event, with 1,000 and 100,000 waiting conversations',
  'slow-disk': 'SQLite on a disk that takes 5 ms longer for every sync',
};

/**
 * @typedef {object} Options
 * @property {ReadonlySet<Part>} parts
 * @property {readonly import('./contenders.js').Contender[]} selected
 * @property {number} rounds
 * @property {number} seconds of one round
 * @property {number} leadInSeconds
 * @property {number} latencySeconds
 * @property {number} drained events that one round of `draining` or `waiting` handles
 * @property {number} drainRounds
 * @property {readonly number[]} sizes of the stores in `remembered` and `waiting`
 * @property {number} replied events that one round of `replies` handles
 * @property {number} replyRounds
 * @property {boolean} writesResults whether the results belong in DELIVERY.md
 */

const HELP = `Measures deliveries beside the bare engines, all in one run.

  npm run bench:delivery                               about fifteen minutes; writes bench/DELIVERY.md
  node bench/delivery/run.js --quick                   about three minutes; writes nothing
  node bench/delivery/run.js --only throughput,sqlite,inline   some parts and contenders; writes nothing
  node bench/delivery/run.js --rounds 301              more rounds than 151

Parts:
${Object.entries(PARTS)
  .map(([id, title]) => `  ${id.padEnd(12)} ${title}`)
  .join('\n')}

Contenders:
${contenders.map(({ id, title }) => `  ${id.padEnd(12)} ${title}`).join('\n')}
`;

const isPart = (/** @type {string} */ id) => Object.hasOwn(PARTS, id);

/**
 * Reads the command line.
 *
 * @param {string[]} args
 * @returns {Options | { help: string }}
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { help: HELP };
  const scale = values.quick
    ? { rounds: 9, drained: 2_000, drainRounds: 3, sizes: [1_000, 100_000], replied: 2_000, replyRounds: 1 }
    : {
        rounds: 151,
        drained: 5_000,
        drainRounds: 7,
        sizes: [1_000, 100_000, 1_000_000],
        replied: 10_000,
        replyRounds: 3,
      };
  const rounds = values.rounds === undefined ? scale.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number, 1 or more');
  const only = (values.only ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
  const parts = /** @type {Part[]} */ (only.filter(isPart));
  const ids = only.filter((id) => !isPart(id));
  for (const id of ids) contenderOf(id);
  return {
    ...scale,
    rounds,
    drainRounds: Math.min(rounds, scale.drainRounds),
    seconds: 0.2,
    leadInSeconds: 0.1,
    latencySeconds: 0.3,
    parts: new Set(parts.length > 0 ? parts : /** @type {Part[]} */ (Object.keys(PARTS))),
    selected: ids.length > 0 ? contenders.filter(({ id }) => ids.includes(id)) : contenders,
    writesResults: !values.quick && values.only === undefined,
  };
}
