import { afterAll, describe, it, vi } from 'vitest';
import { email } from '../../../src/adapters/email/index.js';
import { type AdapterHarness, describeAdapter, type HarnessSystem } from '../../../src/testing/index.js';
import { settingsFor } from './live-setup.js';
import { conversationMails, conversationTokens, mailAgent, shownText } from './mail-server/mail-agent.js';
import {
  describeWithMail,
  type MailServer,
  passwordOf,
  startMailServer,
} from './mail-server/start-mail-server.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface MailSystem extends HarnessSystem {
  readonly server: MailServer;
}

const OTHER_PROTOCOL =
  'the proxy of the kit speaks HTTP; live-errors.test.ts and live-handoff.test.ts have the same over SMTP and IMAP.';

describeWithMail('the conformance kit with exim and dovecot', () => {
  let shared: Promise<MailServer> | null = null;
  afterAll(async () => (await shared)?.remove());

  const harness: AdapterHarness<MailSystem> = {
    name: 'e-mail',
    stepTimeoutMs: 20_000,
    secrets: [passwordOf('handoff')],
    unsupported: {
      note: 'agents write to one another without the address of the adapter.',
      join: 'nobody takes a mail.',
      signature: 'there are no webhooks.',
      'rate-limited': OTHER_PROTOCOL,
      unavailable: OTHER_PROTOCOL,
      unreachable: OTHER_PROTOCOL,
      unauthorized: OTHER_PROTOCOL,
      'lost-answer': OTHER_PROTOCOL,
      'broken-off': OTHER_PROTOCOL,
      'lost-open': OTHER_PROTOCOL,
      'chat-before-open': OTHER_PROTOCOL,
      'rate-limit-honoured': OTHER_PROTOCOL,
      outage: OTHER_PROTOCOL,
      'refused-told': OTHER_PROTOCOL,
    },
    async start() {
      shared ??= startMailServer();
      const server = await shared;
      const ann = mailAgent(server, 'ann');
      const before = new Set(await conversationTokens(server));
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
          return (await conversationTokens(server)).filter((token) => !before.has(token));
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
          reply,
          close: (token) => reply(token, '#close'),
          replyAndClose: (token, text) => reply(token, `#close\n${text}`),
        },
        stop: async () => {},
      };
    },
  };

  describeAdapter<MailSystem>(
    ({ credentials, system: { server } }) =>
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
    { describe, it },
  );
});
