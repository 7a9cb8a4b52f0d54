import {
  type AdapterCall,
  AdapterError,
  type HandoffSession,
  keyHash,
  type OpenedConversation,
  routeFacts,
  transcriptText,
} from '../../bridge/index.js';
import { asId, quoted, type RestClient } from './rest.js';
import type { CheckedSettings } from './settings.js';

/** The prefix of our tickets' links, by which the Scrip recognizes them. */
export const LINK_PREFIX = 'urn:handoff-kit:';

/**
 * A link is stored in the request that creates the ticket, and searches find it at once. Unlike a custom field it
 * needs no setup. The key is hashed because links are limited to 240 characters.
 */
const linkOf = (session: HandoffSession): string => `${LINK_PREFIX}${keyHash(session, 40)}`;

/** RT's own scale: Low, Medium and High. */
const PRIORITIES = { low: 0, normal: 50, high: 100, urgent: 100 } as const;

/** Creates `open` and `find`. */
export function createOpening(rest: RestClient, settings: CheckedSettings) {
  const toOpened = (ticket: string): OpenedConversation => ({
    externalId: ticket,
    url: `${settings.url}/Ticket/Display.html?id=${ticket}`,
  });

  return {
    async open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation> {
      // No requestor: RT would create a user for the e-mail address, which many customers can share, and send mail
      // to it.
      const { body } = await rest(
        {
          method: 'POST',
          path: '/ticket',
          json: {
            Queue: session.route?.department ?? settings.queue,
            Subject: subjectOf(session, settings.subject),
            ContentType: 'text/plain',
            Content: firstMessage(session),
            RefersTo: linkOf(session),
            ...(session.route?.priority && { Priority: PRIORITIES[session.route.priority] }),
          },
        },
        call,
      );
      const ticket = asId(body.id);
      if (ticket) return toOpened(ticket);
      throw new AdapterError('transient', 'Request Tracker created a ticket and did not return its id.');
    },

    async find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null> {
      const { items } = await rest.search(
        { type: 'tickets', query: `RefersTo = ${quoted(linkOf(session))}`, fields: ['Status'], limit: 1 },
        call,
      );
      const ticket = asId(items[0]?.id);
      return ticket ? toOpened(ticket) : null;
    },
  };
}

/** RT's limit is 200; lists of tickets show far fewer. */
const MAX_SUBJECT = 100;

/** Far below RT's limit, and more than agents read. */
const MAX_TRANSCRIPT = 200_000;

const GUIDE =
  'Reply to this ticket to answer the customer: replies are sent as plain text. Comments are internal. Resolve the ticket to end the conversation.';

/** The subject of a ticket: the customer's first message, unless the settings define one. */
function subjectOf(session: HandoffSession, custom: ((session: HandoffSession) => string) | null): string {
  const subject = custom?.(session) ?? session.transcript.find(isUserText)?.text ?? '';
  const line = oneLine(subject);
  if (line === '') return 'Conversation with a customer';
  if (line.length <= MAX_SUBJECT) return line;
  return `${truncate(line, MAX_SUBJECT - 1)}…`;
}

/** The first message of a ticket: the user, a guide for agents, and the transcript. */
function firstMessage(session: HandoffSession): string {
  const { user, botId, conversationId, replyBy, transcript } = session;
  const facts = [
    ['User id', user.userId],
    ['Anonymous id', user.anonymousId],
    ['E-mail (perhaps a placeholder that others share)', user.email],
    ['Phone', user.phone],
    ['Bot', botId],
    ['Conversation', conversationId],
    ['First reply due by', replyBy.toISOString()],
    ...routeFacts(session),
  ].flatMap(([name, value]) => (value ? [`${name}: ${oneLine(value)}`] : []));
  const text = transcriptText(transcript, { maxLength: MAX_TRANSCRIPT });
  return [
    'A customer asks for a human.',
    facts.join('\n'),
    GUIDE,
    ...(text === '' ? [] : [`What was said before:\n\n${text}`]),
  ].join('\n\n');
}

/** Shortens a text between graphemes. */
function truncate(text: string, length: number): string {
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > length) break;
    kept += segment;
  }
  return kept;
}

const isUserText = ({ from, text }: HandoffSession['transcript'][number]): boolean =>
  from === 'user' && text.trim() !== '';

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
