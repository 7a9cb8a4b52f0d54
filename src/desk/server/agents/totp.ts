import { hash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** A code of the step before or after is accepted too, since clocks differ. */
const TOLERANCE = 1;
const RECOVERY_CODES = 10;

/** A new secret in Base32, of the 160 bits that RFC 4226 recommends. */
export const createTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The URI that authenticator apps read from a QR code. */
export const totpUri = (secret: string, label: string, issuer: string): string =>
  new TOTP({ secret, label, issuer }).toString();

/** Whether a text is a secret as {@link createTotpSecret} makes it. */
export const isTotpSecret = (text: string): boolean => /^[A-Z2-7]{32}$/.test(text);

/** The step that a code belongs to; `null` for a wrong code, or a step up to `lastStep`, whose codes were used before. */
export function totpStepOf(
  secret: string,
  token: string,
  lastStep: number,
  timestamp = Date.now(),
): number | null {
  const totp = new TOTP({ secret });
  const delta = totp.validate({ token, timestamp, window: TOLERANCE });
  const step = totp.counter({ timestamp }) + (delta ?? 0);
  return delta !== null && step > lastStep ? step : null;
}

/** New recovery codes, each of 120 random bits. */
export const createRecoveryCodes = (): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ size: 15 }).base32.toLowerCase().replace(/(.{4})(?=.)/g, '$1-'),
  );

/** The digest that a recovery code is stored as. A code is random enough that a plain digest hides it. */
export const recoveryDigest = (code: string): string =>
  hash('sha256', code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''), 'base64url');
