import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmailSettings, email } from '../../../src/adapters/email/index.js';
import { sqlite } from '../../../src/delivery/sqlite/index.js';
import { type Bridge, createBridge, createReceiver, noAuth, type Receiver } from '../../../src/index.js';
import { createTestBench, type TestBench } from '../../../src/testing/index.js';
import { logLines } from '../../helpers/log-lines.js';
import { addressOf, type MailServer } from './mail-server/start-mail-server.js';

/** The settings for the account `handoff` of a mail server, whose agents are Ann and Ben. */
export const settingsFor = (server: MailServer, changes: Partial<EmailSettings> = {}): EmailSettings => ({
  smtpUrl: server.smtpUrl(),
  imapUrl: server.imapUrl(),
  ca: server.ca,
  address: addressOf('handoff'),
  team: addressOf('team'),
  agents: [addressOf('ann'), addressOf('ben')],
  trustedServer: 'mail.example.com',
  pollEveryMs: 100,
  ...changes,
});

/** The simulated platform, and a process with receiver and bridge. */
export interface LiveSetup {
  readonly bench: TestBench;
  /** The log of the process. */
  readonly logged: ReturnType<typeof logLines>;
  /** The token of a conversation. */
  tokenOf(conversationId: string): Promise<string>;
  /** Starts the process: receiver, bridge and adapter on the same database. */
  startProcess(): Promise<void>;
  stopProcess(): Promise<void>;
  end(): Promise<void>;
}

/** Upper bound for expected effects on a busy machine. */
const TIMEOUT_MS = 25_000;

/** Creates the setup around a mail server. */
export async function createLiveSetup(settings: EmailSettings): Promise<LiveSetup> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-mail-setup-'));
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
    const retry = { authWaitMs: 300 };
    const bridge = createBridge({
      receiver,
      adapter: email(settings),
      openWithinMs: TIMEOUT_MS,
      agentNames: true,
      retry,
      log: logged.log,
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

  return {
    bench,
    logged,
    async tokenOf(id) {
      const link = (await running?.receiver.conversations.get(id))?.link;
      if (!link) throw new Error('the handoff was not opened');
      return link.externalId;
    },
    startProcess,
    stopProcess,
    async end() {
      await bench.close();
      await stopProcess();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
