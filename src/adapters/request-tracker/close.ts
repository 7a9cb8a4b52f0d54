import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
  type UndeliveredMessage,
  type UndeliveredReason,
  undeliveredNote,
} from '../../bridge/index.js';
import { lastMessageId, type RestClient, statusOf, ticketIdOf } from './rest.js';
import type { CheckedSettings } from './settings.js';

/** Creates `close`: sets the status and adds the reason as a comment. */
export function createClose(rest: RestClient, { closeStatus }: CheckedSettings) {
  /** Runs after the status change, so that a retry does not repeat the comment. */
  const addReason = async (ticket: string, { text }: CloseReason, call: AdapterCall): Promise<void> => {
    const json = { ContentType: 'text/plain', Content: text };
    await rest({ method: 'POST', path: `/ticket/${ticket}/comment`, json }, call).catch((error: unknown) => {
      call.log.warn({ err: error, ticket }, 'the reason for closing a ticket was not added as a comment');
    });
  };

  return async (ref: ConversationRef, reason: CloseReason, call: AdapterCall): Promise<void> => {
    const ticket = ticketIdOf(ref.externalId);
    if (await isClosed(rest, ticket, call)) return;
    await rest({ method: 'PUT', path: `/ticket/${ticket}`, json: { Status: closeStatus } }, call);
    // RT reports success whether or not the status changed; only its message text tells.
    if (!(await isClosed(rest, ticket, call))) {
      throw new AdapterError(
        'auth',
        `Request Tracker did not set a ticket to "${closeStatus}". Does the user of the token have the right ModifyTicket ("Modify tickets")? Does the queue's lifecycle have that status? Does the ticket depend on an open one?`,
      );
    }
    await addReason(ticket, reason, call);
  };
}

/** Creates `undelivered`: adds a comment, which leaves a closed ticket closed. */
export function createUndelivered(rest: RestClient) {
  return async (
    ref: ConversationRef,
    message: UndeliveredMessage,
    reason: UndeliveredReason,
    call: AdapterCall,
  ): Promise<void> => {
    const json = { ContentType: 'text/plain', Content: undeliveredNote(message, reason) };
    await rest({ method: 'POST', path: `/ticket/${ticketIdOf(ref.externalId)}/comment`, json }, call);
  };
}

async function isClosed(rest: RestClient, ticket: string, call: AdapterCall): Promise<boolean> {
  if ((await lastMessageId(rest, ticket, call)) !== null) return false;
  // Not active, or hidden from us: reading the status tells which.
  return statusOf(rest, ticket, call).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AdapterError && error.kind === 'gone') return true;
      throw error;
    },
  );
}
