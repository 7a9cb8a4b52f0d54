import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Adapter, AdapterCapabilities, InboundEvent } from '../../src/public/adapter.js';
import type { RequestListener } from '../../src/public/bindings.js';
import { createReceiver, type Delivery, pathToken } from '../../src/public/index.js';
import { createTestBench } from '../../src/testing/index.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type FakeDesk, signatureHeaders } from './fake-desk.js';
import { QUICK_RETRY, sqliteDelivery } from './setup.js';
import { createTimedBridge, type TimedBridgeOptions } from './timed-bridge.js';

/** Options of one instance. */
export interface InstanceOptions {
  readonly capabilities?: Partial<AdapterCapabilities>;
  readonly adapter?: Partial<Adapter>;
  readonly bridge?: Partial<TimedBridgeOptions>;
}

/** A simulated platform and one SQLite file, on which the test starts instances of receiver and bridge. */
export async function onSharedFile(desk: FakeDesk, platform?: { baseUrl: string; apiKey: string }) {
  const file = join(await temporaryFolder(), 'handoff.db');
  return onSharedStore(desk, () => sqliteDelivery({ file }), platform);
}

/** The same on any store: each delivery is that of one process. */
export async function onSharedStore(
  desk: FakeDesk,
  delivery: () => Promise<Delivery>,
  platform?: { baseUrl: string; apiKey: string },
) {
  const bench = await createTestBench();
  let target: RequestListener | undefined;
  // The bench recognizes a listener by its two parameters.
  await bench.connect((request: IncomingMessage, response: ServerResponse) => target?.(request, response), {
    token: PATH_TOKEN,
    message: false,
  });

  const start = async ({ capabilities, adapter, bridge: options }: InstanceOptions = {}) => {
    const logged = logLines();
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(PATH_TOKEN) },
      platform: platform ?? bench.platform,
      delivery: await delivery(),
      log: logged.log,
    });
    const bridge = createTimedBridge({
      receiver,
      adapter: desk.adapter(capabilities, adapter),
      log: logged.log,
      retry: QUICK_RETRY,
      ...options,
    });
    await receiver.start();
    const own = await serve(receiver);
    const { url } = await serve(bridge.webhook);
    /** Stops the instance without waiting, as a crash would. */
    const stop = async (): Promise<void> => {
      await Promise.all([receiver.close({ timeoutMs: 1 }), bridge.close({ timeoutMs: 1 })]);
    };
    onTestFinished(stop);
    /** Sends events of the desk to this instance. */
    const sendEvents = async (...events: InboundEvent[]): Promise<number> => {
      const body = JSON.stringify(events);
      return (await fetch(url, { method: 'POST', headers: signatureHeaders(body), body })).status;
    };
    return { receiver, bridge, logged, url: `${own.url}/${PATH_TOKEN}`, sendEvents, stop };
  };

  onTestFinished(() => bench.close());
  return {
    bench,
    start,
    /** Directs the platform's requests to this instance. */
    routeTo: (instance: { readonly receiver: RequestListener }): void => {
      target = instance.receiver;
    },
  };
}
