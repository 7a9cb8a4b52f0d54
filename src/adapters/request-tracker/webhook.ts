import {
  AdapterError,
  asObject,
  asObjects,
  type InboundRequest,
  type JsonObject,
  type ParsedWebhook,
  parseJson,
  type SignatureVerdict,
  verifySignature,
} from '../../bridge/index.js';
import { asFlag, asId, asText } from './rest.js';
import type { CheckedSettings } from './settings.js';
import { type RtTransaction, type RtUser, toInboundEvent } from './transaction.js';

/** The time of signing, in seconds. */
export const TIMESTAMP_HEADER = 'X-Handoff-Kit-Timestamp';
/** `sha256=` and the HMAC-SHA256 of `<timestamp>.<body>`. */
export const SIGNATURE_HEADER = 'X-Handoff-Kit-Signature';

/** Verifies the signature of the Scrip. */
export function verify(
  { headers, body, receivedAt }: InboundRequest,
  { secrets }: CheckedSettings,
): SignatureVerdict {
  const timestamp = headers[TIMESTAMP_HEADER.toLowerCase()] ?? '';
  const signature = headers[SIGNATURE_HEADER.toLowerCase()];
  if (signature === undefined) return 'unsigned';
  if (!/^\d{1,12}$/.test(timestamp)) return 'forged';
  return verifySignature({
    secrets,
    payload: Buffer.concat([Buffer.from(`${timestamp}.`), body]),
    signature: signature.replace(/^sha256=/, ''),
    signedAt: Number(timestamp) * 1_000,
    receivedAt,
  });
}

/** Translates a request of the Scrip into events. */
export function parse({ body }: InboundRequest, settings: CheckedSettings): ParsedWebhook {
  const transactions = asObjects(
    asObject(parseJson(body, 'The request of the Scrip is not JSON.')).transactions,
  ).map(parseTransaction);
  if (transactions.length === 0) throw unknownFormat();
  return { events: transactions.flatMap((transaction) => toInboundEvent(transaction, settings) ?? []) };
}

function parseTransaction(fields: JsonObject): RtTransaction {
  const id = asId(fields.id);
  const ticket = asId(fields.ticket);
  const creator = parseUser(fields.creator);
  const change = parseChange(fields);
  if (id && ticket && creator && change) return { id, ticket, creator, change };
  throw unknownFormat();
}

const unknownFormat = (): AdapterError =>
  new AdapterError(
    'invalid',
    'The request does not have the format of this version of the Scrip: print the Scrip again and reinstall it.',
  );

function parseChange(fields: JsonObject): RtTransaction['change'] | null {
  const { type } = fields;
  if (type === 'Comment') return { kind: 'message', internal: true, content: null };
  if (type === 'Correspond') {
    const { contentType, text } = asObject(fields.content);
    const content = typeof text === 'string' ? { contentType: asText(contentType), text } : null;
    return { kind: 'message', internal: false, content };
  }
  if (type === 'Status') return { kind: 'status', status: asText(fields.status) };
  const owner = parseUser(fields.owner);
  return type === 'Owner' && owner ? { kind: 'owner', owner } : null;
}

function parseUser(value: unknown): RtUser | null {
  const { id, login, realName, privileged } = asObject(value);
  const userId = asId(id);
  if (!userId) return null;
  return {
    id: userId,
    login: asText(login),
    realName: asText(realName),
    isPrivileged: asFlag(privileged),
  };
}
