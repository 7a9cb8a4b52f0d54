import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Adapter, type Bridge, type BridgeOptions, createBridge } from '../../bridge/index.js';
import { inline } from '../../delivery/index.js';
import { type Conversation, createMemoryHandoffStore } from '../../handoff/index.js';
import { createReceiver, pathToken, type Receiver } from '../../receiver/index.js';
import type { HandoffConversation, HandoffRequestInput } from '../../simulator/index.js';
import { createTestBench } from '../create-test-bench.js';
import { serve } from '../serve.js';
import type { TestBench } from '../test-bench.js';
import type { CheckContext } from './check-context.js';
import { fail, quote } from './failures.js';
import { createWebhookForwarder, type WebhookForwarder } from './webhook-sink.js';

/** A handed-over user, seen from both ends. */
export interface HandedOverUser {
  /** The user's side, on the simulated platform. */
  readonly user: HandoffConversation;
  /** The id of the conversation in the helpdesk. */
  readonly externalId: string;
}

/** Simulated platform, receiver, bridge, adapter and helpdesk, connected over real HTTP. */
export interface FullStack {
  readonly bench: TestBench;
  /** Forwards the helpdesk's webhooks to the bridge. */
  readonly forwarder: WebhookForwarder;
  /** A user asks for a human. Fails the check unless the conversation is opened in the helpdesk. */
  handOver(input?: HandoffRequestInput): Promise<HandedOverUser>;
  /** Posts a delivery to the receiver and returns the status of the answer. */
  post(endpoint: 'conversation/establish' | 'chat' | 'conversation/close', body: object): Promise<number>;
  /** The number of requests that have reached an endpoint of the receiver. */
  requestCount(endpoint: string): number;
  /** The receiver's state of a conversation. */
  conversation(id: string): Promise<Conversation | null>;
  /** Stops receiver, bridge and adapter in every process. */
  stopProcess(): Promise<void>;
  /** Starts another process with the same storage. Requests go to the processes in turn. */
  startProcess(): Promise<void>;
}

interface FullStackOptions {
  /** Wraps the adapter before the bridge gets it. */
  readonly wrap?: (adapter: Adapter) => Adapter;
  /** Changes how failed calls are retried. */
  readonly retry?: BridgeOptions['retry'];
  /** Keeps to the rate limits of the adapter. Default: with a live helpdesk only, since a fake has none. */
  readonly keepsRate?: boolean;
}

interface Process {
  readonly receiver: Receiver;
  readonly bridge: Bridge;
}

/** Short, because no check depends on unfinished work. */
const DRAIN_MS = 300;
const POLL_EVERY_MS = 100;

