import bolt from '@slack/bolt';

const ignore = () => {};

/** A logger that says nothing. */
export const silent = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  getLevel: () => bolt.LogLevel.ERROR,
  setName: ignore,
};

/**
 * An app on one of Bolt's receivers. Its lookup of the conversation is off and its authorization is a constant:
 * what is left is what Bolt does with every event.
 *
 * @param {import('@slack/bolt').Receiver} receiver
 * @param {() => void} handled
 */
export function boltApp(receiver, handled) {
  const app = new bolt.App({
    receiver,
    logger: silent,
    convoStore: false,
    authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B00000001', botUserId: 'U00000001' }),
  });
  app.event('message', async () => handled());
}
