import { hash, timingSafeEqual } from 'node:crypto';
import { configError } from '../../protocol/index.js';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares with a secret in a time that tells nothing of either. Of the secret only a digest is kept. */
export function createMatcher(secret: string): (candidate: string) => boolean {
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
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
