import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../DELIVERY.md', import.meta.url);

const INTRODUCTION = `# Deliveries: results

Written by \`npm run bench:delivery\`; see [README.md](README.md#deliveries) for what is measured and how. Trust the
ratios and not the figures. Each Node major has the results of its last full run.
`;

/**
 * Puts the results of one Node major in DELIVERY.md and leaves those of others as they are.
 *
 * @param {number} major
 * @param {string} section
 */
export function writeResults(major, section) {
  const sections = new Map(existsSync(file) ? readSections(readFileSync(file, 'utf8')) : []);
  sections.set(major, section.trim());
  const body = [...sections]
    .toSorted(([a], [b]) => a - b)
    .map(([node, text]) => `## Node ${node}\n\n${text}\n`);
  writeFileSync(file, [INTRODUCTION, ...body].join('\n'));
}

/** @returns {[number, string][]} */
function readSections(/** @type {string} */ text) {
  return text
    .split(/^## Node /m)
    .slice(1)
    .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n')).trim()]);
}
