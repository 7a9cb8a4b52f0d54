import type { Receiver } from 'handoff-kit';
import { chatwoot } from 'handoff-kit/adapters/chatwoot';
import { createBridge } from 'handoff-kit/bridge';

/** The path in the API inbox's Webhook URL. */
export const HELPDESK_PATH = '/adapters/chatwoot';

/** Agents answer in a Chatwoot API inbox. */
export function connectHelpdesk(receiver: Receiver) {
  const { CHATWOOT_URL = '', CHATWOOT_INBOX = '', CHATWOOT_WEBHOOK_SECRET = '' } = process.env;
  return createBridge({
    receiver,
    adapter: chatwoot({ url: CHATWOOT_URL, inbox: CHATWOOT_INBOX, webhookSecret: CHATWOOT_WEBHOOK_SECRET }),
  });
}
