import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

/**
 * Prints the coverage of each folder of `src` as a table in Markdown, from the file that the reporter `json-summary` wrote.
 *
 *   npm test -- --coverage --coverage.include='src/**' --coverage.reporter=json-summary
 *   node scripts/coverage-summary.js coverage/coverage-summary.json
 */
const [, , file = 'coverage/coverage-summary.json'] = process.argv;
const MEASURES = /** @type {const} */ (['lines', 'functions', 'branches']);

/** @typedef {{ total: number, covered: number }} Share */
/** @typedef {Record<typeof MEASURES[number], Share>} Coverage */

/** @type {Record<string, Coverage>} */
const { total, ...files } = JSON.parse(readFileSync(file, 'utf8'));
/** @type {Map<string, Coverage[]>} */
const folders = new Map();
for (const [path, coverage] of Object.entries(files)) {
  const folder = folderOf(path);
  folders.set(folder, [...(folders.get(folder) ?? []), coverage]);
}

print('### Coverage');
print('');
print('By the quick tests, in their own process: what runs in child processes and threads is not counted.');
print('');
print(`| folder | ${MEASURES.join(' | ')} |`);
print(`|---|${'---:|'.repeat(MEASURES.length)}`);
for (const [folder, coverages] of [...folders].sort(([one], [other]) => (one < other ? -1 : 1))) {
  printRow(`\`${folder}\``, coverages);
}
if (total !== undefined) printRow('**all**', [total]);

/**
 * The folder in `src`, and that of an adapter.
 *
 * @param {string} path
 */
function folderOf(path) {
  const [, first = '', second = '', third] = relative(process.cwd(), path).split(sep);
  if (second === '') return 'src';
  return first === 'adapters' && third !== undefined ? `${first}/${second}` : first;
}

/** @param {string} name @param {Coverage[]} coverages */
function printRow(name, coverages) {
  // Files that only export what others define have nothing to cover.
  if (coverages.every(({ lines }) => lines.total === 0)) return;
  const cells = MEASURES.map((measure) => {
    const parts = coverages.map((coverage) => coverage[measure]);
    const all = parts.reduce((sum, part) => sum + part.total, 0);
    const covered = parts.reduce((sum, part) => sum + part.covered, 0);
    return all === 0 ? '' : `${((100 * covered) / all).toFixed(1)} %`;
  });
  print(`| ${name} | ${cells.join(' | ')} |`);
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
