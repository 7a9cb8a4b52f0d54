/**
 * The adapter for e-mail: a handed-over conversation is a thread of mails to a team, whose members answer with their
 * mail programs.
 *
 * @module
 */
import { type Adapter, defineAdapter } from '../../bridge/index.js';
import { createCheck } from './check.js';
import { createMailbox } from './imap.js';
import { createLoginTokens } from './oauth.js';
import { createOutgoing, MAX_TEXT } from './outgoing.js';
import { createPoll } from './poll.js';
import { checkPackages, checkSettings, type EmailSettings } from './settings.js';
import { createMailer } from './smtp.js';

export type { EmailOAuth, EmailSettings } from './settings.js';

/**
 * Creates the adapter for e-mail. It sends by SMTP, and reads replies by IMAP without changing the mailbox.
 *
 * @example
 * const adapter = email({
 *   smtpUrl: 'smtps://handoff:secret@mail.example.com',
 *   imapUrl: 'imaps://handoff:secret@mail.example.com',
 *   address: 'handoff@example.com',
 *   team: 'support@example.com',
 *   agents: ['@example.com'],
 *   trustedServer: 'mail.example.com',
 * });
 */
export function email(settings: EmailSettings): Adapter {
  const checked = checkSettings(settings);
  checkPackages();
  const tokens = checked.oauth ? createLoginTokens(checked.oauth, checked.timeoutMs) : null;
  const mailer = createMailer(checked, tokens);
  const mailbox = createMailbox(checked, tokens);
  return defineAdapter({
    name: 'email',
    capabilities: {
      inbound: ['poll'],
      nativeClose: false,
      messageIds: true,
      maxTextLength: MAX_TEXT,
      pollEveryMs: checked.pollEveryMs,
      // A user who writes many short messages fills no inbox: later ones share a mail.
      rate: { perConversation: { count: 5, perMs: 10_000 } },
    },
    ...createOutgoing(mailer, mailbox, checked),
    poll: createPoll(mailbox, checked),
    check: createCheck(mailer, mailbox, tokens, checked),
    async dispose() {
      mailbox.close();
    },
  });
}
