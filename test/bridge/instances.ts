import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AdapterCapabilities, InboundEvent } from '../../src/adapter.js';
import {
  type Adapter,
  type BridgeOptions,
  createBridge,
  createReceiver,
  pathToken,
  type RequestListener,
} from '../../src/index.js';
import { createTestBench } from '../../src/testing/index.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type FakeDesk, signed } from './fake-desk.js';
import { QUICK, stored } from './stand.js';

/** What an instance is made of. */
export interface InstanceOptions {
  readonly capabilities?: Partial<AdapterCapabilities>;
  readonly adapter?: Partial<Adapter>;
  readonly bridge?: Partial<BridgeOptions>;
}

/** A service and a file; instances of receiver and bridge on that file come and go. */
export async function onOneFile(desk: FakeDesk) {
  const file = join(await temporaryFolder(), 'handoff.db');
  const bench = await createTestBench();
  let front: RequestListener | undefined;
  // Both parameters are written out: that tells the bench that it is a listener.
  await bench.connect((request: IncomingMessage, response: ServerResponse) => front?.(request, response), {
    token: PATH_TOKEN,
    message: false,
  });

  const start = async ({ capabilities, adapter, bridge: options }: InstanceOptions = {}) => {
    const logged = logLines();
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(PATH_TOKEN) },
      service: bench.service,
      delivery: await stored(file),
      log: logged.log,
    });
    const bridge = createBridge({
      receiver,
      adapter: desk.adapter(capabilities, adapter),
      log: logged.log,
      retry: QUICK,
      ...options,
    });
    const own = await serve(receiver);
    const { url } = await serve(bridge.webhook);
    /** Ends it without waiting for anything. */
    const stop = async (): Promise<void> => {
      await Promise.all([receiver.close({ timeoutMs: 1 }), bridge.close({ timeoutMs: 1 })]);
    };
    onTestFinished(stop);
    /** The desk tells this instance what happened. */
    const tell = async (...events: InboundEvent[]): Promise<number> => {
      const body = JSON.stringify(events);
      return (await fetch(url, { method: 'POST', headers: signed(body), body })).status;
    };
    return { receiver, bridge, logged, url: `${own.url}/${PATH_TOKEN}`, tell, stop };
  };

  onTestFinished(() => bench.close());
  return {
    bench,
    start,
    /** The service sends everything to this one from now on. */
    face: (instance: { readonly receiver: RequestListener }): void => {
      front = instance.receiver;
    },
  };
}
