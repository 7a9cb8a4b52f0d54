import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestTracker } from '../../../src/adapters/request-tracker/index.js';
import { sqlite } from '../../../src/delivery/sqlite/index.js';
import { type Bridge, createBridge, createReceiver, noAuth, type Receiver } from '../../../src/index.js';
import { createTestBench, type TestBench } from '../../../src/testing/index.js';
import { logLines } from '../../helpers/log-lines.js';
import { listen } from '../../helpers/serve.js';
import type { Rt } from './rt/start-rt.js';

/** The simulated platform, a process with receiver and bridge, and the address for the Scrip. */
export interface LiveSetup {
  readonly bench: TestBench;
  /** The address for RT's Scrip. */
  readonly hookUrl: string;
  /** The log of the process. */
  readonly logged: ReturnType<typeof logLines>;
  /** The ticket id of a conversation. */
  ticketOf(conversationId: string): Promise<string | null>;
  /** Starts the process: receiver, bridge and adapter on the same database. */
  startProcess(): Promise<void>;
  /** Stops the process, so that the platform and RT cannot reach it. */
  stopProcess(): Promise<void>;
  end(): Promise<void>;
}

/** Upper bound for expected effects on a busy machine. */
const TIMEOUT_MS = 25_000;

/** Creates the setup around an RT. */
export async function createLiveSetup(
  rt: Rt,
  webhookSecret: string,
  pollEveryMs: number,
): Promise<LiveSetup> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-world-'));
  const logged = logLines();
  let running: { readonly receiver: Receiver; readonly bridge: Bridge } | null = null;
  const bench = await createTestBench({
    replyTimeoutMs: TIMEOUT_MS,
    simulator: { deliveryTimeoutMs: TIMEOUT_MS },
  });

  const startProcess = async () => {
    const receiver = createReceiver({
      auth: { message: noAuth(), handoff: noAuth() },
      service: bench.service,
      delivery: sqlite({ file: join(folder, 'handoff.db'), pollMs: 50, backoff: { minDelayMs: 100 } }),
      log: logged.log,
    });
    const adapter = requestTracker({
      url: rt.url,
      token: rt.kit.token,
      queue: rt.queue,
      webhookSecret,
      pollEveryMs,
    });
    const bridge = createBridge({ receiver, adapter, openWithinMs: TIMEOUT_MS, log: logged.log });
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
    ticketOf: async (id) => (await running?.receiver.conversations.get(id))?.link?.externalId ?? null,
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
