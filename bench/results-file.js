import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes the results of one Node major to a file and keeps those of the other majors.
 *
 * @param {URL} file
 * @param {string} introduction
 * @param {number} major
 * @param {string} section
 */
export function writeResults(file, introduction, major, section) {
  const sections = new Map(existsSync(file) ? readSections(readFileSync(file, 'utf8')) : []);
  sections.set(major, section.trim());
  const body = [...sections]
    .toSorted(([a], [b]) => a - b)
    .map(([node, text]) => `## Node ${node}\n\n${text}\n`);
  writeFileSync(file, [introduction, ...body].join('\n'));
}

/** @returns {[number, string][]} */
function readSections(/** @type {string} */ text) {
  return text
    .split(/^## Node /m)
    .slice(1)
    .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n')).trim()]);
}
