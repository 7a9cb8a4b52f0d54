import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { onTestFinished } from 'vitest';
import { createDesk, type DeskOptions, readAudit } from '../../../src/adapters/desk/index.js';
import { sqlite } from '../../../src/delivery/sqlite/index.js';
import { createReceiver, type Delivery, pathToken, type RequestListener } from '../../../src/index.js';
import { createTestBench, type TestBenchOptions } from '../../../src/testing/index.js';
import { PATH_TOKEN } from '../../helpers/credentials.js';
import { logLines } from '../../helpers/log-lines.js';
import { serve } from '../../helpers/serve.js';
import { temporaryFolder } from '../../helpers/sqlite-store.js';
import { type AgentClient, logIn } from './agent-client.js';

/** What a world is made of. */
export interface WorldOptions {
  /** Whether events, replies and the desk's own things are in a file, so that they outlast an instance. */
  readonly stored?: boolean;
  readonly bench?: TestBenchOptions;
  /** Opens another store than a file, for each instance. */
  readonly open?: () => Promise<Delivery>;
  /** After so long a reply is parked. Default: never in a test. */
  readonly giveUpAfterMs?: number;
}

/** What an instance is made of. */
export interface InstanceOptions extends Partial<Omit<DeskOptions, 'receiver' | 'log'>> {
  /** As `app.set('trust proxy', …)`. */
  readonly trustProxy?: boolean;
}

/** The password of every agent in these tests. */
export const PASSWORD = 'correct horse battery';

/** The simulated service, and instances of a receiver with a desk on one store, until the test ends. */
export async function world({
  stored = false,
  bench: benchOptions = {},
  giveUpAfterMs,
  open,
}: WorldOptions = {}) {
  const file = stored ? join(await temporaryFolder(), 'handoff.db') : null;
  const bench = await createTestBench({ replyTimeoutMs: 10_000, ...benchOptions });
  let front: RequestListener | undefined;
  // Both parameters are written out: that tells the bench that it is a listener.
  await bench.connect((request: IncomingMessage, response: ServerResponse) => front?.(request, response), {
    token: PATH_TOKEN,
    message: false,
  });
  onTestFinished(() => bench.close());

  const start = async ({ trustProxy = false, ...options }: InstanceOptions = {}) => {
    const logged = logLines();
    const delivery = file === null ? await open?.() : deliveryOf(file, giveUpAfterMs);
    const receiver = createReceiver({
      auth: { message: false, handoff: pathToken(PATH_TOKEN) },
      service: { ...bench.service, retry: false },
      log: logged.log,
      ...(delivery && { delivery }),
    });
    const desk = createDesk({ agents: 'stored', ...options, receiver, log: logged.log });
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

    /** Adds an agent, who logs in. */
    const agent = async (id: string): Promise<AgentClient> => {
      await desk.agents.save({ id, name: id.toUpperCase() }, PASSWORD);
      return logIn(url, id, PASSWORD);
    };
    const audit = () => readAudit(receiver.storage.shelf, 10_000);
    return { url, port, server, receiver, desk, logged, agent, audit, stop };
  };

  return { bench, start };
}

function deliveryOf(file: string, giveUpAfterMs = 3_600_000): Delivery {
  const quick = { minDelayMs: 20, maxDelayMs: 100 };
  return sqlite({ file, pollMs: 20, backoff: quick, outbox: { ...quick, giveUpAfterMs } });
}

/** A world with one instance, whose agent `ann` is logged in, and a user who has asked for a human. */
export async function deskWithHandoff(options: WorldOptions & InstanceOptions = {}) {
  const { stored = false, bench: benchOptions = {}, giveUpAfterMs = 3_600_000, ...instanceOptions } = options;
  const { bench, start } = await world({ stored, bench: benchOptions, giveUpAfterMs });
  const instance = await start(instanceOptions);
  const ann = await instance.agent('ann');
  const handoff = await bench.requestHandoff();
  const id = await ann.idOf(handoff.id);
  return { bench, start, instance, ann, handoff, id };
}
