/**
 * The receiver's targets, as ratios of CPU time per request: requests per second vary by half on shared
 * machines. The handlers on both sides read the text of the event,
 * as real handlers do. The ratio of an empty handler is shown beside it.
 *
 * @typedef {object} Target
 * @property {string} ours
 * @property {string} empty our variant with an empty handler
 * @property {string} other
 * @property {'toBare' | 'toFloor'} yardstick the one that both were measured with
 * @property {number} atLeast
 * @property {string} title
 */

/** @type {readonly Target[]} */
export const targets = [
  ['mounted', 'express', 0.7, 'mounted, against the Express floor'],
  ['mounted', 'express-json-zod', 1.2, 'mounted, against Express + json + auth + zod'],
  ['mounted', 'bolt-express', 1.3, 'mounted, against Bolt ExpressReceiver'],
  ['mounted', 'line', 1, 'mounted, against LINE'],
  ['http', 'octokit', 1, 'on node:http, against Octokit'],
].map(([ours, other, atLeast, title]) => ({
  ours: String(ours),
  empty: `${ours}-empty`,
  other: String(other),
  yardstick: ours === 'mounted' ? 'toFloor' : 'toBare',
  atLeast: Number(atLeast),
  title: String(title),
}));

/**
 * Compares the results with the targets whose contenders were measured.
 *
 * @param {readonly import('./report.js').Row[]} rows
 */
export function compareWithTargets(rows) {
  const ratio = (
    /** @type {string} */ a,
    /** @type {string} */ b,
    /** @type {Target['yardstick']} */ yardstick,
  ) => {
    const [one, other] = [a, b].map((id) => rows.find((row) => row.id === id)?.[yardstick] ?? Number.NaN);
    return one / other;
  };
  return targets
    .map((target) => ({
      ...target,
      ratio: ratio(target.ours, target.other, target.yardstick),
      emptyRatio: ratio(target.empty, target.other, target.yardstick),
    }))
    .filter((result) => !Number.isNaN(result.ratio))
    .map((result) => ({ ...result, met: result.ratio >= result.atLeast }));
}
