import {
  AdapterError,
  type InboundRequest,
  type ParsedWebhook,
  type SignatureVerdict,
  verifySignature,
} from '../../bridge/index.js';
import { eventOf, type Happening, type Person } from './happening.js';
import type { Settled } from './settings.js';
import { type Fields, fieldsOf, idOf, isSet, listOf, textOf } from './shape.js';

/** When the Scrip signed, in seconds. */
export const TIMESTAMP_HEADER = 'X-Handoff-Kit-Timestamp';
/** `sha256=` and the HMAC-SHA256 of timestamp, full stop and body. */
export const SIGNATURE_HEADER = 'X-Handoff-Kit-Signature';

/** Whether a request is from the Scrip. */
export function verify(
  { headers, body, receivedAt }: InboundRequest,
  { secrets }: Settled,
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

/** What a request of the Scrip says. */
export function parse({ body }: InboundRequest, settings: Settled): ParsedWebhook {
  const told = listOf(read(body).told).map(happeningOf);
  if (told.length === 0) throw unknownShape();
  return { events: told.flatMap((happening) => eventOf(happening, settings) ?? []) };
}

function happeningOf(fields: Fields): Happening {
  const transaction = idOf(fields.transaction);
  const ticket = idOf(fields.ticket);
  const creator = personOf(fields.creator);
  const what = whatOf(fields);
  if (transaction && ticket && creator && what) return { transaction, ticket, creator, what };
  throw unknownShape();
}

const unknownShape = (): AdapterError =>
  new AdapterError(
    'invalid',
    'This is not what the Scrip of this version sends: print it anew and install it again.',
  );

function whatOf(fields: Fields): Happening['what'] | null {
  const { type } = fields;
  if (type === 'Comment') return { kind: 'said', internal: true, words: null };
  if (type === 'Correspond') {
    const { contentType, text } = fieldsOf(fields.content);
    const words = typeof text === 'string' ? { contentType: textOf(contentType), text } : null;
    return { kind: 'said', internal: false, words };
  }
  if (type === 'Status') return { kind: 'status', status: textOf(fields.status) };
  const owner = personOf(fields.owner);
  return type === 'Owner' && owner ? { kind: 'owner', owner } : null;
}

function personOf(value: unknown): Person | null {
  const { id, login, realName, privileged } = fieldsOf(value);
  const number = idOf(id);
  if (!number) return null;
  return {
    id: number,
    login: textOf(login),
    realName: textOf(realName),
    isPrivileged: isSet(privileged),
  };
}

function read(body: Buffer): Fields {
  try {
    return fieldsOf(JSON.parse(body.toString('utf8')));
  } catch {
    throw new AdapterError('invalid', 'A request of the Scrip was not JSON.');
  }
}
