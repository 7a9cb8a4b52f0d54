import { median, ratioOf, valuesOf } from './rounds.js';
import { compareWithTargets } from './targets.js';

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {{ median: number, min: number, max: number }} rate
 * @property {number} p99
 * @property {number} cpu
 * @property {number} busy
 * @property {number} toBare the CPU of bare node:http by that of this contender: above 1, it needs less
 * @property {number} toFloor the same for the Express floor
 */

const HEAD = ['contender', 'CPU µs/req', 'to bare', 'to Express', 'req/s', 'min - max', 'p99 ms'];

/**
 * Medians over the rounds.
 *
 * @param {readonly import('./contenders/index.js').Contender[]} selected
 * @param {Map<string, import('./measure.js').Round[]>} groups the rounds by contender
 * @returns {Row[]}
 */
export function summarize(selected, groups) {
  const all = [...groups.values()].flat();
  return selected.map(({ id, title }) => {
    // The yardsticks were measured in every round.
    const rounds = groups.get(id) ?? all;
    const medianOf = (/** @type {keyof import('./measure.js').Sample} */ field) =>
      median(valuesOf(rounds, id, field));
    const rates = valuesOf(rounds, id, 'rate');
    return {
      id,
      title,
      rate: { median: median(rates), min: Math.min(...rates), max: Math.max(...rates) },
      p99: medianOf('p99'),
      cpu: medianOf('cpu'),
      busy: medianOf('busy'),
      toBare: ratioOf(rounds, 'bare', id, 'cpu'),
      toFloor: ratioOf(rounds, 'express', id, 'cpu'),
    };
  });
}

const whole = (/** @type {number} */ value) => Math.round(value).toLocaleString('en');
const ratioText = (/** @type {number} */ value) => (Number.isFinite(value) ? value.toFixed(2) : '-');

const cells = (/** @type {Row} */ row) => [
  row.title,
  whole(row.cpu),
  ratioText(row.toBare),
  ratioText(row.toFloor),
  whole(row.rate.median),
  `${whole(row.rate.min)} - ${whole(row.rate.max)}`,
  row.p99.toFixed(1),
];

/** The results as a table for the terminal. @param {readonly Row[]} rows */
export function terminalReport(rows) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const format = (/** @type {string[]} */ line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ');
  const targetLines = compareWithTargets(rows).map(
    ({ title, ratio, emptyRatio, atLeast, met }) =>
      `  ${met ? 'met   ' : 'missed'}  ${title}: ${ratio.toFixed(2)}, target ${atLeast}` +
      ` (empty handler: ${ratioText(emptyRatio)})`,
  );
  const rule = widths.map((width) => '-'.repeat(width));
  const targets = targetLines.length > 0 ? ['', 'Targets', ...targetLines] : [];
  return [format(HEAD), format(rule), ...rows.map((row) => format(cells(row))), ...targets].join('\n');
}

const table = (/** @type {string[]} */ head, /** @type {string[][]} */ body) =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...body]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');

/** The results as a section of RESULTS.md, without its heading. @param {readonly Row[]} rows @param {string} machine */
export function markdownReport(rows, machine) {
  const targetRows = compareWithTargets(rows).map(({ title, ratio, emptyRatio, atLeast, met }) => [
    title,
    String(atLeast),
    ratio.toFixed(2),
    met ? 'met' : 'missed',
    ratioText(emptyRatio),
  ]);
  return [
    machine,
    table(HEAD, rows.map(cells)),
    table(['target, as a ratio of CPU per request', 'at least', 'measured', '', 'empty handler'], targetRows),
  ].join('\n\n');
}
