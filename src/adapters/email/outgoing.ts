import type { SendMailOptions } from 'nodemailer';
import {
  type AdapterCall,
  type CloseReason,
  type ConversationRef,
  type HandoffSession,
  type OpenedConversation,
  type OutgoingMessage,
  type SentMessage,
  sessionText,
  type UndeliveredMessage,
  type UndeliveredReason,
  undeliveredNote,
} from '../../bridge/index.js';
import { isAutomaticSubject } from './automatic.js';
import type { Mailbox } from './imap.js';
import { REPLY_ABOVE } from './reply-text.js';
import type { CheckedSettings } from './settings.js';
import type { Mailer } from './smtp.js';
import {
  createTokenOf,
  type MailPart,
  messageIdOf,
  OWN_HEADER,
  replyAddressOf,
  subjectTag,
  withoutTags,
} from './thread.js';

/** The receiver takes bodies of 256 KiB: a message is one mail. Servers may deliver two in either order. */
export const MAX_TEXT = 256 * 1024;
const MAX_TRANSCRIPT = 200_000;
/** Lists of mails show about that much. */
const MAX_SUBJECT = 80;

const GUIDE =
  'Reply to this mail to answer the user: your reply is sent as plain text, without the quoted mail and your signature. Write #close in the first line, alone or before your last words, to end the conversation.';

const ENDED = 'Replies to this conversation no longer reach the user.';

/** Creates `open`, `find`, `send`, `undelivered` and `close`. */
export function createOutgoing(mailer: Mailer, mailbox: Mailbox, settings: CheckedSettings) {
  const tokenOf = createTokenOf(settings);
  const mailOf = (token: string, subject: string, part: MailPart, text: string): MailToSend => {
    const root = messageIdOf(token, 'open', settings);
    const isFirst = part === 'open';
    const replyTo = replyAddressOf(token, settings);
    return {
      // Bounces go to the address with the token, too.
      envelope: { from: replyTo, to: [...settings.team] },
      from: { name: 'Customer chat', address: settings.address },
      to: [...settings.team],
      replyTo,
      subject: isFirst ? subject : `Re: ${subject}`,
      messageId: messageIdOf(token, part, settings),
      ...(isFirst ? {} : { inReplyTo: root, references: [root] }),
      headers: {
        [OWN_HEADER]: token,
        // RFC 3834 and Exchange: no automatic replies, please.
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'OOF, AutoReply',
      },
      text: `${REPLY_ABOVE}\n\n${text}\n`,
    };
  };
  const subjectOf = ({ externalId, extra }: ConversationRef): string =>
    extra.subject ?? `Conversation with a user ${subjectTag(externalId)}`;
  const openedOf = (
    session: HandoffSession,
  ): OpenedConversation & { readonly extra: { readonly subject: string } } => {
    const externalId = tokenOf(session.key);
    return { externalId, extra: { subject: `${subjectLine(session, settings)} ${subjectTag(externalId)}` } };
  };

  return {
    async open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation> {
      const opened = openedOf(session);
      const text = `${sessionText(session, { maxLength: MAX_TRANSCRIPT })}\n\n${GUIDE}`;
      const mail = mailOf(opened.externalId, opened.extra.subject, 'open', text);
      await mailer.send(withRoute(mail, session), call);
      return opened;
    },

    /**
     * Looks in the mailbox for the first mail, which is there when the team's inbox is the same, and for replies to
     * it. Otherwise it is unknown whether it arrived, and `open` sends it again with the same `Message-ID`.
     */
    async find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null> {
      const opened = openedOf(session);
      const id = messageIdOf(opened.externalId, 'open', settings);
      const or = ['message-id', 'in-reply-to', 'references'].map((name) => ({ header: { [name]: id } }));
      const found = await mailbox.once(({ client }) => client.search({ or }, { uid: true }), call);
      return found && found.length > 0 ? opened : null;
    },

    async send(
      ref: ConversationRef,
      { key, text }: OutgoingMessage,
      call: AdapterCall,
    ): Promise<SentMessage> {
      const mail = mailOf(ref.externalId, subjectOf(ref), { key }, text);
      await mailer.send(mail, call);
      return { messageId: mail.messageId ?? null };
    },

    async undelivered(
      ref: ConversationRef,
      message: UndeliveredMessage,
      reason: UndeliveredReason,
      call: AdapterCall,
    ): Promise<void> {
      const part = { key: `undelivered ${message.messageId ?? message.text}` };
      await mailer.send(mailOf(ref.externalId, subjectOf(ref), part, undeliveredNote(message, reason)), call);
    },

    async close(ref: ConversationRef, { text }: CloseReason, call: AdapterCall): Promise<void> {
      await mailer.send(mailOf(ref.externalId, subjectOf(ref), 'close', `${text} ${ENDED}`), call);
    },
  };
}

const PRIORITIES = { low: 'low', normal: 'normal', high: 'high', urgent: 'high' } as const;

/** A mail with headers by name. */
type MailToSend = Omit<SendMailOptions, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** Mail programs show the priority, and filters of the team can sort by both headers. */
function withRoute(mail: MailToSend, { route = {} }: HandoffSession): MailToSend {
  const { tags = [], priority } = route;
  return {
    ...mail,
    ...(priority && { priority: PRIORITIES[priority] }),
    ...(tags.length > 0 && { headers: { ...mail.headers, Keywords: tags.join(', ') } }),
  };
}

/** The subject without the tag: the customer's first message, unless the settings define one. */
function subjectLine(session: HandoffSession, { subject }: CheckedSettings): string {
  const asked = session.transcript.find(({ from, text }) => from === 'user' && text.trim() !== '')?.text;
  const line = harmless((subject?.(session) ?? asked ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim());
  if (line === '') return 'Conversation with a user';
  if (line.length <= MAX_SUBJECT) return line;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (kept.length + segment.length >= MAX_SUBJECT) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Users write subjects: none may make replies look automatic, or name another conversation. */
const harmless = (line: string): string => withoutTags(isAutomaticSubject(line) ? `“${line}”` : line);
