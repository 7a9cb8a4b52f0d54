/**
 * Webhooks of tickets. The Conversations API has no event for a solved ticket; a trigger of Zendesk calls this webhook
 * instead, with a body that the README gives.
 *
 * @module
 */
import { z } from 'zod';
import {
  type InboundRequest,
  type ParsedWebhook,
  parseJson,
  readAs,
  type SignatureVerdict,
  verifySignature,
} from '../../bridge/index.js';
import { TICKET_TAG } from './api.js';

const SIGNATURE = 'x-zendesk-webhook-signature';

/** The body that the trigger sends. */
const ticketSchema = z.object({
  ticket: z.union([z.string(), z.number()]).transform(String),
  tags: z.string().nullable(),
});

/** Whether a request is signed as webhooks of tickets are. Those of the Conversations API carry a secret instead. */
export const isTicketWebhook = ({ headers }: InboundRequest): boolean => headers[SIGNATURE] !== undefined;

/** The signature covers the time and the body. */
export function verifyTicketWebhook(
  secrets: readonly string[],
  { headers, body, receivedAt }: InboundRequest,
): SignatureVerdict {
  const time = headers[`${SIGNATURE}-timestamp`] ?? '';
  return verifySignature({
    secrets,
    payload: Buffer.concat([Buffer.from(time), body]),
    signature: headers[SIGNATURE],
    encoding: 'base64',
    signedAt: Date.parse(time),
    receivedAt,
  });
}

/** Tags are separated by spaces. A ticket without ours is no handoff. */
const OWN_TAG = new RegExp(`(?:^|\\s)${TICKET_TAG}([0-9a-z]+)(?=\\s|$)`);

/** A solved ticket ends its conversation. Zendesk does not say who solved it. */
export function parseTicketWebhook({ body }: InboundRequest): ParsedWebhook {
  const message = 'Zendesk sent a webhook of a ticket without ticket and tags: see the body in the README.';
  const { ticket, tags } = readAs(ticketSchema, parseJson(body, message), message);
  const [, externalId] = OWN_TAG.exec(tags ?? '') ?? [];
  if (externalId === undefined) return { events: [] };
  const author = { kind: 'agent', name: null } as const;
  return { events: [{ kind: 'closed', id: `solved ${ticket}`, externalId, author }] };
}
