import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AdapterCapabilities, InboundEvent } from '../../src/adapter.js';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import {
  type Adapter,
  type BridgeOptions,
  createBridge,
  createReceiver,
  type Delivery,
  type Receiver,
  type ReceiverOptions,
} from '../../src/index.js';
import { createTestBench, type TestBenchOptions } from '../../src/testing/index.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type FakeDesk, fakeDesk, signed } from './fake-desk.js';

/** What a test sets. */
export interface StandOptions {
  readonly desk?: FakeDesk;
  readonly capabilities?: Partial<AdapterCapabilities>;
  readonly adapter?: Partial<Adapter>;
  readonly bridge?: Partial<BridgeOptions>;
  readonly receiver?: Partial<ReceiverOptions>;
  readonly bench?: TestBenchOptions;
  /** Adds to the receiver before the bridge does. */
  readonly before?: (receiver: Receiver) => void;
}

/** Waits that are short enough for tests. */
export const QUICK = { firstWaitMs: 1, authWaitMs: 5 } as const;

/** The simulated service, a receiver, a bridge and a desk, until the test ends. */
export async function stand(options: StandOptions = {}) {
  const { desk = fakeDesk(), capabilities, adapter, before } = options;
  const logged = logLines();
  const made: { receiver?: Receiver; bridge?: ReturnType<typeof createBridge> } = {};
  const bench = await createTestBench({
    ...options.bench,
    receiver: (given) => {
      const receiver = createReceiver({ log: logged.log, ...given, ...options.receiver });
      before?.(receiver);
      made.receiver = receiver;
      made.bridge = createBridge({
        receiver,
        adapter: desk.adapter(capabilities, adapter),
        log: logged.log,
        retry: QUICK,
        ...options.bridge,
      });
      return receiver;
    },
  });
  const { bridge, receiver } = made;
  if (!bridge || !receiver) throw new Error('the bench makes its receiver at once');
  const { url, port } = await serve(bridge.webhook);
  onTestFinished(async () => {
    await bench.close();
    await bridge.close({ timeoutMs: 1_000 });
  });

  /** The desk tells what happened, over HTTP. */
  const tell = async (...events: InboundEvent[]): Promise<number> => {
    const body = JSON.stringify(events);
    return (await fetch(url, { method: 'POST', headers: signed(body), body })).status;
  };
  /** What the user has been shown, in order. */
  const shown = (): string[] => bench.replies.map(({ text }) => text);
  return { bench, receiver, bridge, desk, logged, tell, shown, url, port };
}

/** Everything of {@link stand}. */
export type Stand = Awaited<ReturnType<typeof stand>>;

/** Events, replies and conversations in a file that goes with the test. */
export async function stored(file?: string): Promise<Delivery> {
  return sqlite({
    file: file ?? join(await temporaryFolder(), 'handoff.db'),
    pollMs: 20,
    backoff: { minDelayMs: 20 },
  });
}
