import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** About 50 ms and 32 MB per hash. */
const COST = { N: 32_768, r: 8, p: 1 } as const;
const KEY_BYTES = 32;

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * (options.N ?? COST.N) * (options.r ?? COST.r);
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...options, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** Hashes a password: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a password matches a hash. */
export async function verifyPassword(password: string, hashed: string): Promise<boolean> {
  const [scheme, n, r, p, salt = '', key = ''] = hashed.split('$');
  if (scheme !== 'scrypt') return false;
  const expected = Buffer.from(key, 'base64url');
  const options = { N: Number(n), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, 'base64url'), options);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** A hash that no password matches. Unknown agents are checked against it, so that they take as long as known ones. */
export const DUMMY_HASH = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** The problem with a new password, or `null`. */
export function passwordProblem(password: string): string | null {
  if (password.length < 10) return 'A password needs at least 10 characters.';
  if (password.length > 200) return 'A password may have at most 200 characters.';
  return null;
}
