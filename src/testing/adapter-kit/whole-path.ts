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
import { type Carrier, createCarrier } from './carrier.js';
import { found } from './failure.js';
import type { Rig } from './rig.js';

/** A user who was handed over, seen from both ends. */
export interface HandedOver {
  /** The user's side, at the service. */
  readonly user: HandoffConversation;
  /** The agents' side. */
  readonly externalId: string;
}

/** The way from a user to an agent and back: service, receiver, bridge, adapter and system, over real HTTP. */
export interface WholePath {
  readonly bench: TestBench;
  /** Brings the system's webhooks to the bridge. */
  readonly carrier: Carrier;
  /** A user asks for a human, and gets one. */
  handOver(input?: HandoffRequestInput): Promise<HandedOver>;
  /** Sends the receiver something that the service would send, and gives the status of the answer. */
  post(endpoint: 'conversation/establish' | 'chat' | 'conversation/close', body: object): Promise<number>;
  /** How many requests to an endpoint have reached the receiver. */
  arrived(endpoint: string): number;
  /** How the receiver sees a conversation. */
  conversation(id: string): Promise<Conversation | null>;
  /** Ends receiver, bridge and adapter. */
  stopProcess(): Promise<void>;
  /** Begins them anew, with what they stored. */
  startProcess(): Promise<void>;
}

/** How the path differs from the usual. */
export interface WholePathOptions {
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

/** Builds the path; it ends with the rig. */
export async function createWholePath(
  rig: Rig,
  { wrap = (adapter) => adapter }: WholePathOptions = {},
): Promise<WholePath> {
  const { patienceMs, recorded, mailbox } = rig;
  // As long as a bridge waits by itself, however short the patience of the kit is.
  const openWithinMs = Math.max(patienceMs, 4_000);
  const token = randomBytes(24).toString('hex');
  const handoffs = createMemoryStore();
  const paths: string[] = [];
  let running: Process | null = null;

  const bench = await createTestBench({
    replyTimeoutMs: patienceMs,
    drainMs: DRAIN_MS,
    simulator: { deliveryTimeoutMs: 2 * openWithinMs },
  });
  rig.atEnd(() => bench.close());

  const startProcess = async (): Promise<void> => {
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(token) },
      service: bench.service,
      delivery: { ...inline(), handoffs },
      log: recorded.log,
    });
    const adapter = wrap(polledOften(await rig.make()));
    const retry = { firstWaitMs: 20 };
    const bridge = createBridge({ receiver, adapter, retry, openWithinMs, log: recorded.log });
    running = { receiver, bridge };
  };
  const stopProcess = async (): Promise<void> => {
    const ending = running;
    running = null;
    await ending?.receiver.close({ timeoutMs: DRAIN_MS });
    await ending?.bridge.close({ timeoutMs: DRAIN_MS });
  };
  const current = (): Process => running ?? found('the process is down.');

  await startProcess();
  rig.atEnd(stopProcess);
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
  rig.atEnd(() => hook.stop());
  const carrier = createCarrier(mailbox, hook.origin);
  rig.atEnd(() => carrier.stop());

  const conversation = (id: string) => handoffs.get(id);
  return {
    bench,
    carrier,
    conversation,
    async handOver(input) {
      const user = await bench.requestHandoff(input);
      const [establish] = user.deliveries;
      if (user.state === 'busy')
        found(
          `establish was answered ${establish?.status ?? establish?.error}, so the user was told "busy".`,
        );
      const link = (await conversation(user.id))?.link;
      if (!link) found('establish was answered 200, and the conversation is not open in the system.');
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
    arrived: (endpoint) => paths.filter((path) => path.endsWith(`/${endpoint}`)).length,
    stopProcess,
    startProcess,
  };
}

/** The adapter itself, but for how often it is asked. */
function polledOften(adapter: Adapter): Adapter {
  const pollEveryMs = Math.min(adapter.capabilities.pollEveryMs ?? POLL_EVERY_MS, POLL_EVERY_MS);
  return withChanges(adapter, { capabilities: { ...adapter.capabilities, pollEveryMs } });
}

/** An adapter that differs from another in some parts. What the other does with `this` goes on to work. */
export function withChanges(adapter: Adapter, changes: Partial<Adapter>): Adapter {
  return Object.assign(Object.create(adapter) as Adapter, changes);
}
