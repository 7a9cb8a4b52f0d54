import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatBody, createSimulator, handoffUrl, postJson } from '../../../src/simulator/index.js';
import { freePort } from '../../helpers/free-port.js';
import { type CrashResult, checkGuarantees } from './check-guarantees.js';
import { startDisturbedReceiver } from './processes.js';

/** The database of the receivers. */
export interface CrashStore {
  /** The engine's folder, which is also its function's name. */
  readonly engine: string;
  readonly options: { readonly leaseMs: number; readonly [option: string]: unknown };
  /** Restarts the database server, if any. */
  restart?(): Promise<void>;
  remove(): Promise<void>;
}

/** The size of a crash test. */
export interface CrashPlan {
  readonly kills: number;
  /** How often a receiver is paused for longer than its lease. */
  readonly pauses: number;
  readonly conversations: number;
  /** Receivers that share the store; one is killed or paused at a time. */
  readonly instances: number;
  /** How long a user waits between two messages, on average. */
  readonly paceMs: number;
  /** Called with lines about the progress. */
  readonly log?: (line: string) => void;
}

/** The result of a crash test. */
export interface CrashReport extends CrashResult {
  readonly kills: number;
  readonly pauses: number;
  readonly resent: number;
  readonly seconds: number;
}

const API_KEY = 'api-key-of-the-crash-test';
/** The longest time between two kills. */
const KILL_INTERVAL_MS = 600;
/** Without any progress for this time, missing events count as lost. */
const STALL_MS = 60_000;

/**
 * Sends traffic to receivers in other processes, kills or pauses them at random moments, and checks the guarantees.
 * Requests that were not answered 200 are sent again, byte for byte.
 */
export async function runCrash(store: CrashStore, plan: CrashPlan): Promise<CrashReport> {
  const { kills, pauses, conversations, instances, paceMs, log = () => {} } = plan;
  const began = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-crash-'));
  const journal = join(folder, 'journal');
  await writeFile(journal, '');
  const disturbed = new Set<number>();
  const ports = await Promise.all(Array.from({ length: instances }, freePort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const simulator = createSimulator({
    waitTimeoutMs: 86_400_000,
    bots: [
      {
        id: 'bot',
        apiKey: API_KEY,
        humanServices: urls.map((url, index) => ({ componentId: `desk-${index}`, url })),
      },
    ],
  });
  const baseUrl = await simulator.listen();
  const { engine, options } = store;
  const receivers = await Promise.all(
    ports.map((port) =>
      startDisturbedReceiver({ engine, options, port, baseUrl, apiKey: API_KEY, journal }, disturbed),
    ),
  );
  const kept = { keepAlive: true, timeout: 1_000 };
  const httpAgents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  const accepted = new Map<string, number>();
  let resent = 0;
  let over = false;

  /** Sends the messages of one conversation: the next once the last was answered 200. */
  const talk = async (id: string, url: string): Promise<void> => {
    for (let number = 0; !over; number += 1) {
      await sleep(Math.random() * 2 * paceMs);
      const payload = JSON.stringify(chatBody(id, Date.now(), String(number)));
      for (;;) {
        const target = handoffUrl(url, 'chat');
        const { status } = await postJson({ url: target, payload, timeoutMs: 10_000, httpAgents });
        if (status === 200) break;
        resent += 1;
        await sleep(20);
      }
      accepted.set(id, number + 1);
    }
  };

  const records = async () => ({
    journal: await readFile(journal, 'utf8'),
    accepted,
    disturbed,
    replies: new Map(
      simulator.conversations().map(({ id, replies }) => [id, replies.map(({ text }) => Number(text))]),
    ),
  });

  /** Waits until no event is missing, or nothing has changed for too long. */
  const settle = async (): Promise<CrashResult> => {
    let last = checkGuarantees(await records());
    for (let since = Date.now(); Date.now() - since < STALL_MS; ) {
      await sleep(200);
      const now = checkGuarantees(await records());
      if (now.handled !== last.handled || now.replies !== last.replies) since = Date.now();
      last = now;
      if (!last.violations.some((text) => text.includes('missing'))) break;
    }
    return last;
  };

  try {
    const talks = await Promise.all(
      Array.from({ length: conversations }, async (_, index) => {
        const id = `c-${index}`;
        const request = { conversationId: id, componentId: `desk-${index % instances}` };
        // Refused on a busy machine, it is sent again, as messages are.
        while ((await simulator.requestHandoff(request)).state !== 'connecting') await sleep(20);
        accepted.set(id, 0);
        return () => talk(id, urls[index % instances] ?? '');
      }),
    );
    const talking = talks.map((begin) => begin());
    for (let count = 1, paused = 0; count <= kills; count += 1) {
      await sleep(Math.random() * KILL_INTERVAL_MS);
      await receivers[count % instances]?.replace();
      if (count === Math.ceil(kills / 2) || count % 10 === 0) await store.restart?.();
      // The pauses are spread evenly over the kills.
      for (; paused * kills < count * pauses; paused += 1) {
        await sleep(Math.random() * KILL_INTERVAL_MS);
        await receivers[paused % instances]?.pause(options.leaseMs * (1.2 + Math.random()));
      }
      if (count % 10 === 0 || count === kills) {
        const { accepted: events, handled } = checkGuarantees(await records());
        log(
          `${count} of ${kills} kills, ${paused} pauses, ${events} events answered 200, ${handled} handled`,
        );
      }
    }
    over = true;
    await Promise.all(talking);
    const result = await settle();
    return { kills, pauses, resent, seconds: Math.round((Date.now() - began) / 1000), ...result };
  } finally {
    over = true;
    await Promise.all(receivers.map((receiver) => receiver.end()));
    await simulator.close();
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
