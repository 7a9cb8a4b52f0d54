import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type SqliteOptions, sqlite } from '../../src/delivery/sqlite/index.js';
import type { Adapter, AdapterCapabilities, InboundEvent } from '../../src/public/adapter.js';
import {
  createReceiver,
  type Delivery,
  type Receiver,
  type ReceiverOptions,
} from '../../src/public/index.js';
import { createTestBench, type TestBenchOptions } from '../../src/testing/index.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type FakeDesk, fakeDesk, signatureHeaders } from './fake-desk.js';
import { createTimedBridge, type TimedBridgeOptions } from './timed-bridge.js';

/** Options of {@link setUpBridge}. */
export interface SetupOptions {
  readonly desk?: FakeDesk;
  readonly capabilities?: Partial<AdapterCapabilities>;
  readonly adapter?: Partial<Adapter>;
  readonly bridge?: Partial<TimedBridgeOptions>;
  readonly receiver?: Partial<ReceiverOptions>;
  readonly bench?: TestBenchOptions;
  /** Called with the receiver before the bridge is created. */
  readonly before?: (receiver: Receiver) => void;
}

/** After this time, failures of three conversations count as an outage. */
export const OUTAGE_MS = 1_000;

/** Short waits for tests. */
export const QUICK_RETRY = { firstWaitMs: 1, authWaitMs: 5 } as const;

/** Starts a simulated platform, a receiver, a bridge and a fake desk, and stops them when the test ends. */
export async function setUpBridge(options: SetupOptions = {}) {
  const { desk = fakeDesk(), capabilities, adapter, before } = options;
  const logged = logLines();
  const made: { receiver?: Receiver; bridge?: ReturnType<typeof createTimedBridge> } = {};
  const bench = await createTestBench({
    ...options.bench,
    receiver: (given) => {
      const receiver = createReceiver({ ...given, log: logged.log, ...options.receiver });
      before?.(receiver);
      made.receiver = receiver;
      made.bridge = createTimedBridge({
        receiver,
        adapter: desk.adapter(capabilities, adapter),
        log: logged.log,
        retry: QUICK_RETRY,
        ...options.bridge,
      });
      return receiver;
    },
  });
  const { bridge, receiver } = made;
  if (!bridge || !receiver) throw new Error('the bench creates its receiver at once');
  const { url, port } = await serve(bridge.webhook);
  onTestFinished(async () => {
    await bench.close();
    await bridge.close({ timeoutMs: 1_000 });
  });

  /** Sends events of the desk to the webhook. */
  const sendEvents = async (...events: InboundEvent[]): Promise<number> => {
    const body = JSON.stringify(events);
    return (await fetch(url, { method: 'POST', headers: signatureHeaders(body), body })).status;
  };
  /** The replies shown to the user, in order. */
  const shown = (): string[] => bench.replies.map(({ text }) => text);
  return { bench, receiver, bridge, desk, logged, sendEvents, shown, url, port };
}

/** The result of {@link setUpBridge}. */
export type BridgeSetup = Awaited<ReturnType<typeof setUpBridge>>;

/** Delivery with a SQLite file that is deleted after the test. */
export async function sqliteDelivery(options: Partial<SqliteOptions> = {}): Promise<Delivery> {
  return sqlite({
    file: options.file ?? join(await temporaryFolder(), 'handoff.db'),
    pollMs: 20,
    backoff: { minDelayMs: 20 },
    ...options,
  });
}
