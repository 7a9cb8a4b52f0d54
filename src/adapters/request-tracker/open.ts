import { createHash } from 'node:crypto';
import {
  type AdapterCall,
  AdapterError,
  type HandoffSession,
  type OpenedConversation,
} from '../../bridge/index.js';
import { firstMessage, subjectOf } from './content.js';
import { quoted, type Rest } from './rest.js';
import type { Settled } from './settings.js';
import { idOf } from './shape.js';

/** What links of our tickets begin with, so that a Scrip can tell them from others. */
export const LINK_PREFIX = 'urn:handoff-kit:';

/**
 * A link that a ticket gets when it is made, in the same step, and that searches find at once. It needs no
 * custom field, so nobody has to set one up. The key is hashed because a link holds 240 characters.
 */
const linkOf = ({ key }: HandoffSession): string =>
  `${LINK_PREFIX}${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;

/** Makes tickets, and finds them again. */
export function createOpening(rest: Rest, settings: Settled) {
  const opened = (ticket: string): OpenedConversation => ({
    externalId: ticket,
    url: `${settings.url}/Ticket/Display.html?id=${ticket}`,
  });

  return {
    async open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation> {
      // No requestor: RT would make a user for the e-mail address, which can be the same for everybody, and
      // would send mail to it.
      const { body } = await rest(
        {
          method: 'POST',
          path: '/ticket',
          json: {
            Queue: settings.queue,
            Subject: subjectOf(session, settings.subject),
            ContentType: 'text/plain',
            Content: firstMessage(session),
            RefersTo: linkOf(session),
          },
        },
        call,
      );
      const ticket = idOf(body.id);
      if (ticket) return opened(ticket);
      throw new AdapterError('transient', 'Request Tracker made a ticket and did not tell its number.');
    },

    async find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null> {
      const { items } = await rest.search(
        { what: 'tickets', query: `RefersTo = ${quoted(linkOf(session))}`, fields: ['Status'], limit: 1 },
        call,
      );
      const ticket = idOf(items[0]?.id);
      return ticket ? opened(ticket) : null;
    },
  };
}
