import { slack } from '../../../src/adapters/slack/index.js';
import type { AdapterFactory, AdapterHarness, HarnessHelpdesk } from '../../../src/testing/index.js';
import { type FakeSlack, startFakeSlack } from '../../fixtures/slack/fake-slack.js';
import { hasButton, visibleText } from '../../fixtures/slack/visible-text.js';
import type { SlackMessage } from '../../fixtures/slack/workspace.js';
import { tsOf } from './support.js';

/** The fake as a helpdesk of the conformance kit. */
export interface SlackHelpdesk extends HarnessHelpdesk {
  readonly fake: FakeSlack;
}

const ok = (error: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ok: false, error }),
});

const AGENT_NAME = 'Ann';

/** The harness of Slack for the conformance kit. */
export const slackHarness: AdapterHarness<SlackHelpdesk> = {
  name: 'Slack (a fake of it)',
  stepTimeoutMs: 30_000,
  secrets: ['xoxb-1111-2222-fakefakefake', '8f742231b10e8888abcd99yyyzzz85a5', 'xoxb-wrong'],
  unsupported: {
    join: 'Slack threads cannot be assigned.',
    'catch-up-close': 'Slack lists no clicks on buttons.',
  },
  pageSize: 200,
  faults: {
    unauthorized: ok('invalid_auth'),
    gone: ok('thread_not_found'),
    refused: ok('restricted_content'),
  },
  async start({ webhookUrl }) {
    const fake = await startFakeSlack({ requestUrl: webhookUrl });
    return helpdeskOf(fake);
  },
};

/** Creates the adapter for the conformance kit. */
export const createSlack: AdapterFactory<SlackHelpdesk> = ({ baseUrl, credentials, helpdesk: { fake } }) =>
  slack({
    botToken: credentials === 'right' ? fake.token : 'xoxb-wrong',
    signingSecret: fake.signingSecret,
    channel: fake.ids.channel,
    apiUrl: baseUrl,
  });

const isNotice = (message: SlackMessage): boolean => visibleText(message).startsWith('*Closed:*');

function helpdeskOf(fake: FakeSlack): SlackHelpdesk {
  const { workspace, ids } = fake;
  const threadOf = (externalId: string): string => tsOf({ externalId });
  return {
    fake,
    baseUrl: fake.apiUrl,
    list: async () =>
      workspace.messages
        .filter(({ thread_ts, bot_id }) => thread_ts === undefined && bot_id === ids.bot)
        .map(({ ts }) => `${ids.channel}:${ts}`),
    async read(externalId) {
      const ts = threadOf(externalId);
      const root = workspace.find(ts);
      const own = workspace.thread(ts).filter(({ bot_id }) => bot_id === ids.bot);
      return {
        // Slack may refuse to remove the button; the notice in the thread shows the end then.
        isClosed: root === undefined || !hasButton(root) || own.some(isNotice),
        shown: [...(root ? [root] : []), ...own].map(visibleText),
        customer: null,
      };
    },
    agent: {
      name: AGENT_NAME,
      reply: async (externalId, text) => void fake.postAsAgent(threadOf(externalId), text),
      note: async (externalId, text) => void fake.postAsAgent(threadOf(externalId), `// ${text}`),
      close: async (externalId) => fake.pressButton(threadOf(externalId), 'handoff_close'),
      replyAndClose: async (externalId, text) =>
        void fake.postAsAgent(threadOf(externalId), `${text}\n!close`),
      async attach(externalId, { name, contentType, text }) {
        const url = `https://slack-files.com/${name}`;
        const file = { name, mimetype: contentType, public_url_shared: true, permalink_public: url };
        fake.postAsAgent(threadOf(externalId), text, { subtype: 'file_share', files: [file] });
        return url;
      },
    },
    stop: () => fake.stop(),
  };
}
