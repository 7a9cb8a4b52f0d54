import { type AdapterCall, AdapterError } from '../../bridge/index.js';
import { asId, asText } from './json.js';
import type { RestClient } from './rest.js';

/**
 * The id of the last message in an active ticket, or `null` when the ticket is closed. Comments and mails are left
 * out: they can be hidden from us, and a hidden last one would look like a closed ticket.
 */
export async function lastMessageId(
  rest: RestClient,
  ticket: string,
  call: AdapterCall,
): Promise<string | null> {
  const { items } = await rest.search(
    {
      type: 'transactions',
      // RT's lifecycles define which statuses are active; they differ between queues.
      query: `TicketId = ${ticket} AND TicketStatus = '__Active__' AND (Type = 'Create' OR Type = 'Correspond')`,
      fields: ['Type'],
      newestFirst: true,
      limit: 1,
    },
    call,
  );
  return asId(items[0]?.id);
}

/** The status of a ticket. Fails with `gone` for a missing ticket, and with `auth` for one that we may not see. */
export async function statusOf(rest: RestClient, ticket: string, call: AdapterCall): Promise<string> {
  const { body } = await rest({ method: 'GET', path: `/ticket/${ticket}` }, call);
  return asText(body.Status);
}

/** Validates the id of a ticket before it goes into a path. */
export function ticketIdOf(externalId: string): string {
  const id = asId(externalId);
  if (id) return id;
  throw new AdapterError('invalid', 'Request Tracker numbers its tickets; this id is not a number.');
}
