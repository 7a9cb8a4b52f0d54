// @ts-check
/**
 * A team answers handed-over conversations by e-mail. The adapter sends by SMTP and reads replies by IMAP.
 * Needs the packages nodemailer, imapflow and mailparser.
 *
 *   export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_TOKEN=$(openssl rand -hex 24)
 *   export PLATFORM_BASE_URL=https://api.example.com PLATFORM_API_KEY=…
 *   export MAIL_SMTP_URL=smtps://handoff%40example.com:password@mail.example.com
 *   export MAIL_IMAP_URL=imaps://handoff%40example.com:password@mail.example.com
 *   export MAIL_ADDRESS=handoff@example.com MAIL_TEAM=support@example.com
 *   export MAIL_AGENTS=@example.com MAIL_TRUSTED_SERVER=mx.example.com
 *   node examples/email-team.js
 */
import express from 'express';
import { createReceiver, pathToken, webhookUser } from 'handoff-kit';
import { email } from 'handoff-kit/adapters/email';
import { createBridge } from 'handoff-kit/bridge';
import { sqlite } from 'handoff-kit/delivery/sqlite';

const { env } = process;

const receiver = createReceiver({
  auth: {
    message: webhookUser({ username: env.WEBHOOK_USERNAME ?? '', secret: env.WEBHOOK_SECRET }),
    handoff: pathToken(env.HANDOFF_TOKEN ?? ''),
  },
  platform: { baseUrl: env.PLATFORM_BASE_URL ?? '', apiKey: env.PLATFORM_API_KEY ?? '' },
  delivery: sqlite({ file: env.DATABASE_FILE ?? './handoff.db' }),
});

const bridge = createBridge({
  receiver,
  adapter: email({
    smtpUrl: env.MAIL_SMTP_URL ?? '',
    imapUrl: env.MAIL_IMAP_URL ?? '',
    address: env.MAIL_ADDRESS ?? '',
    team: env.MAIL_TEAM ?? '',
    agents: (env.MAIL_AGENTS ?? '').split(','),
    trustedServer: env.MAIL_TRUSTED_SERVER ?? '',
  }),
  agentNames: true,
  messages: { closed: 'This conversation was closed. Write again whenever you like.' },
});

for (const { ok, name, detail } of await bridge.check()) if (!ok) console.error(`${name}: ${detail}`);

await receiver.start();
const server = express()
  .use('/webhook', receiver)
  .listen(Number(env.PORT ?? 3000), () => {
    const address = server.address();
    console.log(`listening on http://localhost:${typeof address === 'object' && address?.port}`);
  });

process.once('SIGTERM', () => {
  server.close();
  void receiver
    .close()
    .then(() => bridge.close())
    .then(() => server.closeIdleConnections());
});
