import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { FAKE_INBOX, FAKE_SECRET, startFakeChatwoot } from '../fixtures/chatwoot/fake-chatwoot.js';
import { signRequest } from '../fixtures/slack/deliver.js';
import { envelope, startFakeSlack } from '../fixtures/slack/fake-slack.js';
import { visibleText } from '../fixtures/slack/visible-text.js';
import { IDS } from '../fixtures/slack/workspace.js';
import { redirectedFetch } from '../helpers/redirect-fetch.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from './databases.js';
import { addressOf, type RunningProgram, runServe } from './program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

const BOTS = [
  { id: 'bot-of-sales', apiKey: 'key-of-sales', name: 'sales' },
  { id: 'bot-of-support', apiKey: 'key-of-support', name: 'support' },
] as const;
const tokenOf = (name: string): string => `token-of-the-${name}-agent`;

/** The program with Chatwoot and Slack, whose processes are killed on the way. */
export function carriesTwoSystems(databaseUrl: () => Promise<string>): void {
  it('takes each conversation to the system of its bot, and crosses none, whatever process is killed', async () => {
    const [chatwoot, slack] = [await startFakeChatwoot(), await startFakeSlack()];
    const simulator = createSimulator({
      bots: BOTS,
      deliveryTimeoutMs: WAIT_MS,
      waitTimeoutMs: 10 * WAIT_MS,
    });
    onTestFinished(async () => {
      await Promise.all([chatwoot.stop(), slack.stop(), simulator.close()]);
    });
    const configFile = join(temporaryFolder(), 'handoff.json');
    const platformBaseUrl = await simulator.listen();
    const bots = BOTS.map(({ name, apiKey }) => [
      name,
      {
        webhookUsername: name,
        handoffToken: tokenOf(name),
        platformApiKey: apiKey,
        platformBaseUrl,
      },
    ]);
    writeFileSync(configFile, JSON.stringify({ bots: Object.fromEntries(bots) }));
    const env = {
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: await databaseUrl(),
      ADAPTER: 'chatwoot',
      CHATWOOT_URL: chatwoot.url,
      CHATWOOT_INBOX: FAKE_INBOX,
      CHATWOOT_WEBHOOK_SECRET: FAKE_SECRET,
      BOT_ADAPTERS: 'bot-of-support=slack',
      SLACK_BOT_TOKEN: slack.token,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_CHANNEL: IDS.channel,
      ...redirectedFetch('https://slack.com/api', slack.apiUrl),
    };
    let url = '';
    // The platform and Chatwoot keep one address, which leads to the process that runs.
    const front = await serve((incoming, outgoing) => {
      const { method, headers } = incoming;
      const forwarded = request(`${url}${incoming.url}`, { method, headers, agent: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    });
    for (const { id, name } of BOTS) {
      const handoffs = { componentId: 'humans', url: `${front.url}/webhook/${tokenOf(name)}` };
      simulator.bots.update(id, { humanServices: [handoffs] });
    }
    chatwoot.pointWebhooksAt({ webhookUrl: `${front.url}/adapters/chatwoot` });
    const start = async (): Promise<RunningProgram> => {
      const program = runServe(['--config', configFile, '--json'], env);
      url = await addressOf(program);
      return program;
    };
    const saysInSlack = async (threadTs: string, text: string): Promise<void> => {
      const event = { ...slack.postAsAgent(threadTs, text), channel: IDS.channel };
      const body = JSON.stringify(envelope(event, `Ev${event.ts}`));
      const signed = signRequest(body, 'application/json', { secret: slack.signingSecret });
      const answer = await fetch(`${front.url}/adapters/slack`, { method: 'POST', ...signed });
      expect(answer.status).toBe(200);
    };
    const shownInChatwoot = (): string => {
      const messages = chatwoot.account.conversations().flatMap((conversation) => conversation.messages);
      return messages.map(({ content }) => content).join('\n');
    };
    const shownInSlack = (): string => slack.workspace.messages.map(visibleText).join('\n');

    const first = await start();
    const sales = await simulator.requestHandoff({ botId: 'bot-of-sales' });
    const support = await simulator.requestHandoff({ botId: 'bot-of-support' });
    expect([sales.state, support.state]).toEqual(['connecting', 'connecting']);
    expect(chatwoot.account.conversations()).toHaveLength(1);
    expect(slack.workspace.messages.filter(({ thread_ts }) => thread_ts === undefined)).toHaveLength(1);

    await Promise.all([sales.say('sales, before the kill'), support.say('support, before the kill')]);
    first.signal('SIGKILL');
    await first.ended;
    const second = await start();
    await Promise.all([sales.say('sales, after the kill'), support.say('support, after the kill')]);
    await vi.waitFor(() => {
      expect(shownInChatwoot()).toMatch(/sales, before the kill[\s\S]*sales, after the kill/);
      expect(shownInSlack()).toMatch(/support, before the kill[\s\S]*support, after the kill/);
    }, WAIT_OPTIONS);
    expect(shownInChatwoot()).not.toContain('support,');
    expect(shownInSlack()).not.toContain('sales,');

    const [conversation] = chatwoot.account.conversations();
    const [root] = slack.workspace.messages;
    chatwoot.agents.reply(String(conversation?.id), 'from Chatwoot');
    await saysInSlack(root?.ts ?? '', 'from Slack');
    second.signal('SIGKILL');
    await second.ended;
    await start();
    // Slack's event was answered before the kill. Chatwoot sends each event once, answered or not.
    expect((await support.nextReply({ timeoutMs: WAIT_MS })).text).toBe('from Slack');
    chatwoot.agents.reply(String(conversation?.id), 'once more from Chatwoot');
    await vi.waitFor(() => expect(sales.replies.at(-1)?.text).toBe('once more from Chatwoot'), WAIT_OPTIONS);
    await sales.closeByUser();
    await vi.waitFor(() => expect(conversation?.status).toBe('resolved'), WAIT_OPTIONS);
    expect([sales.endedBy, support.endedBy]).toEqual(['user', null]);
    expect(sales.replies.every(({ text }) => text.endsWith('from Chatwoot'))).toBe(true);
    // Killed between the platform's answer and its own note of it, the process sends the reply again.
    expect([...new Set(support.replies.map(({ text }) => text))]).toEqual(['from Slack']);
    expect(chatwoot.account.conversations()).toHaveLength(1);
  }, 120_000);
}
