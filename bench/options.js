import { parseArgs } from 'node:util';
import { contenders, yardsticks } from './contenders/index.js';

/**
 * @typedef {object} Options
 * @property {readonly import('./contenders/index.js').Contender[]} selected
 * @property {number} rounds
 * @property {number} seconds of one round
 * @property {number} leadInSeconds of unmeasured load before each round
 * @property {number} warmUpRequests
 * @property {number} connections
 * @property {boolean} writesResults whether the results go to RESULTS.md
 */

const HELP = `Compares the receiver with other webhook receivers. The two yardsticks, bare node:http
and plain Express, are always measured.

  npm run bench                              about eleven minutes; writes bench/RESULTS.md
  node bench/run.js --quick                  about two minutes; writes nothing
  node bench/run.js --only line,mounted      some contenders; writes nothing
  node bench/run.js --rounds 101             101 rounds instead of 61
  npx -y -p node@24 node bench/run.js        on another Node

Contenders:
${contenders.map(({ id, title }) => `  ${id.padEnd(18)} ${title}`).join('\n')}
`;

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
  const load = values.quick
    ? { rounds: 11, seconds: 0.12, leadInSeconds: 0.05, warmUpRequests: 5000 }
    : { rounds: 61, seconds: 0.12, leadInSeconds: 0.05, warmUpRequests: 20_000 };
  const rounds = values.rounds === undefined ? load.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number, 1 or more');
  return {
    ...load,
    rounds,
    selected: select(values.only),
    connections: 32,
    writesResults: !values.quick && values.only === undefined,
  };
}

function select(/** @type {string | undefined} */ only) {
  if (only === undefined) return contenders;
  const ids = only.split(',').map((id) => id.trim());
  const unknown = ids.filter((id) => !contenders.some((contender) => contender.id === id));
  if (unknown.length > 0) {
    throw new Error(`--only: there is no contender ${unknown.join(', ')}; --help lists them`);
  }
  return contenders.filter((each) => yardsticks.includes(each) || ids.includes(each.id));
}
