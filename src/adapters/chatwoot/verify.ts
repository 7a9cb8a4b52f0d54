import { type InboundRequest, type SignatureVerdict, verifySignature } from '../../bridge/index.js';

const SIGNATURE = /^sha256=(.+)$/;
const SECONDS = /^\d{1,12}$/;

/**
 * Whether a webhook is from Chatwoot: it signs the time and the body, joined with a dot. Inboxes of before
 * Chatwoot 4.13 send no signature, and are not believed.
 */
export function verify(
  secrets: readonly string[],
  { headers, body, receivedAt }: InboundRequest,
): SignatureVerdict {
  const signature = headers['x-chatwoot-signature'];
  const timestamp = headers['x-chatwoot-timestamp'];
  if (!signature || !timestamp) return 'unsigned';
  const [, hex] = SIGNATURE.exec(signature) ?? [];
  if (hex === undefined || !SECONDS.test(timestamp)) return 'forged';
  return verifySignature({
    secrets,
    payload: Buffer.concat([Buffer.from(`${timestamp}.`), body]),
    signature: hex,
    signedAt: Number(timestamp) * 1000,
    receivedAt,
  });
}
