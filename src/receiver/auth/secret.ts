import { timingSafeEqual } from 'node:crypto';
import { configError } from '../../internal/index.js';

/** Candidates are compared in blocks of this many bytes, so that nobody can measure how long the secret is. */
const BLOCK = 128;

/**
 * Compares with a secret in a time that tells nothing of it. Both are laid into buffers of one size; that is as
 * safe as to compare digests, and spares every request the hashing.
 */
export function createMatcher(secret: string): (candidate: string) => boolean {
  const size = Math.ceil(Buffer.byteLength(secret) / BLOCK) * BLOCK;
  const expected = Buffer.alloc(size);
  expected.write(secret);
  const given = Buffer.alloc(size);
  let dirty = 0;
  return (candidate) => {
    const written = given.write(candidate);
    if (written < dirty) given.fill(0, written, dirty);
    dirty = written;
    const same = timingSafeEqual(given, expected);
    return candidate.length === secret.length && same;
  };
}

/** Refuses what cannot be a secret, most often a setting that was left empty or pasted with a line's end. */
export function checkSecret(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string' || value === '') {
    throw configError(`${what} is missing or empty. Is its environment variable set?`);
  }
  if (value.trim() !== value) {
    throw configError(`${what} begins or ends with white space. Was it pasted with some?`);
  }
}
