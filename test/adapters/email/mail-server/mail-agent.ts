import type { ParsedMail } from 'mailparser';
import type { SendMailOptions } from 'nodemailer';
import { REPLY_ABOVE } from '../../../../src/adapters/email/reply-text.js';
import { type Account, addressOf, type MailServer } from './start-mail-server.js';

/** A member of the team, who reads its inbox and answers with a mail program. */
export interface MailAgent {
  /** Answers the latest mail of a conversation, with the quoted mail below. */
  reply(token: string, text: string, changes?: SendMailOptions): Promise<void>;
}

const NAMES: Readonly<Record<string, string>> = { ann: 'Ann Example', ben: 'Ben Beispiel' };

/** Creates a {@link MailAgent}. */
export function mailAgent(server: MailServer, account: Account): MailAgent {
  return {
    async reply(token, text, changes = {}) {
      const latest = (await conversationMails(server, token)).at(-1);
      if (!latest) throw new Error('there is no such conversation in the inbox of the team');
      const { subject = '', messageId = '', references } = latest;
      const quoted = (latest.text ?? '').split('\n').map((line) => `> ${line}`);
      const attribution = `On Mon, Nov 16, 2026 at 10:00 AM Customer chat <${addressOf('handoff')}> wrote:`;
      await server.send(
        {
          from: { name: NAMES[account] ?? account, address: addressOf(account) },
          to: latest.replyTo?.value.flatMap(({ address }) => address ?? []) ?? addressOf('handoff'),
          subject: subject.startsWith('Re: ') ? subject : `Re: ${subject}`,
          inReplyTo: messageId,
          references: [references ?? [], messageId].flat(),
          text: `${text}\n\n${attribution}\n\n${quoted.join('\n')}\n`,
          ...changes,
        },
        account,
      );
    },
  };
}

const TOKEN_HEADER = 'x-handoff-kit-conversation';

/** The mails of a conversation in the inbox of the team. */
export async function conversationMails(server: MailServer, token: string): Promise<readonly ParsedMail[]> {
  return (await server.mails('team')).filter(({ headers }) => headers.get(TOKEN_HEADER) === token);
}

/** The tokens of the conversations in the inbox of the team. */
export async function conversationTokens(server: MailServer): Promise<readonly string[]> {
  const tokens = (await server.mails('team')).map(({ headers }) => headers.get(TOKEN_HEADER));
  return [...new Set(tokens.flatMap((token) => (typeof token === 'string' ? token : [])))];
}

/** The text of one of our mails as the team sees it, without the line for replies. */
export const shownText = ({ text = '' }: ParsedMail): string => text.replace(REPLY_ABOVE, '').trim();
