import { median, valuesOf } from '../rounds.js';
import { judge } from './targets.js';

/** @typedef {import('./measure.js').Measured} Measured */

const whole = (/** @type {number} */ value) =>
  Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '-';
const short = (/** @type {number} */ value) => (Number.isFinite(value) ? value.toFixed(1) : '-');

const table = (/** @type {string[]} */ head, /** @type {string[][]} */ rows) =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');

/**
 * Gathers what was measured, and writes it as Markdown that reads well on a terminal too.
 *
 * @param {import('./options.js').Options} options
 * @param {number} slowDiskConnections
 */
export function createReport(options, slowDiskConnections) {
  /** @type {string[]} */
  const sections = [];
  /** @type {Parameters<typeof judge>[0]} */
  const results = { throughput: [], backlog: new Map(), growth: new Map(), slowDisk: [] };
  const titleOf = (/** @type {string} */ id) => options.selected.find((each) => each.id === id)?.title ?? id;

  const rowsOf = (/** @type {Measured} */ { rounds, latencies, memory }, name = titleOf) =>
    [...memory.keys()].map((id) => {
      const middle = (/** @type {keyof import('./measure.js').Sample} */ field) =>
        median(valuesOf(rounds, id, field));
      return [
        name(id),
        whole(middle('accepted')),
        whole(middle('handled')),
        short(median(valuesOf(latencies, id, 'p50'))),
        short(median(valuesOf(latencies, id, 'p99'))),
        short(middle('answerP99')),
        whole(middle('cpu')),
        whole(middle('databaseCpu')),
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
  const slowDisk = () => {
    if (results.slowDisk.length === 0) return [];
    const rows = results.slowDisk.flatMap((measured) => rowsOf(measured));
    return [
      `### A disk that takes 5 ms longer for every sync, ${slowDiskConnections} connections\n\n${table(['contender', ...HEAD], rows)}`,
    ];
  };
  const HEAD = ['accepted/s', 'handled/s', 'p50 ms', 'p99 ms', 'answer p99 ms', 'CPU µs', 'database CPU µs'];

  return {
    throughput(/** @type {Measured} */ measured) {
      results.throughput.push(measured);
    },
    backlog(/** @type {Map<string, { handled: number, cpu: number }[]>} */ samples) {
      results.backlog = samples;
      sections.push(
        `### Handling alone: ${options.backlog.toLocaleString('en')} events that were waiting\n\n${table(
          ['contender', 'handled/s', 'CPU µs'],
          [...samples].map(([id, rounds]) => [
            titleOf(id),
            whole(median(rounds.map(({ handled }) => handled))),
            whole(median(rounds.map(({ cpu }) => cpu))),
          ]),
        )}`,
      );
    },
    growth(/** @type {string} */ id, /** @type {Measured} */ measured) {
      results.growth.set(id, measured);
      const rows = rowsOf(measured, (size) => whole(Number(size)));
      sections.push(`### Growth: ${titleOf(id)}\n\n${table(['stored events', ...HEAD], rows)}`);
    },
    slowDisk(/** @type {Measured} */ measured) {
      results.slowDisk.push(measured);
    },
    noSlowDisk(/** @type {string} */ why) {
      sections.push(`### A slow disk\n\nNot measured: ${why}.`);
    },
    text() {
      const verdicts = judge(results).map(({ title, value, limit, met }) => [
        title,
        limit,
        value.toFixed(2),
        met ? 'met' : 'missed',
      ]);
      const targets =
        verdicts.length > 0 ? [`### Targets\n\n${table(['target', 'limit', 'measured', ''], verdicts)}`] : [];
      const pace = `${options.rounds} rounds of ${options.seconds} s, 32 connections, bodies of 1,536 bytes, 1,000 conversations.`;
      return [pace, ...targets, ...throughput(), ...sections, ...slowDisk()].join('\n\n');
    },
  };
}
