import { createHmac, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { SignatureVerdict } from './adapter-types.js';

/** Input of {@link verifySignature}. */
export interface SignatureInput {
  /** The signature may match any of them, so that a secret can be rotated without a gap. */
  readonly secrets: readonly string[];
  /** The signed content. */
  readonly payload: string | Buffer;
  /** The HMAC, without a prefix such as `sha256=`; `undefined` when the request has none. */
  readonly signature: string | undefined;
  /** How the HMAC is written. Default `hex`. */
  readonly encoding?: 'hex' | 'base64';
  /** The hash of the HMAC. Default `sha256`. */
  readonly algorithm?: 'sha1' | 'sha256';
  /** The signed time in milliseconds, when the helpdesk sends one. */
  readonly signedAt?: number | undefined;
  /** Time of arrival: `request.receivedAt`. */
  readonly receivedAt: number;
  /** The largest difference between `signedAt` and `receivedAt`, in either direction. Default 5 minutes. */
  readonly toleranceMs?: number;
}

const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;
const WRITTEN_AS = {
  hex: /^(?:[0-9a-f]{2})*$/i,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
} as const;

/**
 * Verifies an HMAC signature in constant time. A wrong signature is `forged` whatever its age.
 *
 * @example
 * verify: ({ headers, body, receivedAt }) =>
 *   verifySignature({
 *     secrets: [secret],
 *     payload: `${headers['x-time']}.${body.toString('utf8')}`,
 *     signature: headers['x-signature'],
 *     signedAt: Number(headers['x-time']) * 1_000,
 *     receivedAt,
 *   })
 */
export function verifySignature({
  secrets,
  payload,
  signature,
  encoding = 'hex',
  algorithm = 'sha256',
  signedAt,
  receivedAt,
  toleranceMs = 300_000,
}: SignatureInput): SignatureVerdict {
  if (signature === undefined || signature === '') return 'unsigned';
  const given = Buffer.from(signature, encoding);
  if (!WRITTEN_AS[encoding].test(signature) || given.length !== DIGEST_BYTES[algorithm]) return 'forged';
  const isRight = secrets
    .map((secret) => timingSafeEqual(given, createHmac(algorithm, secret).update(payload).digest()))
    .includes(true);
  if (!isRight) return 'forged';
  if (signedAt === undefined) return 'genuine';
  return Math.abs(receivedAt - signedAt) <= toleranceMs ? 'genuine' : 'stale';
}

/**
 * Compares a shared secret that a helpdesk sends with each request, in constant time.
 *
 * @example
 * verify: ({ headers }) => verifySecret({ secrets: [secret], given: headers['x-api-key'] })
 */
export function verifySecret({
  secrets,
  given,
}: {
  /** The request may carry any of them, so that a secret can be rotated without a gap. */
  readonly secrets: readonly string[];
  /** The secret of the request; `undefined` when it has none. */
  readonly given: string | undefined;
}): SignatureVerdict {
  if (given === undefined || given === '') return 'unsigned';
  // Digests have the same length, which timingSafeEqual needs.
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  const isRight = secrets.map((secret) => timingSafeEqual(digest(given), digest(secret))).includes(true);
  return isRight ? 'genuine' : 'forged';
}

/**
 * Verifies an RSA-SHA256 signature in Base64.
 *
 * @example
 * verify: ({ headers, body }) =>
 *   verifyRsaSignature({ publicKeys: [createPublicKey(pem)], payload: body, signature: headers['x-signature'] })
 */
export function verifyRsaSignature({
  publicKeys,
  payload,
  signature,
}: {
  /** The signature may match any of them, so that a key can be rotated without a gap. */
  readonly publicKeys: readonly KeyObject[];
  /** The signed content. */
  readonly payload: Buffer;
  /** The signature in Base64; `undefined` when the request has none. */
  readonly signature: string | undefined;
}): SignatureVerdict {
  if (signature === undefined || signature === '') return 'unsigned';
  // Node would skip over characters that are not Base64.
  if (!WRITTEN_AS.base64.test(signature)) return 'forged';
  const given = Buffer.from(signature, 'base64');
  return publicKeys.some((key) => verify('sha256', payload, key, given)) ? 'genuine' : 'forged';
}
