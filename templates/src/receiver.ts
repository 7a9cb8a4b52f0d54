// #if server
import { existsSync } from 'node:fs';
// #end
import { createReceiver, pathToken, type ReceiverOptions, webhookUser } from 'handoff-kit';
import { openDelivery } from './delivery.js';
import { connectHelpdesk } from './helpdesk.js';

/** The variables that must be set. `.env.example` explains them. */
const REQUIRED = [
  'WEBHOOK_USERNAME',
  'HANDOFF_TOKEN',
  'PLATFORM_BASE_URL',
  'PLATFORM_API_KEY',
  // #if postgres
  'DATABASE_URL',
  // #end
  // #if slack
  'SLACK_BOT_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_CHANNEL',
  // #end
  // #if chatwoot
  'CHATWOOT_URL',
  'CHATWOOT_INBOX',
  'CHATWOOT_WEBHOOK_SECRET',
  // #end
];

/** The settings of the environment. */
export function settings(): ReceiverOptions {
  // #if server
  // A host sets the variables. On your machine they are in a file, which changes none that is set.
  if (existsSync('.env')) process.loadEnvFile();
  // #end
  const missing = REQUIRED.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`Set ${missing.join(', ')} in the environment or in .env.`);
  const { WEBHOOK_USERNAME = '', WEBHOOK_SECRET, HANDOFF_TOKEN = '' } = process.env;
  const { PLATFORM_BASE_URL = '', PLATFORM_API_KEY = '' } = process.env;
  return {
    auth: {
      message: webhookUser({ username: WEBHOOK_USERNAME, secret: WEBHOOK_SECRET }),
      handoff: pathToken(HANDOFF_TOKEN),
    },
    platform: { baseUrl: PLATFORM_BASE_URL, apiKey: PLATFORM_API_KEY },
    delivery: openDelivery(),
  };
}

/** The receiver with its handlers. Tests pass their own options. */
export function buildReceiver(options: ReceiverOptions = settings()) {
  const receiver = createReceiver(options);
  receiver.on('message', ({ text, log }) => log.info({ characters: text.length }, 'the bot answered'));
  return { receiver, helpdesk: connectHelpdesk(receiver) };
}
