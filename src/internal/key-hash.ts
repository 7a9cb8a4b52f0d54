import { randomInt } from 'node:crypto';

/**
 * Makes a hash with a secret start, so that nobody can send keys that all end in one chain: FNV-1a over two characters
 * at a time, with the high bits brought down at the end, since a product never does that. With a start that is given, its
 * values may be stored: they stay the same.
 */
export function createKeyHash(seed = randomInt(2 ** 31)): (key: string) => number {
  return (key) => {
    let hash = seed;
    const even = key.length & ~1;
    for (let index = 0; index < even; index += 2) {
      hash = Math.imul(hash ^ (key.charCodeAt(index) | (key.charCodeAt(index + 1) << 16)), 16_777_619);
    }
    if (even < key.length) hash = Math.imul(hash ^ key.charCodeAt(even), 16_777_619);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
    return hash ^ (hash >>> 13);
  };
}
