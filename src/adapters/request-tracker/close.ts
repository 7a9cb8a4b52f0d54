import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
} from '../../bridge/index.js';
import type { Rest } from './rest.js';
import type { Settled } from './settings.js';
import { lastSaid, statusOf, ticketId } from './ticket.js';

/** Ends tickets, and notes in them why. */
export function createClosing(rest: Rest, { closeStatus }: Settled) {
  /** Said after the end rather than before, so that what has to be tried again does not say it again. */
  const explain = async (ticket: string, { text }: CloseReason, call: AdapterCall): Promise<void> => {
    const json = { ContentType: 'text/plain', Content: text };
    await rest({ method: 'POST', path: `/ticket/${ticket}/comment`, json }, call).catch((error: unknown) => {
      call.log.warn({ err: error, ticket }, 'why a ticket was ended could not be noted in it');
    });
  };

  return async (ref: ConversationRef, reason: CloseReason, call: AdapterCall): Promise<void> => {
    const ticket = ticketId(ref.externalId);
    if (await hasEnded(rest, ticket, call)) return;
    await rest({ method: 'PUT', path: `/ticket/${ticket}`, json: { Status: closeStatus } }, call);
    // RT answers with success whether or not the status changed, and tells which only in words.
    if (!(await hasEnded(rest, ticket, call))) {
      throw new AdapterError(
        'auth',
        `Request Tracker did not set a ticket to "${closeStatus}". Has the user of the token the right ModifyTicket ("Modify tickets")? Does the queue's lifecycle have that status, and does the ticket depend on none that is open?`,
      );
    }
    await explain(ticket, reason, call);
  };
}

async function hasEnded(rest: Rest, ticket: string, call: AdapterCall): Promise<boolean> {
  if ((await lastSaid(rest, ticket, call)) !== null) return false;
  // No active ticket was found; whether it may be seen at all is another question.
  return statusOf(rest, ticket, call).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AdapterError && error.kind === 'gone') return true;
      throw error;
    },
  );
}
