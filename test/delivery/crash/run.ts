import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatBody, createSimulator, handoffUrl, postJson } from '../../../src/simulator/index.js';
import { judge, type Verdict } from './judge.js';
import { startVictim } from './processes.js';

/** What the receivers store in. */
export interface CrashStore {
  /** The folder of the engine, which is also the name of its function. */
  readonly engine: string;
  readonly options: object;
  /** Restarts the database itself, where it is a server. */
  restart?(): Promise<void>;
  remove(): Promise<void>;
}

/** How hard it is made. */
export interface CrashPlan {
  readonly kills: number;
  readonly conversations: number;
  /** Receivers that share the store; one is killed at a time. */
  readonly instances: number;
  /** How long a user waits between two messages, on average. */
  readonly paceMs: number;
  /** Hears what happens. */
  readonly tell?: (line: string) => void;
}

/** What came of it, and how it was. */
export interface CrashReport extends Verdict {
  readonly kills: number;
  readonly resent: number;
  readonly seconds: number;
}

const API_KEY = 'api-key-of-the-crash-test';
/** The time between two kills, at most. */
const LIFE_MS = 600;
/** Nothing that works is silent for so long. */
const PATIENCE_MS = 60_000;

/**
 * Sends real traffic to receivers in processes of their own, kills them at random moments, and judges what became
 * of it. What was not answered 200 is sent again, byte for byte.
 */
export async function runCrash(store: CrashStore, plan: CrashPlan): Promise<CrashReport> {
  const { kills, conversations, instances, paceMs, tell = () => {} } = plan;
  const began = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-crash-'));
  const journal = join(folder, 'journal');
  await writeFile(journal, '');
  const killed = new Set<number>();
  const ports = await Promise.all(Array.from({ length: instances }, freePort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const simulator = createSimulator({
    waitTimeoutMs: 86_400_000,
    agents: [
      {
        id: 'agent',
        apiKey: API_KEY,
        humanServices: urls.map((url, index) => ({ componentId: `desk-${index}`, url })),
      },
    ],
  });
  const baseUrl = await simulator.listen();
  const { engine, options } = store;
  const victims = await Promise.all(
    ports.map((port) => startVictim({ engine, options, port, baseUrl, apiKey: API_KEY, journal }, killed)),
  );
  const kept = { keepAlive: true, timeout: 1_000 };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  const accepted = new Map<string, number>();
  let resent = 0;
  let over = false;

  /** One after another: the next is said when the last was answered 200. */
  const talk = async (id: string, url: string): Promise<void> => {
    for (let number = 0; !over; number += 1) {
      await sleep(Math.random() * 2 * paceMs);
      const payload = JSON.stringify(chatBody(id, Date.now(), String(number)));
      for (;;) {
        const target = handoffUrl(url, 'chat');
        const { status } = await postJson({ url: target, payload, timeoutMs: 10_000, agents });
        if (status === 200) break;
        resent += 1;
        await sleep(20);
      }
      accepted.set(id, number + 1);
    }
  };

  const evidence = async () => ({
    journal: await readFile(journal, 'utf8'),
    accepted,
    killed,
    replies: new Map(
      simulator.conversations().map(({ id, replies }) => [id, replies.map(({ text }) => Number(text))]),
    ),
  });

  /** Waits until nothing is missing, or nothing has changed for too long. */
  const settle = async (): Promise<Verdict> => {
    let last = judge(await evidence());
    for (let since = Date.now(); Date.now() - since < PATIENCE_MS; ) {
      await sleep(200);
      const now = judge(await evidence());
      if (now.handled !== last.handled || now.replies !== last.replies) since = Date.now();
      last = now;
      if (!last.violations.some((text) => text.includes('missing'))) break;
    }
    return last;
  };

  try {
    const talks = await Promise.all(
      Array.from({ length: conversations }, async (_, index) => {
        const { id, state } = await simulator.requestHandoff({
          conversationId: `c-${index}`,
          componentId: `desk-${index % instances}`,
        });
        if (state !== 'connecting') throw new Error(`conversation ${id} is ${state}`);
        accepted.set(id, 0);
        return () => talk(id, urls[index % instances] ?? '');
      }),
    );
    const talking = talks.map((begin) => begin());
    for (let count = 1; count <= kills; count += 1) {
      await sleep(Math.random() * LIFE_MS);
      await victims[count % instances]?.replace();
      if (count === Math.ceil(kills / 2)) await store.restart?.();
      if (count % 10 === 0 || count === kills) {
        const { accepted: events, handled } = judge(await evidence());
        tell(`${count} of ${kills} kills, ${events} events answered 200, ${handled} handled`);
      }
    }
    over = true;
    await Promise.all(talking);
    const verdict = await settle();
    return { kills, resent, seconds: Math.round((Date.now() - began) / 1000), ...verdict };
  } finally {
    over = true;
    await Promise.all(victims.map((victim) => victim.end()));
    await simulator.close();
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address !== 'string' ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
