import type { Receiver } from 'handoff-kit';
import { slack } from 'handoff-kit/adapters/slack';
import { createBridge } from 'handoff-kit/bridge';

/** The path in the Slack app's Request URL. */
export const HELPDESK_PATH = '/adapters/slack';

/** Agents answer in threads of a Slack channel. */
export function connectHelpdesk(receiver: Receiver) {
  const { SLACK_BOT_TOKEN = '', SLACK_SIGNING_SECRET = '', SLACK_CHANNEL = '', SLACK_API_URL } = process.env;
  return createBridge({
    receiver,
    adapter: slack({
      botToken: SLACK_BOT_TOKEN,
      signingSecret: SLACK_SIGNING_SECRET,
      channel: SLACK_CHANNEL,
      ...(SLACK_API_URL && { apiUrl: SLACK_API_URL }),
    }),
  });
}
