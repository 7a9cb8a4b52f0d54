import { randomBytes, randomUUID } from 'node:crypto';
import { createLog } from '../internal/create-log.js';
import type { Log } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import {
  createManualClock,
  createSimulator,
  type HandoffConversation,
  type Simulator,
} from '../simulator/index.js';
import { createBenchErrorFactory, withFailureReports } from './failure-report.js';
import { createSecretRedactor, resolveReceiver, webhookSettingsFor } from './receiver-under-test.js';
import { type RequestListener, type ServedListener, serve } from './serve.js';
import {
  type ReceiverAddress,
  type ReceiverFactory,
  type TestBench,
  TestBenchError,
  type TestBenchOptions,
} from './test-bench.js';

const BOT_ID = 'bench-bot';

/** Below the 5 s timeout of test frameworks, so that the bench's errors come first. */
const DEFAULTS = { replyTimeoutMs: 2_000, drainMs: 1_000, deliveryTimeoutMs: 2_500 };

/** Starts a receiver that stores events; with inline delivery, handlers can be added until the first event. */
async function startDurable(
  listener: RequestListener & Partial<Pick<Receiver, 'start' | 'started'>>,
): Promise<void> {
  if (listener.started === false) await listener.start?.();
}

type BenchSettings = TestBenchOptions & ReceiverAddress;

/** Creates a bench with a function that creates the receiver from the bench's options. */
export function createTestBench(options: BenchSettings & { receiver: ReceiverFactory }): Promise<TestBench>;
/** Creates a bench for an existing receiver, an Express app or any request listener. */
export function createTestBench(options: BenchSettings & { receiver: RequestListener }): Promise<TestBench>;
/** Creates a bench without a receiver; pass one to `bench.connect` later. */
export function createTestBench(options?: TestBenchOptions): Promise<TestBench>;
/**
 * Creates a test bench: starts a simulated platform and the receiver under test on free ports, with a clock that
 * stands still. Close it at the end of the test.
 *
 * @example
 * const bench = await createTestBench({
 *   receiver: (options) =>
 *     createReceiver(options)
 *       .on('handoff.requested', ({ reply }) => reply('Hello'))
 *       .on('handoff.message', ({ text, reply }) => reply(`You said: ${text}`)),
 * });
 * await bench.requestHandoff();
 * console.log((await bench.nextReply()).text); // Hello
 * await bench.say('hello');
 * console.log((await bench.nextReply()).text); // You said: hello
 * await bench.close();
 */
