import { setTimeout as wait } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, flakyPlatform } from '../helpers/fake-platform.js';
import { loadBalancer } from '../helpers/load-balancer.js';
import { ENVIRONMENT } from './environment.js';
import { addressOf, post, type RunningProgram, runServe } from './program.js';

/** Longer than the load balancer believes an answer of `/readyz`, with time for a request that is on its way. */
const SHUTDOWN_DELAY = '3s';
const SENDERS = 4;
const PACE_MS = 50;

/** Long enough for a machine under load; only a failing test waits that long. */
const PATIENCE = { timeout: 120_000, interval: 200 };

/** How the replicas are restarted. */
export interface RestartPlan {
  readonly databaseUrl: string;
  readonly restarts: number;
  readonly signal: 'SIGTERM' | 'SIGKILL';
}

/** What happened meanwhile. */
export interface RestartReport {
  /** Events that were answered 200. */
  readonly accepted: number;
  /** Requests that were not, with the reason. */
  readonly failed: readonly string[];
  /** Accepted events without a reply. */
  readonly lost: readonly string[];
  /** The exit codes of the replicas that were stopped, each once. */
  readonly exitCodes: readonly (number | null)[];
}

/**
 * Runs two replicas on one database behind a load balancer and restarts one after the other, while users write. Each
 * event is answered with its own text, so that a lost one is known by its missing reply. A sender whose request failed
 * sends it again.
 */
export async function runRestarts({ databaseUrl, restarts, signal }: RestartPlan): Promise<RestartReport> {
  const platform = await flakyPlatform();
  const balancer = await loadBalancer();
  const environment = {
    ...ENVIRONMENT,
    DATABASE_URL: databaseUrl,
    PLATFORM_BASE_URL: platform.options.baseUrl,
    PLATFORM_API_KEY: API_KEY,
    AUTO_REPLY: '{text}',
    SHUTDOWN_DELAY,
    LOG_LEVEL: 'error',
  };
  const startReplica = async (): Promise<RunningProgram> => {
    const program = runServe([], environment);
    await balancer.add(await addressOf(program));
    return program;
  };

  const accepted: string[] = [];
  const failed: string[] = [];
  let isSending = true;
  const send = async (sender: number): Promise<void> => {
    for (let number = 0; isSending; number += 1) {
      const text = `message ${number} of user ${sender}`;
      const body = chatBody({
        conversation_id: `conversation-${sender}-${number % 5}`,
        timestamp: number + 1,
        body: text,
      });
      for (let isAccepted = false; !isAccepted; ) {
        const problem = await problemOf(post(`${balancer.url}/webhook/${PATH_TOKEN}/chat`, body));
        isAccepted = problem === null;
        if (problem === null) accepted.push(text);
        else failed.push(problem);
      }
      await wait(PACE_MS);
    }
  };

  const replicas = [await startReplica(), await startReplica()];
  const sending = Array.from({ length: SENDERS }, (_, sender) => send(sender));
  const stopped: RunningProgram[] = [];
  for (let count = 0; count < restarts; count += 1) {
    const [oldest] = replicas.splice(0, 1);
    if (!oldest) throw new Error('there is no replica');
    oldest.signal(signal);
    stopped.push(oldest);
    replicas.push(await startReplica());
  }
  const exitCodes = new Set(await Promise.all(stopped.map(({ ended }) => ended)));
  isSending = false;
  await Promise.all(sending);

  const lost = (): string[] => {
    const answered = new Set(platform.calls.map(({ text }) => text));
    return accepted.filter((text) => !answered.has(text));
  };
  await vi.waitFor(() => expect(lost()).toEqual([]), PATIENCE).catch(() => undefined);
  return {
    accepted: accepted.length,
    failed: [...failed, ...balancer.failures],
    lost: lost(),
    exitCodes: [...exitCodes],
  };
}

/** Why a request was not accepted; `null` if it was. A killed process may break a connection within an answer. */
async function problemOf(request: Promise<Response>): Promise<string | null> {
  try {
    const answer = await request;
    const text = await answer.text();
    return answer.status === 200 ? null : `${answer.status} ${text}`;
  } catch (error) {
    return error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
  }
}

/** Set by `npm run test:restarts`, for a long run. */
const { RESTARTS } = process.env;

/** The number of restarts: that of the suite, or of a long run. */
export const restartsOr = (usual: number): number => (RESTARTS === undefined ? usual : Number(RESTARTS));

/** Prints the report of a long run. */
export function logReport(title: string, { accepted, failed, lost }: RestartReport): void {
  if (RESTARTS === undefined) return;
  process.stdout.write(
    `${title}: ${RESTARTS} restarts, ${accepted} events answered 200, ${failed.length} failed requests, ${lost.length} lost events\n`,
  );
}
