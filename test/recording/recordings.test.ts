import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdapter, harness } from '../../examples/custom-adapter/harness.js';
import { createBridge } from '../../src/bridge/index.js';
import { playScript } from '../../src/cli/demo/play-script.js';
import { answerAsAgent, GREETING } from '../../src/cli/demo/server.js';
import { TOUR } from '../../src/cli/demo/tour.js';
import {
  createReceiver,
  pathToken,
  type Receiver,
  type ReceiverOptions,
  webhookUser,
} from '../../src/public/index.js';
import {
  type BenchReceiverOptions,
  type ReplayOptions,
  replay,
  runConformance,
} from '../../src/public/testing.js';
import { createSimulator } from '../../src/simulator/index.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY } from '../helpers/fake-platform.js';
import { serve } from '../helpers/serve.js';

const RECORDINGS = resolve(import.meta.dirname, '../recordings');

/** Makes the recordings anew, instead of replaying what is there. */
const isRecording = process.env.HANDOFF_KIT_RECORD === '1';

async function fileFor(name: string): Promise<string> {
  const file = join(RECORDINGS, `${name}.jsonl`);
  if (isRecording) {
    await mkdir(RECORDINGS, { recursive: true });
    await rm(file, { force: true });
  }
  expect(isRecording || existsSync(file), file).toBe(true);
  return file;
}

/** The receiver of `handoff-kit demo --automatic`. */
const demoReceiver = (options: ReceiverOptions): Receiver =>
  createReceiver({ ...options, greeting: GREETING, unhandled: 'accept' })
    .on('message', () => {})
    .on('handoff.message', answerAsAgent);

async function recordDemo(to: string): Promise<void> {
  const simulator = createSimulator({ bots: [{ id: 'demo-bot', name: 'Demo bot', apiKey: API_KEY }] });
  const receiver = demoReceiver({
    auth: { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) },
    platform: { baseUrl: await simulator.listen(), apiKey: API_KEY },
    log: false,
    record: { to, keepContent: true },
  });
  const { url } = await serve(receiver);
  simulator.bots.update('demo-bot', {
    message: { url, username: USERNAME, secret: SECRET },
    humanServices: [{ componentId: 'desk', componentName: 'Desk', url: `${url}/${PATH_TOKEN}` }],
  });
  const played = await playScript({ simulator, sampleQuestion: TOUR.question }, () => {});
  expect(played).toMatchObject({ ok: true });
  await simulator.close();
  await receiver.close();
}

/** Checks of the whole way from the platform to the helpdesk, without faults, which a recording does not have. */
const CHECKS = ['own-echo', 'same-words', 'user-closes', 'agent-closes', 'reply-then-close', 'reply-order'];

async function recordConformance(to: string): Promise<void> {
  for await (const { id, outcome, error } of runConformance(
    createAdapter,
    { ...harness, record: to },
    { only: CHECKS },
  )) {
    expect(outcome, `${id}: ${error?.message}`).toBe('passed');
  }
}

/** A receiver with the same adapter; its agents do what the recorded ones did. */
async function replayWithTinyDesk(file: string) {
  let webhook: ReturnType<typeof createBridge>['webhook'] | undefined;
  let receiver: Receiver | undefined;
  const { url } = await serve((request, response) => webhook?.(request, response));
  const helpdesk = await harness.start({ webhookUrl: url });
  onTestFinished(() => helpdesk.stop());
  const agent: ReplayOptions['agent'] = async ({ conversationId, endpoint, text }) => {
    const externalId = (await receiver?.conversations.get(conversationId))?.link?.externalId ?? '';
    if (endpoint === 'reply') await helpdesk.agent.reply(externalId, text);
    else await helpdesk.agent.close?.(externalId);
  };
  return replay(
    file,
    async (options: BenchReceiverOptions) => {
      receiver = createReceiver(options);
      const adapter = await createAdapter({ baseUrl: helpdesk.baseUrl, credentials: 'right', helpdesk });
      const bridge = createBridge({ receiver, adapter, log: false });
      webhook = bridge.webhook;
      onTestFinished(() => bridge.close());
      return receiver;
    },
    { agent },
  );
}

// Made anew by HANDOFF_KIT_RECORD=1 npx vitest run --project=unit test/recording/recordings.test.ts
describe('the recordings of this repository replay without a difference', () => {
  it('the demo', async () => {
    const file = await fileFor('demo');
    if (isRecording) await recordDemo(file);
    const report = await replay(file, (options: BenchReceiverOptions) => demoReceiver(options));
    expect(report).toMatchObject({ replies: 5, skipped: 0, differences: [] });
  });

  it('the conformance checks of an adapter', async () => {
    const file = await fileFor('conformance-tiny-desk');
    if (isRecording) await recordConformance(file);
    const report = await replayWithTinyDesk(file);
    expect(report).toMatchObject({ conversations: CHECKS.length, skipped: 0, differences: [] });
    expect(report.replies).toBeGreaterThan(CHECKS.length);
  });
});
