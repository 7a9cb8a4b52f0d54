import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { type Adapter, type Bridge, type BridgeOptions, createBridge } from '../../src/public/bridge.js';
import { createReceiver, noAuth, type Receiver } from '../../src/public/index.js';
import { createTestBench, type TestBench } from '../../src/testing/index.js';
import { logLines } from '../helpers/log-lines.js';
import { listen } from '../helpers/serve.js';

/** The simulated platform, and a process with receiver and bridge, for tests against an installed helpdesk. */
export interface LiveProcess {
  readonly bench: TestBench;
  /** The address for the helpdesk's webhooks. */
  readonly hookUrl: string;
  /** The log of the process. */
  readonly logged: ReturnType<typeof logLines>;
  /** Hands a user over. Resolves to the user and the helpdesk's id of the conversation. */
  handOver(): Promise<{
    readonly user: Awaited<ReturnType<TestBench['requestHandoff']>>;
    readonly externalId: string;
  }>;
  /** Starts the process: receiver, bridge and adapter on the same database. */
  startProcess(): Promise<void>;
  /** Stops the process, so that neither the platform nor the helpdesk can reach it. */
  stopProcess(): Promise<void>;
  end(): Promise<void>;
}

/** Upper bound for expected effects on a busy machine. */
const TIMEOUT_MS = 25_000;

/** Starts a {@link LiveProcess}. Each process has an adapter of its own. */
export async function startLiveProcess(
  createAdapter: () => Adapter,
  options: Partial<BridgeOptions> = {},
): Promise<LiveProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-live-'));
  const logged = logLines();
  let running: { readonly receiver: Receiver; readonly bridge: Bridge } | null = null;
  const bench = await createTestBench({
    replyTimeoutMs: TIMEOUT_MS,
    simulator: { deliveryTimeoutMs: TIMEOUT_MS },
  });

  const startProcess = async () => {
    const receiver = createReceiver({
      auth: { message: noAuth(), handoff: noAuth() },
      platform: bench.platform,
      delivery: sqlite({ file: join(folder, 'handoff.db'), pollMs: 50, backoff: { minDelayMs: 100 } }),
      log: logged.log,
    });
    const bridge = createBridge({
      receiver,
      adapter: createAdapter(),
      openWithinMs: TIMEOUT_MS,
      log: logged.log,
      ...options,
    });
    await receiver.start();
    running = { receiver, bridge };
  };
  const stopProcess = async () => {
    const ending = running;
    running = null;
    await ending?.receiver.close();
    await ending?.bridge.close();
  };

  await startProcess();
  await bench.connect((request: IncomingMessage, response: ServerResponse) => {
    if (running) running.receiver(request, response);
    else response.destroy();
  });
  const hook = await listen((request, response) => {
    if (running) running.bridge.webhook(request, response);
    else response.destroy();
  });

  return {
    bench,
    hookUrl: hook.url,
    logged,
    async handOver() {
      const user = await bench.requestHandoff({
        transcript: [
          { text: 'Where is my parcel?', message_type: 'QUESTION' },
          { text: 'I will ask a colleague.', message_type: 'ANSWER' },
        ],
      });
      const link = (await running?.receiver.conversations.get(user.id))?.link;
      if (!link) throw new Error('the handoff was not opened');
      return { user, externalId: link.externalId };
    },
    startProcess,
    stopProcess,
    async end() {
      await bench.close();
      await stopProcess();
      await hook.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
