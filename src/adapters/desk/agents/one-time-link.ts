import { randomBytes, timingSafeEqual } from 'node:crypto';

/** A link that lets somebody in once, as for trying the desk out. */
export interface OneTimeLink {
  /** What goes into the link. */
  readonly token: string;
  /** Whether it is the token, for the first time. */
  use(token: string): boolean;
}

/** Makes a {@link OneTimeLink}. */
export function createOneTimeLink(): OneTimeLink {
  const token = randomBytes(24).toString('base64url');
  const wanted = Buffer.from(token);
  let used = false;
  return {
    token,
    use(given) {
      const bytes = Buffer.from(given);
      if (used || bytes.length !== wanted.length || !timingSafeEqual(bytes, wanted)) return false;
      used = true;
      return true;
    },
  };
}
