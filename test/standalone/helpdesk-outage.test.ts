import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { createFaultProxy } from '../../src/testing/index.js';
import { startFakeSlack } from '../fixtures/slack/fake-slack.js';
import { IDS } from '../fixtures/slack/workspace.js';
import { redirectFetch } from '../helpers/redirect-fetch.js';
import { temporaryFolder } from './databases.js';
import { startStandalone } from './in-process.js';
import { startPlatform } from './start-program.js';
import { WAIT_OPTIONS } from './wait-options.js';

it('an outage of the helpdesk is in readyz, in the metrics and in the log; the receiver stays ready', async () => {
  const slack = await startFakeSlack();
  const proxy = await createFaultProxy(slack.apiUrl);
  onTestFinished(async () => {
    await Promise.all([slack.stop(), proxy.stop()]);
  });
  redirectFetch('https://slack.com/api', proxy.url);
  const platform = await startPlatform();
  const { url, logged } = await startStandalone(
    {
      ...platform.environment,
      ADAPTER: 'slack',
      SLACK_BOT_TOKEN: slack.token,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_CHANNEL: IDS.channel,
      DELAYED: 'Your message waits for our team.',
    },
    sqlite({ file: join(temporaryFolder(), 'x.db') }),
  );
  platform.pointAt(url);
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    return [answer.status, await answer.json()];
  };
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  const { simulator } = platform;

  const handoff = await simulator.requestHandoff({ conversationId: 'before' });
  expect(await readiness()).toEqual([200, { status: 'ready' }]);
  expect(await metrics()).toContain('handoff_kit_adapter_available{adapter="slack"} 1\n');

  proxy.answer({ status: 503 }, { times: Number.POSITIVE_INFINITY });
  await handoff.say('Is anyone there?');
  await Promise.all(
    ['one', 'two', 'three'].map((conversationId) => simulator.requestHandoff({ conversationId })),
  );
  await vi.waitFor(async () => {
    expect(await readiness()).toEqual([200, { status: 'ready', helpdesk: 'unavailable' }]);
  }, WAIT_OPTIONS);
  expect(await metrics()).toContain('handoff_kit_adapter_available{adapter="slack"} 0\n');
  expect(await metrics()).toContain('handoff_kit_adapter_events_total{adapter="slack",type="outages"} 1\n');
  expect(logged.about('the helpdesk does not answer')).toMatchObject([{ adapter: 'slack' }]);
  await vi.waitFor(() => {
    expect(handoff.replies.map(({ text }) => text)).toContain('Your message waits for our team.');
  }, WAIT_OPTIONS);

  proxy.clear();
  await vi.waitFor(async () => {
    expect(await readiness()).toEqual([200, { status: 'ready' }]);
  }, WAIT_OPTIONS);
  expect(await metrics()).toContain('handoff_kit_adapter_available{adapter="slack"} 1\n');
  expect(logged.about('the helpdesk answers again')).toHaveLength(1);
}, 90_000);
