import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords of RFC 6238, with what every authenticator app expects: SHA-1, 6 digits, 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** A code of the step before or after is accepted too, since clocks differ. */
const TOLERANCE = 1;
const RECOVERY_CODES = 10;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in Base32, of the 160 bits that RFC 4226 recommends. */
export const createTotpSecret = (): string => toBase32(randomBytes(20));

/** The URI that authenticator apps read from a QR code. */
export function totpUri(secret: string, login: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/** Whether a text is a secret as {@link createTotpSecret} makes it. */
export const isTotpSecret = (text: string): boolean => /^[A-Z2-7]{32}$/.test(text);

/** The code of a step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step that a code is of; `null` for a wrong one, or one of a step up to `lastStep`, which was used before. */
export function totpStepOf(secret: string, code: string, lastStep: number, now = Date.now()): number | null {
  const current = Math.floor(now / STEP_MS);
  const steps = Array.from({ length: 2 * TOLERANCE + 1 }, (_, index) => current - TOLERANCE + index);
  return steps.find((step) => step > lastStep && isSame(totpCode(secret, step), code)) ?? null;
}

/** New recovery codes, each of 120 random bits. */
export const createRecoveryCodes = (): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(randomBytes(15))
      .toLowerCase()
      .replace(/(.{4})(?=.)/g, '$1-'),
  );

/** The digest that a recovery code is stored as. A code is random enough that a plain digest hides it. */
export const recoveryDigest = (code: string): string =>
  hash('sha256', code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''), 'base64url');

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
