import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureVerdict } from './inbound.js';

/** A signature, and what it must be the signature of. */
export interface SignatureParts {
  /** Any of them passes: that is how a secret is changed without a gap. */
  readonly secrets: readonly string[];
  /** What was signed. */
  readonly payload: string | Buffer;
  /** The HMAC-SHA256 in hexadecimal as it came, without prefixes; `undefined` when none came. */
  readonly signature: string | undefined;
  /** When it was signed, in milliseconds, where the system says. */
  readonly signedAt?: number | undefined;
  /** When the request came. */
  readonly receivedAt: number;
  /** How old it may be, and how far ahead of our clock. Default 5 minutes. */
  readonly toleranceMs?: number;
}

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** Judges an HMAC-SHA256 signature in constant time. The age counts only once the signature is right. */
export function verifySignature({
  secrets,
  payload,
  signature,
  signedAt,
  receivedAt,
  toleranceMs = 300_000,
}: SignatureParts): SignatureVerdict {
  if (signature === undefined || signature === '') return 'unsigned';
  if (!HEX_SHA256.test(signature)) return 'forged';
  const given = Buffer.from(signature, 'hex');
  const right = secrets
    .map((secret) => timingSafeEqual(given, createHmac('sha256', secret).update(payload).digest()))
    .includes(true);
  if (!right) return 'forged';
  if (signedAt === undefined) return 'genuine';
  return Math.abs(receivedAt - signedAt) <= toleranceMs ? 'genuine' : 'stale';
}
