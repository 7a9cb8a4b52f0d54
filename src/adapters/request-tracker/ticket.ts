import { type AdapterCall, AdapterError } from '../../bridge/index.js';
import type { Rest } from './rest.js';
import { idOf, textOf } from './shape.js';

/**
 * The number of the last thing said in a ticket, or `null` when the ticket has ended. Words among agents and
 * mails are not asked for: they can be hidden from us, and a hidden last one would look like no ticket.
 */
export async function lastSaid(rest: Rest, ticket: string, call: AdapterCall): Promise<string | null> {
  const { items } = await rest.search(
    {
      what: 'transactions',
      // RT knows by its lifecycles which statuses are active; they differ from queue to queue.
      query: `TicketId = ${ticket} AND TicketStatus = '__Active__' AND (Type = 'Create' OR Type = 'Correspond')`,
      fields: ['Type'],
      newestFirst: true,
      limit: 1,
    },
    call,
  );
  return idOf(items[0]?.id);
}

/** The status of a ticket. A ticket that is not there is `gone`, one that may not be seen `auth`. */
export async function statusOf(rest: Rest, ticket: string, call: AdapterCall): Promise<string> {
  const { body } = await rest({ method: 'GET', path: `/ticket/${ticket}` }, call);
  return textOf(body.Status);
}

/** The id of a ticket as RT's addresses take it. */
export function ticketId(externalId: string): string {
  const id = idOf(externalId);
  if (id) return id;
  throw new AdapterError('invalid', 'Request Tracker numbers its tickets; this id is not a number.');
}
