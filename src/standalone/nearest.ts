/** More changes than this, and a name is another name, not a misspelling. */
const FARTHEST = 3;

/** The name that somebody most likely meant, if any comes near. */
export function nearest(name: string, known: readonly string[]): string | null {
  const plain = bare(name);
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(plain, bare(candidate)) }))
    .sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= Math.min(FARTHEST, plain.length / 2) ? best.candidate : null;
}

/** How names are written makes no difference: MOUNT_PATH, mount-path and mountPath are one. */
const bare = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** How many letters must change to make one name of another (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [place, counterpart] of Array.from(other).entries()) {
      const substitution = (row[place] ?? 0) + (letter === counterpart ? 0 : 1);
      next.push(Math.min(substitution, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