/** Starts the full stack. It stops with the check. */
export async function createFullStack(
  context: CheckContext,
  { wrap = (adapter) => adapter, retry, keepsRate = context.isLive }: FullStackOptions = {},
): Promise<FullStack> {
  const { stepTimeoutMs, recordedLog, webhookSink, recordTo } = context;
  // At least the bridge's default, even with a short step timeout.
  const openWithinMs = Math.max(stepTimeoutMs, 4_000);
  const token = randomBytes(24).toString('hex');
  const handoffs = createMemoryHandoffStore();
  const paths: string[] = [];
  let running: readonly Process[] = [];
  let turn = 0;

  const bench = await createTestBench({
    replyTimeoutMs: stepTimeoutMs,
    drainMs: DRAIN_MS,
    simulator: { deliveryTimeoutMs: 2 * openWithinMs },
  });
  context.onCleanup(() => bench.close());

  const startProcess = async (): Promise<void> => {
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(token) },
      platform: bench.platform,
      delivery: { ...inline(), handoffs },
      log: recordedLog.log,
      ...(recordTo !== undefined && { record: { to: recordTo, keepContent: true } }),
    });
    const adapter = wrap(withoutWaits(await context.createAdapter(), keepsRate));
    const bridge = createBridge({
      receiver,
      adapter,
      retry: { firstWaitMs: 20, ...retry },
      openWithinMs,
      log: recordedLog.log,
    });
    running = [...running, { receiver, bridge }];
  };
  const stopProcess = async (): Promise<void> => {
    const ending = running;
    running = [];
    for (const { receiver, bridge } of ending) {
      await receiver.close({ timeoutMs: DRAIN_MS });
      await bridge.close({ timeoutMs: DRAIN_MS });
    }
  };
  const nextProcess = (): Process | undefined => {
    turn += 1;
    return running[turn % running.length];
  };

  await startProcess();
  context.onCleanup(stopProcess);
  await bench.connect(
    (request: IncomingMessage, response: ServerResponse) => {
      paths.push(request.url ?? '');
      const process = nextProcess();
      if (process) process.receiver(request, response);
      else response.destroy();
    },
    { token, message: false },
  );
  const webhookServer = await serve((request, response) => {
    const process = nextProcess();
    if (process) process.bridge.webhook(request, response);
    else response.destroy();
  });
  context.onCleanup(() => webhookServer.stop());
  const forwarder = createWebhookForwarder(webhookSink, webhookServer.origin);
  context.onCleanup(() => forwarder.stop());

  const conversation = (id: string) => handoffs.get(id);
  return {
    bench,
    forwarder,
    conversation,
    async handOver(input) {
      const user = await bench.requestHandoff(input);
      const [establish] = user.deliveries;
      if (user.state === 'busy')
        fail(`establish was answered ${establish?.status ?? establish?.error}, so the user was told "busy".`);
      const link = (await conversation(user.id))?.link;
      if (!link) fail('establish was answered 200, but the conversation is not open in the helpdesk.');
      return { user, externalId: link.externalId };
    },
    async post(endpoint, body) {
      if (running.length === 0) fail('the process is stopped.');
      const answer = await fetch(`${bench.url}/${token}/${endpoint}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    requestCount: (endpoint) => paths.filter((path) => path.endsWith(`/${endpoint}`)).length,
    stopProcess,
    startProcess,
  };
}

function withoutWaits(adapter: Adapter, keepsRate: boolean): Adapter {
  const { rate, ...others } = adapter.capabilities;
  const pollEveryMs = Math.min(others.pollEveryMs ?? POLL_EVERY_MS, POLL_EVERY_MS);
  return overrideAdapter(adapter, {
    capabilities: { ...others, ...(keepsRate && rate && { rate }), pollEveryMs },
  });
}

/** Overrides parts of an adapter. `this` keeps working, because the original is the prototype. */
export function overrideAdapter(adapter: Adapter, changes: Partial<Adapter>): Adapter {
  return Object.assign(Object.create(adapter) as Adapter, changes);
}

/** Normalizes line ends and trims, since helpdesks change both. */
const normalizeText = (text: string): string => text.replaceAll('\r\n', '\n').trim();

/** How many times agents see a text in a conversation. */
export async function countShown(
  { helpdesk }: CheckContext,
  externalId: string,
  text: string,
): Promise<number> {
  const { shown } = await helpdesk.read(externalId);
  return normalizeText(shown.map(normalizeText).join('\n\n')).split(normalizeText(text)).length - 1;
}

/** Waits until agents see a text, and fails if they see it more than once. */
export async function expectShownOnce(
  context: CheckContext,
  externalId: string,
  text: string,
): Promise<void> {
  await context.waitFor(
    `the agents to see ${quote(text)}`,
    async () => (await countShown(context, externalId, text)) > 0,
  );
  const times = await countShown(context, externalId, text);
  if (times > 1) fail(`the agents see ${quote(text)} ${times} times.`);
}

/** Waits until the user has received the last expected reply, and fails unless all replies are as expected. */
export async function expectReplies(
  context: CheckContext,
  { user }: HandedOverUser,
  expected: readonly string[],
): Promise<void> {
  const received = () => user.replies.map(({ text }) => normalizeText(text));
  const last = normalizeText(expected.at(-1) ?? '');
  await context.waitFor(
    () => `the user to receive ${quote(last)} (received: ${listTexts(received())})`,
    () => received().includes(last),
  );
  expectTexts(received(), expected.map(normalizeText));
}

/** Fails unless the user received exactly these texts, in order. */
export function expectTexts(actual: readonly string[], expected: readonly string[]): void {
  const same = actual.length === expected.length && actual.every((text, index) => text === expected[index]);
  if (same) return;
  fail(`the user received ${listTexts(actual)} instead of ${listTexts(expected)}.`);
}

const listTexts = (texts: readonly string[]): string =>
  texts.length === 0 ? 'nothing' : texts.map(quote).join(', ');

/** Waits until agents see that a conversation has ended. */
export async function expectClosedInSystem(
  { waitFor, helpdesk }: CheckContext,
  externalId: string,
): Promise<void> {
  await waitFor(
    'the agents to see that the conversation has ended',
    async () => (await helpdesk.read(externalId)).isClosed,
  );
}

/** Waits until the platform and the receiver see that a side has closed the conversation. */
export async function expectClosedBy(
  context: CheckContext,
  stack: FullStack,
  { user }: HandedOverUser,
  by: 'user' | 'agent',
): Promise<void> {
  await context.waitFor(`the platform to see that the ${by} has closed`, () => user.endedBy === by);
  await context.waitFor(
    'the receiver to see that the conversation is closed',
    async () => (await stack.conversation(user.id))?.state === 'closed',
  );
}
