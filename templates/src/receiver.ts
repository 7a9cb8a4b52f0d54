import { createReceiver, pathToken, type ReceiverOptions, webhookUser } from 'handoff-kit';
import { openDelivery } from './delivery.js';
import { connectHelpdesk } from './helpdesk.js';

/** Reads the environment. `.env.example` lists the settings. */
export function settings(): ReceiverOptions {
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
