import { median, middle } from './tally.js';
import { judge } from './targets.js';

/**
 * @typedef {import('./measure.js').Sample} Sample
 */

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
 */
export function createReport(options) {
  /** @type {string[]} */
  const sections = [];
  /** @type {Parameters<typeof judge>[0]} */
  const results = { throughput: new Map(), backlog: new Map(), growth: new Map(), slowDisk: new Map() };
  const titleOf = (/** @type {string} */ id) => options.selected.find((each) => each.id === id)?.title ?? id;

  const rowsOf = (/** @type {Map<string, Sample[]>} */ samples) =>
    [...samples].map(([id, rounds]) => [
      titleOf(id),
      whole(middle(rounds, 'accepted')),
      whole(middle(rounds, 'handled')),
      short(middle(rounds, 'p50')),
      short(middle(rounds, 'p99')),
      short(middle(rounds, 'answerP99')),
      whole(middle(rounds, 'cpu')),
      whole(middle(rounds, 'databaseCpu')),
    ]);
  const HEAD = ['accepted/s', 'handled/s', 'p50 ms', 'p99 ms', 'answer p99 ms', 'CPU µs', 'database CPU µs'];

  return {
    throughput(/** @type {Map<string, Sample[]>} */ samples) {
      results.throughput = samples;
      sections.push(
        `### Accepted and handled\n\n${table(['contender', ...HEAD], rowsOf(samples))}`,
        `### Memory over the run, in megabytes\n\n${table(
          ['contender', 'heap, first round', 'heap, last round', 'RSS, first', 'RSS, last'],
          [...samples].map(([id, rounds]) => [
            titleOf(id),
            ...[rounds[0]?.heap, rounds.at(-1)?.heap, rounds[0]?.rss, rounds.at(-1)?.rss].map((value) =>
              short(value ?? Number.NaN),
            ),
          ]),
        )}`,
      );
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
    growth(/** @type {string} */ id, /** @type {Map<string, Sample[]>} */ samples) {
      results.growth.set(id, samples);
      const rows = rowsOf(new Map([...samples].map(([size, rounds]) => [whole(Number(size)), rounds])));
      sections.push(`### Growth: ${titleOf(id)}\n\n${table(['stored events', ...HEAD], rows)}`);
    },
    slowDisk(/** @type {Map<string, Sample[]>} */ samples, /** @type {number} */ connections) {
      results.slowDisk = samples;
      sections.push(
        `### A disk that takes 5 ms longer for every sync, ${connections} connections\n\n${table(['contender', ...HEAD], rowsOf(samples))}`,
      );
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
      return [pace, ...targets, ...sections].join('\n\n');
    },
  };
}
