import { configError } from './error.js';

/**
 * Throws for unknown options, which are misspelt or belong elsewhere.
 *
 * @param place - whose options these are, such as `createBridge` or `limits of createBridge`
 */
export function checkOptionNames(place: string, options: object | undefined, known: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const closest = closestName(unknown[0] ?? '', known);
  const hint = closest === null ? `It knows ${known.join(', ')}.` : `Did you mean ${closest}?`;
  throw configError(`${place} does not know the option ${unknown.join(', ')}. ${hint}`);
}

/** The known name that a wrong one was probably meant to be; `null` if none is close. */
export function closestName(wrong: string, known: Iterable<string>): string | null {
  const distances = [...known].map((name) => ({ name, distance: distanceOf(plain(wrong), plain(name)) }));
  const [closest] = distances.toSorted((one, other) => one.distance - other.distance);
  return closest && closest.distance <= Math.min(2, wrong.length / 2) ? closest.name : null;
}

/** `chunkToken` and `chunk_token` are the same mistake. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** How many characters have to be inserted, removed or replaced (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