export async function createTestBench({
  receiver,
  replyTimeoutMs = DEFAULTS.replyTimeoutMs,
  drainMs = DEFAULTS.drainMs,
  simulator: simulatorOptions,
  ...address
}: BenchSettings & { receiver?: ReceiverFactory | RequestListener } = {}): Promise<TestBench> {
  const clock = createManualClock();
  const apiKey = randomBytes(24).toString('hex');
  const simulator = createSimulator({
    deliveryTimeoutMs: DEFAULTS.deliveryTimeoutMs,
    probeTimeoutMs: DEFAULTS.deliveryTimeoutMs,
    ...simulatorOptions,
    clock,
    bots: [{ id: BOT_ID, apiKey }],
  });
  const platform = { baseUrl: await simulator.listen(), apiKey };
  const secrets = createSecretRedactor(apiKey);
  const captured = createLogInMemory();
  const createError = createBenchErrorFactory(simulator, secrets.redact, () => captured.lines());
  let connected: { listener: RequestListener; served: ServedListener; url: string } | null = null;
  let current: HandoffConversation | null = null;
  let closing: Promise<void> | null = null;

  const connect = async (receiverOrFactory: ReceiverFactory | RequestListener, at: ReceiverAddress = {}) => {
    assertOpen();
    if (connected)
      throw new TestBenchError(
        'ALREADY_CONNECTED',
        'this bench already has a receiver: create another bench.',
      );
    const resolved = await resolveReceiver(receiverOrFactory, at, { platform, log: captured.log });
    secrets.add(resolved.address);
    await startDurable(resolved.listener);
    const served = await serve(resolved.listener);
    const { message, humanServices } = webhookSettingsFor(served.origin, resolved.address);
    simulator.bots.update(BOT_ID, { message, humanServices });
    connected = { listener: resolved.listener, served, url: message?.url ?? served.origin };
  };

  const assertOpen = () => {
    if (closing) throw new TestBenchError('BENCH_CLOSED', 'this bench was closed: create another.');
  };
  const requireReceiver = () => {
    assertOpen();
    if (connected) return connected;
    throw new TestBenchError(
      'NOT_CONNECTED',
      'this bench has no receiver: pass one to createTestBench({ receiver }), or call await bench.connect(app, { path }).',
    );
  };
  const conversation = () => {
    requireReceiver();
    if (current) return current;
    throw createError('NO_CONVERSATION', 'no handoff was requested yet.', null);
  };

  const shutDown = async () => {
    try {
      await waitForDeliveries(simulator, drainMs);
      if (connected) await drain(connected.listener, drainMs);
    } finally {
      await connected?.served.stop();
      await simulator.close();
    }
  };
  const close = () => (closing ??= shutDown());

  const bench: Omit<TestBench, typeof Symbol.asyncDispose> = {
    connect,
    async requestHandoff({ conversationId = `handoff-${randomUUID()}`, ...input } = {}) {
      requireReceiver();
      const establishing = simulator.requestHandoff({ ...input, conversationId });
      const handle = simulator.conversation(conversationId);
      if (handle) current = withFailureReports(handle, { createError, replyTimeoutMs });
      const conversationAtCall = current;
      await establishing;
      return conversationAtCall ?? conversation();
    },
    say: async (text) => conversation().say(text),
    closeByUser: async () => conversation().closeByUser(),
    nextReply: async (options) => conversation().nextReply(options),
    async botMessage(message = {}) {
      requireReceiver();
      return simulator.botMessage(typeof message === 'string' ? { text: message } : message);
    },
    async probe({ endpoint } = {}) {
      requireReceiver();
      return simulator.probe(endpoint ? { endpoint } : {});
    },
    idle: () => simulator.idle(),
    get conversation() {
      return conversation();
    },
    get replies() {
      return current?.replies ?? [];
    },
    get url() {
      return requireReceiver().url;
    },
    clock,
    faults: simulator.faults,
    simulator,
    platform,
    close,
  };
  const disposable = withDisposal(bench, close);
  if (receiver === undefined) return disposable;
  try {
    await connect(receiver, address);
  } catch (error) {
    await close();
    throw error;
  }
  return disposable;
}

/** Closes the receiver, if it has a `close` method. */
async function drain(listener: RequestListener, timeoutMs: number): Promise<void> {
  if ('close' in listener && typeof listener.close === 'function') await listener.close({ timeoutMs });
}

/** Resolves when every delivery has been answered, or after `timeoutMs` of real time. */
function waitForDeliveries({ traffic }: Simulator, timeoutMs: number): Promise<void> {
  const hasPending = () =>
    traffic
      .exchanges()
      .some(({ direction, answer, error }) => direction === 'sent' && answer === null && error === null);
  if (!hasPending()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    const unsubscribe = traffic.onChange(() => {
      if (!hasPending()) done();
    });
  });
}

function withDisposal<Target extends object>(
  target: Target,
  dispose: () => Promise<void>,
): Target & { [Symbol.asyncDispose]: () => Promise<void> } {
  const disposable = Object.assign(target, { [Symbol.asyncDispose]: dispose });
  // Jest's realm may lack the symbol; the key would then be "undefined".
  if (typeof Symbol.asyncDispose !== 'symbol') Reflect.deleteProperty(disposable, 'undefined');
  return disposable;
}

/** Older lines are dropped. */
const MAX_LINES = 20;

/** Keeps its lines for the report of a failed test. */
interface LogInMemory {
  readonly log: Log;
  /** The last lines, as JSON. */
  lines(): readonly string[];
}

/** The level is the environment's `LOG_LEVEL`, or `debug`: reports of failures show which events arrived. */
function createLogInMemory(): LogInMemory {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line.trimEnd());
    if (lines.length > MAX_LINES) lines.shift();
  };
  return {
    log: createLog({ level: process.env.LOG_LEVEL ?? 'debug', plain: true, destination: { write } }),
    lines: () => lines,
  };
}
