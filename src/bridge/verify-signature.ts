import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureVerdict } from './adapter-types.js';

/** Input of {@link verifySignature}. */
export interface SignatureInput {
  /** The signature may match any of them, so that a secret can be rotated without a gap. */
  readonly secrets: readonly string[];
  /** The signed content. */
  readonly payload: string | Buffer;
  /** The HMAC-SHA256 in hexadecimal, without a prefix such as `sha256=`; `undefined` when the request has none. */
  readonly signature: string | undefined;
  /** The signed time in milliseconds, when the helpdesk sends one. */
  readonly signedAt?: number | undefined;
  /** Time of arrival: `request.receivedAt`. */
  readonly receivedAt: number;
  /** The largest difference between `signedAt` and `receivedAt`, in either direction. Default 5 minutes. */
  readonly toleranceMs?: number;
}

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/**
 * Verifies an HMAC-SHA256 signature in constant time. A wrong signature is `forged` whatever its age.
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
  signedAt,
  receivedAt,
  toleranceMs = 300_000,
}: SignatureInput): SignatureVerdict {
  if (signature === undefined || signature === '') return 'unsigned';
  if (!HEX_SHA256.test(signature)) return 'forged';
  const given = Buffer.from(signature, 'hex');
  const isRight = secrets
    .map((secret) => timingSafeEqual(given, createHmac('sha256', secret).update(payload).digest()))
    .includes(true);
  if (!isRight) return 'forged';
  if (signedAt === undefined) return 'genuine';
  return Math.abs(receivedAt - signedAt) <= toleranceMs ? 'genuine' : 'stale';
}
