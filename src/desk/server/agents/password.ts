import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { DeskError } from '../errors.js';

/** About 100 ms and 64 MB per hash. Older hashes have their own numbers in them. */
const COST = { N: 65_536, r: 8, p: 1 } as const;
/** The first half is stored to compare passwords with; the second half encrypts the agent's other secrets. */
const KEY_BYTES = 32;

/**
 * Hashes run in the thread pool of Node, which also reads the files of the page. Two at a time leave threads for that;
 * more than fifty waiting would be an attack, or take longer than an agent waits.
 */
const MAX_RUNNING = 2;
const MAX_WAITING = 50;
let running = 0;
const waiting: (() => void)[] = [];

async function takeTurn(): Promise<void> {
  if (running < MAX_RUNNING) running += 1;
  else if (waiting.length >= MAX_WAITING) throw new DeskError('BUSY');
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

function passTurn(): void {
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
}

const runScrypt = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * (options.N ?? COST.N) * (options.r ?? COST.r);
    scrypt(password.normalize('NFKC'), salt, 2 * KEY_BYTES, { ...options, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

async function derive(password: string, salt: Buffer, options: ScryptOptions) {
  await takeTurn();
  try {
    const key = await runScrypt(password, salt, options);
    return { stored: key.subarray(0, KEY_BYTES), sealingKey: key.subarray(KEY_BYTES) };
  } finally {
    passTurn();
  }
}

/** A hashed password, and a key that only its owner can derive again. */
export interface HashedPassword {
  /** `scrypt$N$r$p$salt$key`. */
  readonly hashed: string;
  readonly sealingKey: Buffer;
}

export async function hashPassword(password: string): Promise<HashedPassword> {
  const salt = randomBytes(16);
  const { stored, sealingKey } = await derive(password, salt, COST);
  const { N, r, p } = COST;
  const hashed = ['scrypt', N, r, p, salt.toString('base64url'), stored.toString('base64url')].join('$');
  return { hashed, sealingKey };
}

/** The sealing key of a password; `null` when it does not match the hash. */
export async function verifyPassword(password: string, hashed: string): Promise<Buffer | null> {
  const [scheme, n, r, p, salt = '', key = ''] = hashed.split('$');
  if (scheme !== 'scrypt') return null;
  const expected = Buffer.from(key, 'base64url');
  const options = { N: Number(n), r: Number(r), p: Number(p) };
  const { stored, sealingKey } = await derive(password, Buffer.from(salt, 'base64url'), options);
  return expected.length === stored.length && timingSafeEqual(expected, stored) ? sealingKey : null;
}

/** A hash that no password matches. Unknown agents are checked against it, so that they take as long as known ones. */
export const DUMMY_HASH = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Encrypts a secret of an agent with the key of their password (AES-256-GCM). */
export function seal(secret: string, key: Buffer): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return [iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url')).join('.');
}

/** Decrypts a secret that {@link seal} encrypted. Throws with another key. */
export function unseal(sealed: string, key: Buffer): string {
  const [iv, text, tag] = sealed.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (!iv || !text || tag?.length !== 16) throw new TypeError('not a sealed secret');
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

/** The problem with a new password of an agent, or `null`. */
export async function passwordProblem(password: string, login: string): Promise<string | null> {
  const length = lengthOf(password);
  if (length < MIN_LENGTH) return `A password needs at least ${MIN_LENGTH} characters.`;
  if (length > MAX_LENGTH) return `A password may have at most ${MAX_LENGTH} characters.`;
  const plain = password.toLowerCase();
  const withoutName = plain.replaceAll(login.toLowerCase(), '');
  const isGuessable =
    isRepetition(plain) || lengthOf(withoutName) < MIN_LENGTH - 4 || (await isCommon(plain));
  return isGuessable ? 'This password is easy to guess. Take several words, or a generated one.' : null;
}

/** The length in code points, so that an emoji counts once. */
const lengthOf = (text: string): number => Array.from(text).length;

/** Whether a password repeats a short text: `abcabcabcabc`. */
const isRepetition = (text: string): boolean => /^(.{1,6}?)\1+.{0,2}$/su.test(text);

/** Whether a password is among the 50,000 most common ones. They are loaded when an agent gets a password, not before. */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return dictionary['passwords-common'].includes(password);
}
