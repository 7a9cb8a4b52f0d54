import { KINDS } from './page.js';

/** @param {readonly number[]} sorted @param {number} share */
export const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** @param {readonly number[]} durations */
function summary(durations) {
  const sorted = durations.toSorted((a, b) => a - b);
  if (sorted.length === 0) return ['–', '–', '–'];
  return [0.5, 0.95, 1].map((share) => quantile(sorted, share).toFixed(0));
}

/** @param {import('./page.js').Interactions} interactions */
export function interactionTable(interactions) {
  const rows = KINDS.map((kind) => {
    const { reactions, results } = interactions[kind];
    const slow = reactions.filter((ms) => ms > 200).length;
    return [kind, reactions.length, ...summary(reactions), slow, ...summary(results)];
  });
  return [
    '| interaction | count | p50 ms | p95 ms | max ms | over 200 ms | result p50 ms | p95 ms | max ms |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** @param {readonly { when: string, pageMb: number, heapMb: number, rssMb: number }[]} lines */
export function memoryTable(lines) {
  const mb = (/** @type {number} */ value) => value.toFixed(1);
  return [
    '| memory, MB | heap of the page | heap of the server | server process |',
    '|---|---|---|---|',
    ...lines.map(
      ({ when, pageMb, heapMb, rssMb }) => `| ${when} | ${mb(pageMb)} | ${mb(heapMb)} | ${mb(rssMb)} |`,
    ),
  ].join('\n');
}
