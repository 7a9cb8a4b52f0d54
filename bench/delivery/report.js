import { median, ratioOf, valuesOf } from '../rounds.js';
import { compareWithTargets } from './targets.js';

/**
 * @typedef {import('./measure.js').Measured} Measured
 * @typedef {import('./targets.js').DrainRound} DrainRound
 *
 * @typedef {object} ReplyRound rates per second
 * @property {number} without events without replies
 * @property {number} with events with one reply each
 * @property {number} fetch replies that `fetch` alone sends
 */

const HEAD = ['accepted/s', 'handled/s', 'p50 ms', 'p99 ms', 'answer p99 ms', 'CPU µs', 'database CPU µs'];

const whole = (/** @type {number} */ value) =>
  Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '-';
const short = (/** @type {number} */ value) => (Number.isFinite(value) ? value.toFixed(1) : '-');

const table = (/** @type {string[]} */ head, /** @type {string[][]} */ rows) =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');

/**
 * Collects results and writes them as Markdown that is readable on a terminal too.
 *
 * @param {import('./options.js').Options} options
 * @param {number} slowDiskConnections
 */
export function createReport(options, slowDiskConnections) {
  /** @type {string[]} */
  const sections = [];
  /** @type {string[][]} */
  const replyRows = [];
  /** @type {import('./targets.js').Results} */
  const results = {
    throughput: [],
    draining: new Map(),
    remembered: new Map(),
    waiting: new Map(),
    slowDisk: [],
  };
  const titleOf = (/** @type {string} */ id) => options.selected.find((each) => each.id === id)?.title ?? id;

  const rowsOf = (/** @type {Measured} */ { rounds, latencies, memory }, name = titleOf) =>
    [...memory.keys()].map((id) => {
      const medianOf = (/** @type {keyof import('./measure.js').Sample} */ field) =>
        median(valuesOf(rounds, id, field));
      return [
        name(id),
        whole(medianOf('accepted')),
        whole(medianOf('handled')),
        short(median(valuesOf(latencies, id, 'p50'))),
        short(median(valuesOf(latencies, id, 'p99'))),
        short(medianOf('answerP99')),
        whole(medianOf('cpu')),
        whole(medianOf('databaseCpu')),
      ];
    });

  const throughput = () => {
    if (results.throughput.length === 0) return [];
    return [
      `### Accepted and handled\n\n${table(
        ['contender', ...HEAD],
        results.throughput.flatMap((measured) => rowsOf(measured)),
      )}`,
      `### Memory over the run, in megabytes\n\n${table(
        ['contender', 'heap, before the rounds', 'heap, after', 'RSS, before', 'RSS, after'],
        results.throughput.flatMap(({ memory }) =>
          [...memory].map(([id, { before, after }]) => [
            titleOf(id),
            ...[before.heap, after.heap, before.rss, after.rss].map(short),
          ]),
        ),
      )}`,
    ];
  };

  const waiting = () => {
    if (results.waiting.size === 0) return [];
    const rows = [...results.waiting].flatMap(([id, rounds]) => {
      const sizes = [...new Set(rounds.flatMap((round) => Object.keys(round)))];
      return sizes.map((size) => [
        titleOf(id),
        whole(Number(size)),
        whole(median(valuesOf(rounds, size, 'handled'))),
        ratioOf(rounds, size, sizes[0] ?? size, 'handled').toFixed(2),
        whole(median(valuesOf(rounds, size, 'cpu'))),
      ]);
    });
    const head = ['contender', 'waiting conversations', 'handled/s', 'ratio to the fewest', 'CPU µs'];
    return [`### Draining while many conversations wait\n\n${table(head, rows)}`];
  };

  const replies = () => {
    if (replyRows.length === 0) return [];
    const head = [
      'contender',
      'waiting conversations',
      'events/s',
      'events/s, one reply each',
      'ratio',
      'fetch alone/s',
      'ratio to fetch alone',
    ];
    return [`### Draining with replies: a platform that takes 20 ms for each\n\n${table(head, replyRows)}`];
  };

  const slowDisk = () => {
    if (results.slowDisk.length === 0) return [];
    const rows = results.slowDisk.flatMap((measured) => rowsOf(measured));
    const rounds = results.slowDisk.flatMap((measured) => measured.rounds);
    const ratio = ratioOf(rounds, 'sqlite', 'inline', 'accepted');
    return [
      `### A disk that takes 5 ms longer for every sync, ${slowDiskConnections} connections\n\n${table(['contender', ...HEAD], rows)}`,
      ...(Number.isFinite(ratio) ? [`SQLite, accepted, to inline: ${ratio.toFixed(2)} (no target).`] : []),
    ];
  };

  return {
    throughput(/** @type {Measured} */ measured) {
      results.throughput.push(measured);
    },
    draining(/** @type {Map<string, { handled: number, cpu: number }[]>} */ samples) {
      results.draining = samples;
      sections.push(
        `### Draining: ${options.drained.toLocaleString('en')} stored events\n\n${table(
          ['contender', 'handled/s', 'CPU µs'],
          [...samples].map(([id, rounds]) => [
            titleOf(id),
            whole(median(rounds.map(({ handled }) => handled))),
            whole(median(rounds.map(({ cpu }) => cpu))),
          ]),
        )}`,
      );
    },
    remembered(/** @type {string} */ id, /** @type {Measured} */ measured) {
      results.remembered.set(id, measured);
      const rows = rowsOf(measured, (size) => whole(Number(size)));
      sections.push(`### Remembered events: ${titleOf(id)}\n\n${table(['remembered', ...HEAD], rows)}`);
    },
    waiting(/** @type {string} */ id, /** @type {DrainRound[]} */ rounds) {
      results.waiting.set(id, rounds);
    },
    replies(/** @type {string} */ id, /** @type {number} */ size, /** @type {ReplyRound[]} */ rounds) {
      replyRows.push([
        titleOf(id),
        whole(size),
        whole(median(rounds.map(({ without }) => without))),
        whole(median(rounds.map((round) => round.with))),
        median(rounds.map((round) => round.with / round.without)).toFixed(2),
        whole(median(rounds.map(({ fetch }) => fetch))),
        median(rounds.map((round) => round.with / round.fetch)).toFixed(2),
      ]);
    },
    slowDisk(/** @type {Measured} */ measured) {
      results.slowDisk.push(measured);
    },
    noSlowDisk(/** @type {string} */ reason) {
      sections.push(`### A slow disk\n\nNot measured: ${reason}.`);
    },
    text() {
      const verdicts = compareWithTargets(results).map(({ title, value, limit, met }) => [
        title,
        limit,
        value.toFixed(2),
        met ? 'met' : 'missed',
      ]);
      const targets =
        verdicts.length > 0 ? [`### Targets\n\n${table(['target', 'limit', 'measured', ''], verdicts)}`] : [];
      const pace = `${options.rounds} rounds of ${options.seconds} s, 32 connections, bodies of 1,536 bytes, 1,000 conversations.`;
      return [pace, ...targets, ...throughput(), ...sections, ...waiting(), ...replies(), ...slowDisk()].join(
        '\n\n',
      );
    },
  };
}
