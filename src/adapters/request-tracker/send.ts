import {
  type AdapterCall,
  AdapterError,
  type ConversationRef,
  type OutgoingMessage,
  type SentMessage,
} from '../../bridge/index.js';
import type { Rest } from './rest.js';
import type { Settled } from './settings.js';
import { idOf } from './shape.js';
import { lastSaid, statusOf, ticketId } from './ticket.js';

/** Messages whose fate is remembered at the same time. */
const MOST_UNCERTAIN = 1_000;

/** Adds what a user says to a ticket, as correspondence. */
export function createSending(rest: Rest, { selfId }: Settled) {
  /** Messages that RT may have, though its answer was lost; each with what was last said before it. */
  const uncertain = new Map<string, string>();

  const arrived = async (ticket: string, after: string, call: AdapterCall): Promise<string | null> => {
    const { items } = await rest.search(
      {
        what: 'transactions',
        query: `TicketId = ${ticket} AND id > ${after} AND Type = 'Correspond' AND Creator = ${selfId}`,
        fields: ['Type'],
        limit: 1,
      },
      call,
    );
    return idOf(items[0]?.id);
  };

  return async (ref: ConversationRef, message: OutgoingMessage, call: AdapterCall): Promise<SentMessage> => {
    const ticket = ticketId(ref.externalId);
    const earlier = uncertain.get(message.key);
    if (earlier !== undefined) {
      // Messages of a conversation come one by one, so one of ours since then can only be this one.
      const found = await arrived(ticket, earlier, call);
      uncertain.delete(message.key);
      if (found) return { messageId: found };
    }
    const before = await lastSaid(rest, ticket, call);
    if (before === null) throw await ended(rest, ticket, call);
    try {
      return { messageId: await correspond(rest, ticket, message.text, call) };
    } catch (error) {
      if (error instanceof AdapterError && error.kind === 'transient') {
        forgetOldest(uncertain);
        uncertain.set(message.key, before);
      }
      throw error;
    }
  };
}

async function correspond(
  rest: Rest,
  ticket: string,
  text: string,
  call: AdapterCall,
): Promise<string | null> {
  try {
    const { location } = await rest(
      {
        method: 'POST',
        path: `/ticket/${ticket}/correspond`,
        // RT takes a text of "0" for none at all.
        json: { ContentType: 'text/plain', Content: text === '0' ? '0\n' : text },
      },
      call,
    );
    return idOf(location?.match(/\/transaction\/(\d+)$/)?.[1]);
  } catch (error) {
    // RT says "Permission Denied" with status 400, in the language of the token's user.
    if (!(error instanceof AdapterError && error.kind === 'invalid')) throw error;
    throw new AdapterError(
      'auth',
      `${error.message} Has the user of the token the right "Reply to tickets" (ReplyToTicket)?`,
    );
  }
}

/** RT would reopen the ticket without a word to anybody: rather not say it. */
async function ended(rest: Rest, ticket: string, call: AdapterCall): Promise<AdapterError> {
  const status = await statusOf(rest, ticket, call);
  return new AdapterError('gone', `The ticket has ended (${status}); a message would reopen it.`);
}

function forgetOldest(uncertain: Map<string, string>): void {
  if (uncertain.size < MOST_UNCERTAIN) return;
  const [oldest] = uncertain.keys();
  if (oldest !== undefined) uncertain.delete(oldest);
}
