import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createPlatformClient } from '../../client/index.js';
import type { Delivery } from '../../delivery/index.js';
import type { HandoffMessageContext } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { createSimulator, type Simulator } from '../../simulator/index.js';
import { loadProgram, openDelivery } from '../../standalone/index.js';
import { readOpenapi } from '../traffic.js';
import { openPageServer } from './page-server.js';
import { TOUR } from './tour.js';

/** The simulated platform and a receiver, running on this machine. */
export interface Demo {
  readonly simulator: Simulator;
  /** The URL of the page. */
  readonly pageUrl: string;
  /** The base URL of the simulated platform. */
  readonly platformUrl: string;
  /** The URL of the receiver's message webhook. */
  readonly receiverUrl: string;
  /** A question that the simulated bot can answer. */
  readonly sampleQuestion: string;
  /** Stops both. */
  readonly close: () => Promise<void>;
}

export interface DemoOptions {
  /** The port of the page. */
  readonly port: number;
  readonly log: Logger;
  /** Whether a program plays the agent, instead of the desk. */
  readonly automatic: boolean;
  /** The number of bots. Default 1. */
  readonly bots?: 1 | 2;
}

const KNOWLEDGE = {
  purpose: 'QA_TEXT' as const,
  name: 'Delivery',
  qaList: [{ question: TOUR.question, answer: 'Two days. Ask for a human if your parcel is late.' }],
};

/** The simulated bots, by their names in the receiver. */
const BOTS = {
  1: { default: { id: 'demo-bot', name: 'Demo bot' } },
  2: { sales: { id: 'sales', name: 'Sales bot' }, support: { id: 'support', name: 'Support bot' } },
} as const;
/** Longer than the platform's usual minute: a first-time user needs time to read. */
const WAIT_TIMEOUT_MS = 300_000;

/** The receiver prints nothing: the simulator sees the requests of both directions. */
const SILENT_REPORTER = { event() {}, status() {} };

const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Starts both with generated credentials: the page on `port`, the receiver on any free port. */
export async function startDemo({ port, log, automatic, bots: count = 1 }: DemoOptions): Promise<Demo> {
  const bots = Object.entries(BOTS[count]).map(([key, bot]) => ({
    key,
    ...bot,
    apiKey: randomHex(24),
    username: `demo-${key}`,
    secret: randomHex(16),
    token: randomHex(16),
  }));
  const simulator = createSimulator({
    bots: bots.map(({ id, name, apiKey }) => ({ id, name, apiKey })),
    openapi: readOpenapi(),
    log,
    ...(!automatic && { waitTimeoutMs: WAIT_TIMEOUT_MS }),
  });
  const pageServer = automatic ? null : await openPageServer(simulator, port);
  const platformUrl = pageServer?.platformUrl ?? (await simulator.listen(port));

  const { createStandalone, readSettings } = await loadProgram();
  const settingsOf = async ({ username, secret, token, apiKey }: (typeof bots)[number]) => {
    const flags = {
      port: '0',
      webhookUsername: username,
      webhookSecret: secret,
      handoffToken: token,
      platformBaseUrl: platformUrl,
      platformApiKey: apiKey,
      ...(automatic
        ? { adapter: 'none', greeting: GREETING }
        : { adapter: 'desk', waitTimeout: `${WAIT_TIMEOUT_MS}ms` }),
    };
    return (await readSettings({ env: {}, dev: true, flags })).settings;
  };
  const settingsByBot = new Map(
    await Promise.all(bots.map(async (bot) => [bot.key, await settingsOf(bot)] as const)),
  );
  const [settings] = settingsByBot.values();
  if (!settings) throw new Error('the demo has a bot');
  const store = automatic ? null : await openTemporaryStore();
  const standalone = await createStandalone(settings, {
    reporter: SILENT_REPORTER,
    log,
    bots: settingsByBot,
    delivery: store?.delivery ?? null,
    ...(pageServer && { deskAgents: pageServer.agentOf }),
    // The stand-in for a human answers messages only.
    acceptsUnanswered: automatic,
  });
  const {
    receiver,
    adapters: [adapter],
  } = standalone;
  if (automatic) receiver.on('handoff.message', answerAsAgent);
  if (adapter) pageServer?.showDesk(adapter.handler);
  const receiverUrl = `${await standalone.listen()}${settings.mountPath}`;
  for (const { id, apiKey, username, secret, token } of bots) {
    simulator.bots.update(id, {
      message: { url: receiverUrl, username, secret },
      humanServices: [
        { componentId: 'demo-desk', componentName: 'Demo desk', url: `${receiverUrl}/${token}` },
      ],
    });
    await createPlatformClient({ baseUrl: platformUrl, apiKey }).knowledge.addQa(KNOWLEDGE);
  }
  // The requests of the setup are not part of the demo.
  simulator.traffic.clear();

  return {
    simulator,
    pageUrl: pageServer?.url ?? platformUrl,
    platformUrl,
    receiverUrl,
    sampleQuestion: TOUR.question,
    async close() {
      await simulator.close();
      // Before the database: an open desk reads from it.
      await pageServer?.close();
      await standalone.close();
      store?.remove();
    },
  };
}

export const GREETING =
  'Hello! I stand in for a human and answer automatically. Say "bye" and I close the conversation.';

const FAREWELL = /^\s*(good)?bye\b/i;

/** Plays the agent: answers each message, and closes when the user says goodbye. */
export async function answerAsAgent({ payload, reply, end, signal }: HandoffMessageContext): Promise<void> {
  if (FAREWELL.test(payload.body)) {
    await reply('Goodbye! I close the conversation now. (automatic answer)', { signal });
    await end({ signal });
    return;
  }
  await reply(`Thank you! You wrote: "${payload.body}" (automatic answer)`, { signal });
}

interface TemporaryStore {
  /** `null` when SQLite is not installed; the demo then stores nothing. */
  readonly delivery: Delivery | null;
  remove(): void;
}

/** The folders of demos, with their processes. */
const FOLDER = /^handoff-kit-demo-(\d+)-/;

/** Removes what demos have left behind that were killed. */
function removeOldFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = FOLDER.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It is another user's.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Opens a database for the duration of the demo, so that replies survive an outage of the platform. */
async function openTemporaryStore(): Promise<TemporaryStore> {
  removeOldFolders();
  const folder = mkdtempSync(join(tmpdir(), `handoff-kit-demo-${process.pid}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  // A second Ctrl-C ends the process without closing anything.
  process.once('exit', remove);
  try {
    return { delivery: await openDelivery({ kind: 'sqlite', file: join(folder, 'demo.db') }), remove };
  } catch (error) {
    remove();
    const isMissing = error instanceof HandoffKitError && error.code === 'SQLITE_MISSING';
    if (isMissing) return { delivery: null, remove };
    throw error;
  }
}
