import { onTestFinished } from 'vitest';
import type { Delivery, OpenDatabase, QueueAdmin } from '../../../src/delivery/index.js';
import type { OutboxPolicy } from '../../../src/delivery/outbox/send-job.js';
import type { DeliveredEvent, HandlerRun } from '../../../src/events/index.js';
import type { FailureReport, ReceiverOptions } from '../../../src/public/index.js';
import { logLines } from '../../helpers/log-lines.js';
import { makeReceiver } from '../../helpers/start.js';

/** The settings that all engines share. Inline delivery uses only the time limits. */
export interface EngineOptions {
  readonly concurrency?: number;
  readonly maxAttempts?: number;
  readonly backoff?: { readonly minDelayMs?: number; readonly maxDelayMs?: number };
  readonly handlerTimeoutMs?: number;
  readonly keepContent?: boolean;
  readonly rememberMs?: number;
  readonly leaseMs?: number;
  readonly outbox?: Partial<OutboxPolicy>;
}

/** A separate database for each test. */
export interface Store {
  /** Opens a delivery on it, as another process would. */
  open(options: EngineOptions): Delivery | Promise<Delivery>;
  /** Marks its tables as written by a newer version of the package, or by this version again. */
  setNewerVersion?(isNewer: boolean): Promise<void>;
  /** Opens it as an operator does, until the test ends. */
  admin?(): Promise<OpenDatabase>;
  /** Removes it after every delivery on it has stopped. */
  remove(): Promise<void>;
}

/** A kind of delivery that the contract is run against. */
export interface Engine {
  /** Whether events and replies survive a restart. */
  readonly stores: boolean;
  createStore(): Promise<Store>;
  /** Creates a delivery whose storage cannot be opened. */
  openUnusable?(): Delivery;
}

/** Handles every event of a test. */
export type Handle = (event: DeliveredEvent, run: HandlerRun) => unknown;

/** A failure that a delivery reported. */
export type Report = Partial<FailureReport> & { readonly error: unknown };

/** Delays that are short enough for tests. */
const QUICK: EngineOptions = {
  backoff: { minDelayMs: 1, maxDelayMs: 20 },
  outbox: { minDelayMs: 1, maxDelayMs: 20 },
};

/** Longer than any test. */
export const AN_HOUR = 3_600_000;

/** A store that is removed when the test ends, and the ways to open it. */
export async function stage(engine: Engine) {
  const store = await engine.createStore();
  const running = new Set<Delivery>();
  const stop = (delivery: Delivery, timeoutMs: number) => {
    running.delete(delivery);
    return delivery.stop({ timeoutMs });
  };
  onTestFinished(async () => {
    await Promise.all([...running].map((delivery) => stop(delivery, 1)));
    await store.remove();
  });
  const openDelivery = async ({ outbox, ...options }: EngineOptions = {}): Promise<Delivery> => {
    const delivery = await store.open({ ...QUICK, ...options, outbox: { ...QUICK.outbox, ...outbox } });
    running.add(delivery);
    return delivery;
  };

  return {
    store,
    /** Opens the store, and leaves it to the test to connect and start the delivery. */
    openDelivery,
    /** Opens the store with a handler, without a receiver. */
    async open(handle: Handle, options: EngineOptions = {}) {
      const delivery = await openDelivery(options);
      const logged = logLines();
      const reports: Report[] = [];
      delivery.connect({
        name: 'default',
        hasBot: () => true,
        handles: () => true,
        handle: async (event, run) => void (await handle(event, run)),
        greet: async () => {},
        report: (error, place) => reports.push({ ...place, error }),
        log: logged.log,
      });
      await delivery.start?.();
      return {
        delivery,
        logged,
        reports,
        accept: async (event: DeliveredEvent) => delivery.accept(event),
        queues: queuesOf(delivery),
        stop: (timeoutMs = 20_000) => stop(delivery, timeoutMs),
      };
    },
    /** Opens the store with a receiver that replies to a platform. */
    async receive(platform: ReceiverOptions['platform'], options: EngineOptions = {}, more: object = {}) {
      const delivery = await openDelivery(options);
      const made = makeReceiver({ delivery, ...(platform && { platform }), ...more });
      const reports: Report[] = [];
      made.receiver.onError((report) => reports.push(report));
      return {
        ...made,
        ...made.receiver.conversations,
        delivery,
        reports,
        /** Starts the receiver first: handlers are registered by then. */
        async accept(event: DeliveredEvent) {
          await made.receiver.start();
          return delivery.accept(event);
        },
        async reply(...args: Parameters<typeof made.receiver.conversations.reply>) {
          await made.receiver.start();
          return made.receiver.conversations.reply(...args);
        },
        async end(...args: Parameters<typeof made.receiver.conversations.end>) {
          await made.receiver.start();
          return made.receiver.conversations.end(...args);
        },
        start: () => made.receiver.start(),
        queues: queuesOf(delivery),
        stop: (timeoutMs = 20_000) => {
          running.delete(delivery);
          return made.receiver.close({ timeoutMs });
        },
      };
    },
  };
}

/** Only stored deliveries have queues. */
function queuesOf(delivery: Delivery): QueueAdmin {
  const needed = (): QueueAdmin => {
    if (!delivery.queues) throw new Error('this engine stores nothing');
    return delivery.queues;
  };
  return {
    list: (...from) => needed().list(...from),
    show: (...from) => needed().show(...from),
    retry: (...from) => needed().retry(...from),
    discard: (...from) => needed().discard(...from),
    forget: (...who) => needed().forget(...who),
    depth: (queue) => needed().depth(queue),
    outboxes: () => needed().outboxes(),
    check: () => needed().check(),
  };
}

export { eventually } from '../../helpers/eventually.js';

/** Records in order, and waits for a number of records. */
export function notes<Note>() {
  const all: Note[] = [];
  const listeners = new Set<() => void>();
  return {
    all,
    add(note: Note): void {
      all.push(note);
      for (const listener of listeners) listener();
    },
    /** Resolves to all notes once there are `count`. */
    until: (count: number): Promise<Note[]> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (all.length < count) return;
          listeners.delete(look);
          resolve(all);
        };
        listeners.add(look);
        look();
      }),
  };
}
