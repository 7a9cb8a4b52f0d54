/**
 * What the receiver is held to, as ratios of requests a second. The same is shown for a handler that reads the
 * whole payload, since a receiver that leaves work until somebody looks would otherwise look better than it is.
 *
 * @typedef {object} Target
 * @property {string} ours
 * @property {string} reading our variant whose handler reads all
 * @property {string} other
 * @property {'toBare' | 'toFloor'} beside the yardstick that both were measured beside
 * @property {number} atLeast
 * @property {string} title
 */

/** @type {readonly Target[]} */
export const targets = [
  ['mounted', 'express', 0.8, 'mounted, against the Express floor'],
  ['mounted', 'express-json-zod', 1.3, 'mounted, against Express + json + auth + zod'],
  ['mounted', 'bolt-express', 1.3, 'mounted, against Bolt ExpressReceiver'],
  ['mounted', 'line', 1.3, 'mounted, against LINE'],
  ['http', 'bare', 0.65, 'on node:http, against bare node:http'],
  ['http', 'octokit', 1, 'on node:http, against Octokit'],
].map(([ours, other, atLeast, title]) => ({
  ours: String(ours),
  reading: `${ours}-reads`,
  other: String(other),
  beside: ours === 'mounted' ? 'toFloor' : 'toBare',
  atLeast: Number(atLeast),
  title: String(title),
}));

/**
 * Holds the results against the targets whose contenders took part.
 *
 * @param {readonly import('./report.js').Row[]} rows
 */
export function judge(rows) {
  const ratio = (
    /** @type {string} */ a,
    /** @type {string} */ b,
    /** @type {Target['beside']} */ beside,
  ) => {
    const [one, other] = [a, b].map((id) => rows.find((row) => row.id === id)?.[beside] ?? Number.NaN);
    return one / other;
  };
  return targets
    .map((target) => ({
      ...target,
      ratio: ratio(target.ours, target.other, target.beside),
      ratioReading: ratio(target.reading, target.other, target.beside),
    }))
    .filter((verdict) => !Number.isNaN(verdict.ratio))
    .map((verdict) => ({ ...verdict, met: verdict.ratio >= verdict.atLeast }));
}
