/**
 * The samples of one round, by contender.
 *
 * @template Sample
 * @typedef {Readonly<Record<string, Sample>>} Round
 */

/** The value that a share of the values is below. */
export function percentile(/** @type {readonly number[]} */ values, /** @type {number} */ share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of some values. */
export const median = (/** @type {readonly number[]} */ values) => percentile(values, 0.5);

/**
 * One field of one contender's samples, for the rounds in which it was measured.
 *
 * @template {object} Sample
 * @param {readonly Round<Sample>[]} rounds
 * @param {string} id
 * @param {keyof Sample} field
 */
export function valuesOf(rounds, id, field) {
  return rounds.flatMap((round) => (round[id] ? [Number(round[id][field])] : []));
}

/**
 * The median ratio of two contenders. Each ratio compares samples of one round, taken within a second, so that a slow
 * minute of the machine affects both.
 *
 * @template {object} Sample
 * @param {readonly Round<Sample>[]} rounds
 * @param {string} id
 * @param {string} other
 * @param {keyof Sample} field
 */
export function ratioOf(rounds, id, other, field) {
  const both = rounds.filter((round) => round[id] && round[other]);
  return median(both.map((round) => Number(round[id][field]) / Number(round[other][field])));
}

/**
 * Measures some contenders in turn, round after round. Each round starts with another one, so that other work of the
 * machine affects all of them alike.
 *
 * @template Entry
 * @template Sample
 * @param {readonly Entry[]} entries
 * @param {number} rounds
 * @param {(entry: Entry) => string} idOf
 * @param {(entry: Entry) => Promise<Sample>} measure
 * @param {(text: string) => void} progress
 * @returns {Promise<Round<Sample>[]>}
 */
export async function inTurn(entries, rounds, idOf, measure, progress) {
  /** @type {Round<Sample>[]} */
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1}/${rounds}`);
    /** @type {Record<string, Sample>} */
    const result = {};
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[(index + round) % entries.length];
      result[idOf(entry)] = await measure(entry);
    }
    results.push(result);
  }
  return results;
}
