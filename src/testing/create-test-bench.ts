import { randomBytes, randomUUID } from 'node:crypto';
import {
  createManualClock,
  createSimulator,
  type HandoffConversation,
  type Simulator,
} from '../simulator/index.js';
import { createBenchErrorFactory, withFailureReports } from './failure-report.js';
import { createSecrets, resolveReceiver, webhookSettingsFor } from './receiver-under-test.js';
import { type RequestListener, type Served, serve } from './serve.js';
import {
  type ReceiverAddress,
  type ReceiverFactory,
  type TestBench,
  TestBenchError,
  type TestBenchOptions,
} from './test-bench.js';

const AGENT_ID = 'bench-agent';

/** A test framework gives up after five seconds; what the bench has to say must come before. */
const DEFAULTS = { replyTimeoutMs: 2_000, drainMs: 1_000, deliveryTimeoutMs: 2_500 };

type Settings = TestBenchOptions & ReceiverAddress;

/** Makes a bench around a receiver that a function makes to fit it. */
export function createTestBench(options: Settings & { receiver: ReceiverFactory }): Promise<TestBench>;
/** Makes a bench around a finished receiver, an Express app or any request listener. */
export function createTestBench(options: Settings & { receiver: RequestListener }): Promise<TestBench>;
/** Makes a bench that has a service, and gets its receiver from `connect`. */
export function createTestBench(options?: TestBenchOptions): Promise<TestBench>;
/**
 * Makes a bench: the simulated service and what is tested, each on a port of its own, with a clock that stands
 * still. Close it when the test is done.
 *
 * @example
 * const bench = await createTestBench({
 *   receiver: (options) =>
 *     createReceiver(options).on('handoff.message', ({ payload, reply }) => reply(`You said: ${payload.body}`)),
 * });
 * await bench.requestHandoff();
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
}: Settings & { receiver?: ReceiverFactory | RequestListener } = {}): Promise<TestBench> {
  const clock = createManualClock();
  const apiKey = randomBytes(24).toString('hex');
  const simulator = createSimulator({
    deliveryTimeoutMs: DEFAULTS.deliveryTimeoutMs,
    probeTimeoutMs: DEFAULTS.deliveryTimeoutMs,
    ...simulatorOptions,
    clock,
    agents: [{ id: AGENT_ID, apiKey }],
  });
  const service = { baseUrl: await simulator.listen(), apiKey };
  const secrets = createSecrets(apiKey);
  const complain = createBenchErrorFactory(simulator, secrets.hide);
  let connected: { listener: RequestListener; served: Served; url: string } | null = null;
  let current: HandoffConversation | null = null;
  let closing: Promise<void> | null = null;

  const connect = async (given: ReceiverFactory | RequestListener, where: ReceiverAddress = {}) => {
    assertOpen();
    if (connected)
      throw new TestBenchError('ALREADY_CONNECTED', 'this bench has a receiver already: make another bench.');
    const resolved = await resolveReceiver(given, where, service);
    secrets.add(resolved.address);
    const served = await serve(resolved.listener);
    const { message, humanServices } = webhookSettingsFor(served.origin, resolved.address);
    simulator.agents.update(AGENT_ID, { message, humanServices });
    connected = { listener: resolved.listener, served, url: message?.url ?? served.origin };
  };

  const assertOpen = () => {
    if (closing) throw new TestBenchError('BENCH_CLOSED', 'this bench was closed: make another one.');
  };
  const ready = () => {
    assertOpen();
    if (connected) return connected;
    throw new TestBenchError(
      'NOT_CONNECTED',
      'this bench has no receiver: pass one to createTestBench({ receiver }), or call await bench.connect(app, { path }).',
    );
  };
  const conversation = () => {
    ready();
    if (current) return current;
    throw complain('NO_CONVERSATION', 'no user has asked for a human yet.', null);
  };

  const end = async () => {
    try {
      await waitForDeliveries(simulator, drainMs);
      if (connected) await drain(connected.listener, drainMs);
    } finally {
      await connected?.served.stop();
      await simulator.close();
    }
  };
  const close = () => (closing ??= end());

  const bench: Omit<TestBench, typeof Symbol.asyncDispose> = {
    connect,
    async requestHandoff({ conversationId = `handoff-${randomUUID()}`, ...input } = {}) {
      ready();
      const establishing = simulator.requestHandoff({ ...input, conversationId });
      const handle = simulator.conversation(conversationId);
      if (handle) current = withFailureReports(handle, { complain, replyTimeoutMs });
      const asked = current;
      await establishing;
      return asked ?? conversation();
    },
    say: async (text) => conversation().say(text),
    closeByUser: async () => conversation().closeByUser(),
    nextReply: async (options) => conversation().nextReply(options),
    async agentMessage(message = {}) {
      ready();
      return simulator.agentMessage(typeof message === 'string' ? { text: message } : message);
    },
    async probe({ endpoint } = {}) {
      ready();
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
      return ready().url;
    },
    clock,
    faults: simulator.faults,
    simulator,
    service,
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

/** Lets a receiver finish, if it knows how to. */
async function drain(listener: RequestListener, timeoutMs: number): Promise<void> {
  if ('close' in listener && typeof listener.close === 'function') await listener.close({ timeoutMs });
}

/** Resolves when every delivery that was sent is answered, or after `timeoutMs` of real time. */
export function waitForDeliveries({ traffic }: Simulator, timeoutMs: number): Promise<void> {
  const isOnItsWay = () =>
    traffic
      .exchanges()
      .some(({ direction, answer, error }) => direction === 'sent' && answer === null && error === null);
  if (!isOnItsWay()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    const forget = traffic.onChange(() => {
      if (!isOnItsWay()) done();
    });
  });
}

/** Makes an object fit for `await using`. */
export function withDisposal<Target extends object>(
  target: Target,
  dispose: () => Promise<void>,
): Target & { [Symbol.asyncDispose]: () => Promise<void> } {
  const disposable = Object.assign(target, { [Symbol.asyncDispose]: dispose });
  // A test framework that runs tests in a context of its own may not have the symbol there: Node adds it to its own.
  if (typeof Symbol.asyncDispose !== 'symbol') Reflect.deleteProperty(disposable, 'undefined');
  return disposable;
}
