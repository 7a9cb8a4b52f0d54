import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { slack } from '../../../src/adapters/slack/index.js';
import { type Bridge, createBridge } from '../../../src/bridge/index.js';
import { createReceiver } from '../../../src/public/index.js';
import { createTestBench } from '../../../src/testing/index.js';
import { signRequest } from '../../fixtures/slack/deliver.js';
import { type FakeSlackOptions, startFakeSlack } from '../../fixtures/slack/fake-slack.js';
import { hasButton, visibleText } from '../../fixtures/slack/visible-text.js';

const TIMEOUT_MS = 60_000;

/** Waits until a check passes. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: TIMEOUT_MS });

/** Starts the simulated platform, a receiver with a bridge, and the fake Slack. */
async function setUpHandoff(options: Omit<FakeSlackOptions, 'requestUrl'> = {}) {
  let bridge: Bridge | undefined;
  let isDown = false;
  const server = createServer((request, response) => {
    if (isDown || !bridge) return void request.resume().on('end', () => response.writeHead(503).end());
    bridge.webhook(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack`;
  const fake = await startFakeSlack({ ...options, requestUrl });
  const { apiUrl, token: botToken, signingSecret, ids } = fake;
  const bench = await createTestBench({
    replyTimeoutMs: TIMEOUT_MS,
    receiver: (given) => {
      const receiver = createReceiver(given);
      const adapter = slack({
        apiUrl,
        botToken,
        signingSecret,
        channel: ids.channel,
      });
      bridge = createBridge({ receiver, adapter, agentNames: true, log: false });
      return receiver;
    },
  });
  onTestFinished(async () => {
    await bench.close();
    await bridge?.close({ timeoutMs: 1_000 });
    await fake.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  const root = () => {
    const [first] = fake.workspace.messages;
    if (!first) throw new Error('nothing was opened');
    return first;
  };
  const down = (now: boolean) => {
    isDown = now;
  };
  return { bench, fake, requestUrl, root, down };
}

describe('a handoff to Slack', () => {
  it('runs from the request through messages and replies to the close by the agent', async () => {
    const { bench, fake, root } = await setUpHandoff();
    await bench.requestHandoff({
      user: { userId: 'ada' },
      transcript: [{ text: 'I want a human', message_type: 'QUESTION' }],
    });
    expect(visibleText(root())).toContain('Customer: I want a human');

    await bench.say('Is <!channel> there?');
    await eventually(() =>
      expect(fake.workspace.thread(root().ts).map(visibleText)).toEqual(['Is <!channel> there?']),
    );

    fake.postAsAgent(root().ts, '// who takes this?');
    fake.postAsAgent(root().ts, '', { raw: { text: '<@U0COLLEAGUE> you?' } });
    fake.postAsBot(root().ts, 'Reminder of another app', 'A0OTHER');
    fake.postAsAgent(root().ts, 'Hello & welcome 👋 https://x.example/?a=1&b=2');
    expect(await bench.nextReply()).toMatchObject({
      text: 'Ann: Hello & welcome 👋 https://x.example/?a=1&b=2',
    });

    fake.postAsAgent(root().ts, 'Good bye\n!close');
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann: Good bye' });
    await eventually(() => expect(bench.conversation).toMatchObject({ state: 'closed', endedBy: 'agent' }));
    await fake.deliverer.idle();
    expect(bench.replies).toHaveLength(2);
    expect(fake.deliverer.attempts.every(({ outcome }) => outcome === 200)).toBe(true);
  });

  it('shows all of a long transcript in the thread, before the first message', async () => {
    const { bench, fake, root } = await setUpHandoff();
    const transcript = Array.from({ length: 12 }, (_, at) => ({
      text: `item ${at} ${'日本語 '.repeat(100)}`.trim(),
      message_type: 'QUESTION',
    }));
    await bench.requestHandoff({ transcript });
    await bench.say('Hello?');
    const thread = () => fake.workspace.thread(root().ts).map(visibleText);
    await eventually(() => expect(thread().at(-1)).toBe('Hello?'));
    const shown = [visibleText(root()), ...thread()].join('\n\n');
    const places = transcript.map(({ text }) => shown.indexOf(`Customer: ${text}`));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('sends replies without a name when Slack does not tell it', async () => {
    const { bench, fake, root } = await setUpHandoff();
    await bench.requestHandoff();
    fake.scopes.delete('users:read');
    fake.postAsAgent(root().ts, 'Good morning.');
    expect(await bench.nextReply()).toMatchObject({ text: 'Good morning.' });
  });

  it('ends when an agent clicks the button', async () => {
    const { bench, fake, root } = await setUpHandoff();
    await bench.requestHandoff();
    fake.pressButton(root().ts, 'handoff_close');
    await eventually(() => expect(bench.conversation).toMatchObject({ state: 'closed', endedBy: 'agent' }));
    await eventually(() => expect(hasButton(root())).toBe(false));
    expect(visibleText(root())).toContain('*Closed:* An agent has ended the conversation.');
  });

  it('is closed in Slack when the user leaves', async () => {
    const { bench, fake, root } = await setUpHandoff();
    await bench.requestHandoff();
    await bench.closeByUser();
    await eventually(() => expect(hasButton(root())).toBe(false));
    expect(fake.workspace.thread(root().ts).map(visibleText)).toEqual([
      '*Closed:* The user has left the conversation.',
    ]);
    fake.postAsAgent(root().ts, 'Are you still there?');
    await fake.deliverer.idle();
    expect(bench.replies).toEqual([]);
  });

  it('delivers each reply once, however often Slack sends it', async () => {
    const { bench, fake, root } = await setUpHandoff();
    await bench.requestHandoff();
    fake.postAsAgent(root().ts, 'Once');
    fake.repeatLast();
    fake.repeatLast();
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann: Once' });
    await fake.deliverer.idle();
    expect(bench.replies).toHaveLength(1);
  });

  it('loses no reply that Slack delivers only on a retry', async () => {
    const { bench, fake, root, down } = await setUpHandoff();
    await bench.requestHandoff();
    await fake.deliverer.idle();
    down(true);
    fake.postAsAgent(root().ts, 'Late');
    await eventually(() => expect(fake.deliverer.attempts.at(-1)).toMatchObject({ outcome: 503 }));
    down(false);
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann: Late' });
    await fake.deliverer.idle();
    const retried = fake.deliverer.attempts.at(-1)?.request.headers;
    expect(retried).toMatchObject({ 'x-slack-retry-reason': 'http_error' });
    expect(bench.replies).toHaveLength(1);
  });

  it('is refused when Slack refuses', async () => {
    const { bench, fake } = await setUpHandoff();
    fake.workspace.channel.member = false;
    expect((await bench.requestHandoff()).state).toBe('busy');
    expect(fake.workspace.messages).toEqual([]);
  });

  it('has one thread although the response of Slack was lost', async () => {
    const { bench, fake, root } = await setUpHandoff();
    fake.fail('chat.postMessage', { kind: 'lost' });
    await bench.requestHandoff();
    expect(fake.workspace.messages).toHaveLength(1);
    fake.postAsAgent(root().ts, 'Here');
    expect(await bench.nextReply()).toMatchObject({ text: 'Ann: Here' });
  });

  it('delivers fast messages in order within the rate limit of Slack', async () => {
    const { bench, fake, root } = await setUpHandoff({ rate: { burst: 2, perMs: 1_000 } });
    await bench.requestHandoff();
    const said = ['one', 'two', 'three'];
    for (const words of said) await bench.say(words);
    await eventually(() =>
      expect(fake.workspace.thread(root().ts).map(visibleText).join('\n')).toBe(said.join('\n')),
    );
    expect(bench.replies).toEqual([]);
  });
});

describe('the webhook for Slack', () => {
  it('answers the challenge, and refuses unsigned requests', async () => {
    const { fake, requestUrl } = await setUpHandoff();
    const body = JSON.stringify({ type: 'url_verification', challenge: 'say this' });
    const { headers } = signRequest(body, 'application/json', { secret: fake.signingSecret });
    const answer = await fetch(requestUrl, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([200, 'say this']);
    const forged = await fetch(requestUrl, { method: 'POST', body });
    expect(forged.status).toBe(401);
    expect(await forged.text()).not.toContain('say this');
  });
});
