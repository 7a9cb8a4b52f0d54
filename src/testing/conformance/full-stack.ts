import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Adapter, type Bridge, createBridge } from '../../bridge/index.js';
import { inline } from '../../delivery/index.js';
import { type Conversation, createMemoryStore } from '../../handoff/index.js';
import { createReceiver, pathToken, type Receiver } from '../../receiver/index.js';
import type { HandoffConversation, HandoffRequestInput } from '../../simulator/index.js';
import { createTestBench } from '../create-test-bench.js';
import { serve } from '../serve.js';
import type { TestBench } from '../test-bench.js';
import { fail, quote } from './check.js';
import type { CheckContext } from './check-context.js';
import { createWebhookForwarder, type WebhookForwarder } from './webhook-sink.js';

/** A user who was handed over, seen from both ends. */
export interface HandedOverUser {
  /** The user's side, at the service. */
  readonly user: HandoffConversation;
  /** The agents' side. */
  readonly externalId: string;
}

/** The way from a user to an agent and back: service, receiver, bridge, adapter and system, over real HTTP. */
export interface FullStack {
  readonly bench: TestBench;
  /** Brings the system's webhooks to the bridge. */
  readonly forwarder: WebhookForwarder;
  /** A user asks for a human, and gets one. */
  handOver(input?: HandoffRequestInput): Promise<HandedOverUser>;
  /** Sends the receiver something that the service would send, and gives the status of the answer. */
  post(endpoint: 'conversation/establish' | 'chat' | 'conversation/close', body: object): Promise<number>;
  /** How many requests to an endpoint have reached the receiver. */
  requestCount(endpoint: string): number;
  /** How the receiver sees a conversation. */
  conversation(id: string): Promise<Conversation | null>;
  /** Ends receiver, bridge and adapter. */
  stopProcess(): Promise<void>;
  /** Begins them anew, with what they stored. */
  startProcess(): Promise<void>;
}

/** How the path differs from the usual. */
export interface FullStackOptions {
  /** Changes the adapter before the bridge gets it. */
  readonly wrap?: (adapter: Adapter) => Adapter;
}

interface Process {
  readonly receiver: Receiver;
  readonly bridge: Bridge;
}

/** Nobody waits for what a check has left undone. */
const DRAIN_MS = 300;
const POLL_EVERY_MS = 100;

/** Builds the path; it ends with the context. */
export async function createFullStack(
  context: CheckContext,
  { wrap = (adapter) => adapter }: FullStackOptions = {},
): Promise<FullStack> {
  const { stepTimeoutMs, recordedLog, webhookSink } = context;
  // As long as a bridge waits by itself, however short the patience of the kit is.
  const openWithinMs = Math.max(stepTimeoutMs, 4_000);
  const token = randomBytes(24).toString('hex');
  const handoffs = createMemoryStore();
  const paths: string[] = [];
  let running: Process | null = null;

  const bench = await createTestBench({
    replyTimeoutMs: stepTimeoutMs,
    drainMs: DRAIN_MS,
    simulator: { deliveryTimeoutMs: 2 * openWithinMs },
  });
  context.onCleanup(() => bench.close());

  const startProcess = async (): Promise<void> => {
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(token) },
      service: bench.service,
      delivery: { ...inline(), handoffs },
      log: recordedLog.log,
    });
    const adapter = wrap(polledOften(await context.createAdapter()));
    const retry = { firstWaitMs: 20 };
    const bridge = createBridge({ receiver, adapter, retry, openWithinMs, log: recordedLog.log });
    running = { receiver, bridge };
  };
  const stopProcess = async (): Promise<void> => {
    const ending = running;
    running = null;
    await ending?.receiver.close({ timeoutMs: DRAIN_MS });
    await ending?.bridge.close({ timeoutMs: DRAIN_MS });
  };
  const current = (): Process => running ?? fail('the process is down.');

  await startProcess();
  context.onCleanup(stopProcess);
  await bench.connect(
    (request: IncomingMessage, response: ServerResponse) => {
      paths.push(request.url ?? '');
      if (running) running.receiver(request, response);
      else response.destroy();
    },
    { token, message: false },
  );
  const hook = await serve((request, response) => {
    if (running) running.bridge.webhook(request, response);
    else response.destroy();
  });
  context.onCleanup(() => hook.stop());
  const forwarder = createWebhookForwarder(webhookSink, hook.origin);
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
      if (!link) fail('establish was answered 200, and the conversation is not open in the system.');
      return { user, externalId: link.externalId };
    },
    async post(endpoint, body) {
      current();
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

/** The adapter itself, but for how often it is asked. */
function polledOften(adapter: Adapter): Adapter {
  const pollEveryMs = Math.min(adapter.capabilities.pollEveryMs ?? POLL_EVERY_MS, POLL_EVERY_MS);
  return overrideAdapter(adapter, { capabilities: { ...adapter.capabilities, pollEveryMs } });
}

/** An adapter that differs from another in some parts. What the other does with `this` goes on to work. */
export function overrideAdapter(adapter: Adapter, changes: Partial<Adapter>): Adapter {
  return Object.assign(Object.create(adapter) as Adapter, changes);
}

/** Line ends and blanks at the edges are not part of what somebody wrote. */
export const normalizeText = (text: string): string => text.replaceAll('\r\n', '\n').trim();

/** How often agents can read a text in a conversation. */
export async function countShown(
  { system }: CheckContext,
  externalId: string,
  text: string,
): Promise<number> {
  const { shown } = await system.read(externalId);
  return normalizeText(shown.map(normalizeText).join('\n\n')).split(normalizeText(text)).length - 1;
}

/** Waits until agents can read a text, and makes sure that it is there once. */
export async function expectShownOnce(
  context: CheckContext,
  externalId: string,
  text: string,
): Promise<void> {
  await context.waitFor(
    `the agents to be shown ${quote(text)}`,
    async () => (await countShown(context, externalId, text)) > 0,
  );
  const times = await countShown(context, externalId, text);
  if (times > 1) fail(`the agents are shown ${quote(text)} ${times} times.`);
}

/** Waits until the user was shown the last of the replies expected, and makes sure that it was these and no others. */
export async function expectReplies(
  context: CheckContext,
  { user }: HandedOverUser,
  expected: readonly string[],
): Promise<void> {
  const shown = () => user.replies.map(({ text }) => normalizeText(text));
  const last = normalizeText(expected.at(-1) ?? '');
  await context.waitFor(
    () => `the user to be shown ${quote(last)} (was shown: ${listed(shown())})`,
    () => shown().includes(last),
  );
  expectTexts(shown(), expected.map(normalizeText));
}

/** Makes sure that two lists of texts are equal, and says where not. */
export function expectTexts(actual: readonly string[], expected: readonly string[]): void {
  const same = actual.length === expected.length && actual.every((text, index) => text === expected[index]);
  if (same) return;
  fail(`the user was shown ${listed(actual)} in place of ${listed(expected)}.`);
}

const listed = (texts: readonly string[]): string =>
  texts.length === 0 ? 'nothing' : texts.map(quote).join(', ');

/** Waits until agents can see that a conversation is over. */
export async function expectClosedInSystem(
  { waitFor, system }: CheckContext,
  externalId: string,
): Promise<void> {
  await waitFor(
    'the agents to see that the conversation is over',
    async () => (await system.read(externalId)).isClosed,
  );
}
