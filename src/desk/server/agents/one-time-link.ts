import { randomBytes, timingSafeEqual } from 'node:crypto';

/** A token that logs an agent in once. */
export interface OneTimeLink {
  readonly token: string;
  /** Whether this is the token and it was not used before. */
  use(token: string): boolean;
}

export function createOneTimeLink(): OneTimeLink {
  const token = randomBytes(24).toString('base64url');
  const expected = Buffer.from(token);
  let isUsed = false;
  return {
    token,
    use(given) {
      const bytes = Buffer.from(given);
      if (isUsed || bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return false;
      isUsed = true;
      return true;
    },
  };
}
