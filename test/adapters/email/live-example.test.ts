import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runExample } from '../../examples/example.js';
import { chatBody, establishBody } from '../../fixtures/bodies.js';
import { PATH_TOKEN } from '../../helpers/credentials.js';
import { fakePlatform } from '../../helpers/fake-platform.js';
import { temporaryFolder } from '../../helpers/sqlite-store.js';
import { post } from '../../standalone/program.js';
import { until } from '../request-tracker/rt/until.js';
import { conversationTokens, mailAgent } from './mail-server/mail-agent.js';
import {
  addressOf,
  describeWithMail,
  type MailServer,
  startMailServer,
} from './mail-server/start-mail-server.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describeWithMail('the example with a team that answers by mail', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server?.remove());

  it('carries a conversation to the team and back', async () => {
    const service = await fakePlatform();
    const folder = await temporaryFolder();
    const certificate = join(folder, 'ca.pem');
    writeFileSync(certificate, server.ca);
    const app = await runExample('email-team', {
      PLATFORM_BASE_URL: service.options.baseUrl,
      DATABASE_FILE: join(folder, 'handoff.db'),
      NODE_EXTRA_CA_CERTS: certificate,
      MAIL_SMTP_URL: server.smtpUrl(),
      MAIL_IMAP_URL: server.imapUrl(),
      MAIL_ADDRESS: addressOf('handoff'),
      MAIL_TEAM: addressOf('team'),
      MAIL_AGENTS: '@example.com',
      MAIL_TRUSTED_SERVER: 'mail.example.com',
    });
    const conversation_id = 'handoff-of-the-example';
    const webhook = `${app.url}/webhook/${PATH_TOKEN}`;
    expect((await post(`${webhook}/conversation/establish`, establishBody({ conversation_id }))).status).toBe(
      200,
    );
    expect((await post(`${webhook}/chat`, chatBody({ conversation_id, body: 'Hello?' }))).status).toBe(200);
    const [token = ''] = await until('the mail', async () => {
      const tokens = await conversationTokens(server);
      return tokens.length > 0 && tokens;
    });
    await mailAgent(server, 'ann').reply(token, '#close Good bye!');
    await until('the reply and the end', () => service.calls.length === 3);
    expect(service.calls).toMatchObject([
      { path: '/v1/human/message/receive', body: { conversation_id, body: 'Ann Example: Good bye!' } },
      {
        path: '/v1/human/message/receive',
        body: { conversation_id, body: expect.stringContaining('was closed') },
      },
      { path: '/v1/human/close', body: { conversation_id } },
    ]);
    app.signal('SIGTERM');
    expect(await app.ended).toBe(0);
  });
});
