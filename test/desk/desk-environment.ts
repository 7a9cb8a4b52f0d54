import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { onTestFinished } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { type AgentRole, createDesk, type DeskOptions, readAudit } from '../../src/desk/index.js';
import type { RequestListener } from '../../src/public/bindings.js';
import type { PlatformClientOptions } from '../../src/public/client.js';
import { createReceiver, type Delivery, pathToken } from '../../src/public/index.js';
import { createTestBench, type TestBenchOptions } from '../../src/testing/index.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type AgentClient, logIn } from './agent-client.js';

/** Settings of {@link createDeskEnvironment}. */
export interface EnvironmentOptions {
  /** Whether events, replies and the desk's data are stored in a file, so that they survive a restart. */
  readonly stored?: boolean;
  readonly bench?: TestBenchOptions;
  /** Opens another delivery than SQLite, for each instance. */
  readonly open?: () => Promise<Delivery>;
  /** When a reply becomes a dead letter. Default: never in a test. */
  readonly giveUpAfterMs?: number;
}

/** Settings of one instance. */
export interface InstanceOptions extends Partial<Omit<DeskOptions, 'receiver' | 'log'>> {
  /** Options of the client of the platform. */
  readonly platform?: Partial<PlatformClientOptions>;
  /** As `app.set('trust proxy', …)`. */
  readonly trustProxy?: boolean;
}

/** The password of every agent in these tests. */
export const PASSWORD = 'correct horse battery';

/** Creates a simulated platform, and a function that starts receivers with a desk on the same database. */
export async function createDeskEnvironment({
  stored = false,
  bench: benchOptions = {},
  giveUpAfterMs,
  open,
}: EnvironmentOptions = {}) {
  const file = stored ? join(await temporaryFolder(), 'handoff.db') : null;
  const bench = await createTestBench({ replyTimeoutMs: 10_000, ...benchOptions });
  let front: RequestListener | undefined;
  // The bench recognises a request listener by its two parameters.
  await bench.connect((request: IncomingMessage, response: ServerResponse) => front?.(request, response), {
    token: PATH_TOKEN,
    message: false,
  });
  onTestFinished(() => bench.close());

  const start = async ({ trustProxy = false, platform = {}, ...options }: InstanceOptions = {}) => {
    const logged = logLines();
    const delivery = file === null ? await open?.() : deliveryOf(file, giveUpAfterMs);
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(PATH_TOKEN) },
      platform: { ...bench.platform, retry: false, ...platform },
      log: logged.log,
      ...(delivery && { delivery }),
    });
    const desk = createDesk({ agents: 'stored', ...options, receiver, log: logged.log });
    await receiver.start();
    const app = express();
    app.set('trust proxy', trustProxy);
    app.use('/desk', desk);
    app.use((_request, response) => void response.status(404).send('the host application'));
    const served = await serve(app);
    const { url, port, server } = served;
    front = receiver;
    let ended: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (ended ??= (async () => {
        await served.end();
        await receiver.close({ timeoutMs: 1_000 });
        await desk.close();
      })());
    onTestFinished(stop);

    /** Adds an agent and logs them in. */
    const agent = async (id: string, role: AgentRole = 'supervisor'): Promise<AgentClient> => {
      await desk.agents.save({ id, name: id.toUpperCase(), role }, PASSWORD);
      return logIn(url, id, PASSWORD);
    };
    const audit = () => readAudit(desk.store, 10_000);
    return { url, port, server, receiver, desk, logged, agent, audit, stop };
  };

  return { bench, start };
}

function deliveryOf(file: string, giveUpAfterMs = 3_600_000): Delivery {
  const quick = { minDelayMs: 20, maxDelayMs: 100 };
  return sqlite({ file, pollMs: 20, backoff: quick, outbox: { ...quick, giveUpAfterMs } });
}

/** An environment with one instance, the agent `ann` logged in, and a user who has requested a handoff. */
export async function deskWithHandoff(options: EnvironmentOptions & InstanceOptions = {}) {
  const { stored = false, bench: benchOptions = {}, giveUpAfterMs = 3_600_000, ...instanceOptions } = options;
  const { bench, start } = await createDeskEnvironment({ stored, bench: benchOptions, giveUpAfterMs });
  const instance = await start(instanceOptions);
  const ann = await instance.agent('ann');
  const handoff = await bench.requestHandoff();
  const id = await ann.idOf(handoff.id);
  return { bench, start, instance, ann, handoff, id };
}
