import { type InboundRequest, type SignatureVerdict, verifySignature } from '../../bridge/index.js';
import type { Slack } from './settings.js';

/** Slack signs the version, the time and the raw body; five minutes are what it recommends to allow. */
export function verifyRequest(
  { headers, body, receivedAt }: InboundRequest,
  { signingSecrets }: Pick<Slack, 'signingSecrets'>,
): SignatureVerdict {
  const time = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (!time || !signature) return 'unsigned';
  if (!signature.startsWith('v0=') || !/^\d{1,15}$/.test(time)) return 'forged';
  return verifySignature({
    secrets: signingSecrets,
    payload: Buffer.concat([Buffer.from(`v0:${time}:`), body]),
    signature: signature.slice(3),
    signedAt: Number(time) * 1000,
    receivedAt,
  });
}
