import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** What scrypt costs: about 50 ms and 32 MB a try. */
const COST = { N: 32_768, r: 8, p: 1 } as const;
const KEY_BYTES = 32;

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * (options.N ?? COST.N) * (options.r ?? COST.r);
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...options, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** A password as it is kept: the parameters, the salt and the derived key. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a password is the one that was hashed. */
export async function verifyPassword(password: string, hashed: string): Promise<boolean> {
  const [scheme, n, r, p, salt = '', key = ''] = hashed.split('$');
  if (scheme !== 'scrypt') return false;
  const wanted = Buffer.from(key, 'base64url');
  const options = { N: Number(n), r: Number(r), p: Number(p) };
  const got = await derive(password, Buffer.from(salt, 'base64url'), options);
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}

/** A hash that no password has: whoever is not known costs as much time as who is. */
export const NOBODYS_HASH = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** What is wrong with a new password, or `null`. */
export function passwordComplaint(password: string): string | null {
  if (password.length < 10) return 'A password needs at least 10 characters.';
  if (password.length > 200) return 'A password may have at most 200 characters.';
  return null;
}
