import {
  type AdapterCall,
  AdapterError,
  type ConversationRef,
  type OutgoingMessage,
  type SentMessage,
} from '../../bridge/index.js';
import { asId, lastMessageId, type RestClient, statusOf, ticketIdOf } from './rest.js';
import type { CheckedSettings } from './settings.js';

/** Upper bound on remembered messages. */
const MAX_UNCERTAIN = 1_000;

/** Creates `send`: adds the message to the ticket as correspondence. */
export function createSend(rest: RestClient, { selfId }: CheckedSettings) {
  /** Messages whose response was lost, by key, each with the id of the message before it. RT may have stored them. */
  const uncertain = new Map<string, string>();

  const findSent = async (ticket: string, after: string, call: AdapterCall): Promise<string | null> => {
    const { items } = await rest.search(
      {
        type: 'transactions',
        query: `TicketId = ${ticket} AND id > ${after} AND Type = 'Correspond' AND Creator = ${selfId}`,
        fields: ['Type'],
        limit: 1,
      },
      call,
    );
    return asId(items[0]?.id);
  };

  return async (ref: ConversationRef, message: OutgoingMessage, call: AdapterCall): Promise<SentMessage> => {
    const ticket = ticketIdOf(ref.externalId);
    const previous = uncertain.get(message.key);
    if (previous !== undefined) {
      // The bridge sends one message of a conversation at a time, so a later one of ours is this one.
      const found = await findSent(ticket, previous, call);
      uncertain.delete(message.key);
      if (found) return { messageId: found };
    }
    const before = await lastMessageId(rest, ticket, call);
    if (before === null) throw await closedError(rest, ticket, call);
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
  rest: RestClient,
  ticket: string,
  text: string,
  call: AdapterCall,
): Promise<string | null> {
  try {
    const { location } = await rest(
      {
        method: 'POST',
        path: `/ticket/${ticket}/correspond`,
        // RT treats the text "0" as empty.
        json: { ContentType: 'text/plain', Content: text === '0' ? '0\n' : text },
      },
      call,
    );
    return asId(location?.match(/\/transaction\/(\d+)$/)?.[1]);
  } catch (error) {
    // RT reports a missing permission with status 400 and a translated message.
    if (!(error instanceof AdapterError && error.message.includes('with 400'))) throw error;
    throw new AdapterError(
      'auth',
      `${error.message} Does the user of the token have the right ReplyToTicket ("Reply to tickets")?`,
    );
  }
}

/** A message would reopen the ticket without notifying an agent, so it is not sent. */
async function closedError(rest: RestClient, ticket: string, call: AdapterCall): Promise<AdapterError> {
  const status = await statusOf(rest, ticket, call);
  return new AdapterError('gone', `The ticket is closed (${status}); a message would reopen it.`);
}

function forgetOldest(uncertain: Map<string, string>): void {
  if (uncertain.size < MAX_UNCERTAIN) return;
  const [oldest] = uncertain.keys();
  if (oldest !== undefined) uncertain.delete(oldest);
}
