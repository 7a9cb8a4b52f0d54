import { afterAll, describe, it, vi } from 'vitest';
import { email } from '../../../src/adapters/email/index.js';
import { type AdapterHarness, describeAdapter, type HarnessHelpdesk } from '../../../src/testing/index.js';
import { settingsFor } from './live-settings.js';
import { conversationMails, conversationTokens, mailAgent, shownText } from './mail-server/mail-agent.js';
import {
  describeWithMail,
  type MailServer,
  passwordOf,
  startMailServer,
} from './mail-server/start-mail-server.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

interface MailHelpdesk extends HarnessHelpdesk {
  readonly server: MailServer;
}

/** The proxy of the kit speaks HTTP. */
const IN_ERRORS = 'live-errors.test.ts has it for SMTP and IMAP.';
const IN_HANDOFF = 'live-handoff.test.ts has it for SMTP and IMAP.';

describeWithMail('the conformance kit with exim and dovecot', () => {
  let shared: Promise<MailServer> | null = null;
  afterAll(async () => (await shared)?.remove());

  const harness: AdapterHarness<MailHelpdesk> = {
    name: 'e-mail',
    live: true,
    stepTimeoutMs: 60_000,
    secrets: [passwordOf('handoff')],
    unsupported: {
      note: 'agents write to one another without the address of the adapter.',
      join: 'nobody takes a mail.',
      signature: 'there are no webhooks.',
      'rate-limited': 'SMTP has no such answer.',
      'rate-limit-honoured': 'SMTP has no such answer.',
      'chat-before-open': 'the proxy of the kit cannot hold a mail.',
      'broken-off': 'a conversation is opened with one mail.',
      unavailable: IN_ERRORS,
      unreachable: IN_ERRORS,
      unauthorized: IN_ERRORS,
      'lost-answer': IN_ERRORS,
      'lost-open': IN_ERRORS,
      outage: IN_HANDOFF,
      'refused-told': IN_HANDOFF,
      attach: IN_HANDOFF,
      gone: 'a thread of mails cannot go away.',
      refused: IN_ERRORS,
      'find-opened':
        'a first mail is found in a shared inbox, or through a reply to it: live-handoff.test.ts.',
      'hanging-elsewhere': 'the proxy of the kit cannot hold a mail.',
      'failing-close': 'the proxy of the kit cannot refuse a mail.',
    },
    async start() {
      shared ??= startMailServer();
      const server = await shared;
      // A new adapter reads the mails of the last minutes: those of earlier checks, 1 MiB of them, would come first.
      await server.empty();
      const ann = mailAgent(server, 'ann');
      const reply = async (token: string, text: string) => {
        await server.settled();
        await ann.reply(token, text);
      };
      return {
        server,
        // For the proxy of the kit, which nothing goes through.
        baseUrl: `http://127.0.0.1:${server.smtpPort}`,
        async list() {
          await server.settled();
          return conversationTokens(server);
        },
        async read(token) {
          await server.settled();
          const shown = (await conversationMails(server, token)).map(shownText);
          return {
            isClosed: shown.some((text) => text.includes('no longer reach the user')),
            shown,
            customer: null,
          };
        },
        agent: {
          name: 'Ann Example',
          reply,
          close: (token) => reply(token, '#close'),
          replyAndClose: (token, text) => reply(token, `#close\n${text}`),
        },
        stop: async () => {},
      };
    },
  };

  describeAdapter<MailHelpdesk>(
    ({ credentials, helpdesk: { server } }) =>
      email(
        settingsFor(
          server,
          credentials === 'right'
            ? {}
            : {
                smtpUrl: server.smtpUrl('handoff', server.smtpPort, 'wrong'),
                imapUrl: server.imapUrl('handoff', server.imapPort, 'wrong'),
              },
        ),
      ),
    harness,
    { describe, it, timeoutMs: 600_000 },
  );
});
