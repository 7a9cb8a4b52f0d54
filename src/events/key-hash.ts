import { randomInt } from 'node:crypto';

/** Makes a hash (FNV-1a) with a secret start, so that nobody can send keys that all end in one chain. */
export function createKeyHash(): (key: string) => number {
  const seed = randomInt(2 ** 31);
  return (key) => {
    let hash = seed;
    for (let index = 0; index < key.length; index += 1) {
      hash = Math.imul(hash ^ key.charCodeAt(index), 16_777_619);
    }
    return hash;
  };
}
