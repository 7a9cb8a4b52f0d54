import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { temporaryFolder } from './databases.js';
import { ENVIRONMENT } from './environment.js';
import { serveInProcess } from './in-process.js';
import { addressOf, type RunningProgram, runServe } from './program.js';
import { WAIT_MS } from './wait-options.js';

const AGENT_ID = 'agent-1';
const API_KEY = 'app-key-of-the-simulated-agent';

/** Starts the simulated platform. It needs the receiver's URL before it can send. */
export async function startPlatform() {
  const simulator = createSimulator({
    bots: [{ id: AGENT_ID, apiKey: API_KEY }],
    deliveryTimeoutMs: WAIT_MS,
    waitTimeoutMs: 10 * WAIT_MS,
  });
  const baseUrl = await simulator.listen();
  onTestFinished(() => simulator.close());
  return {
    simulator,
    environment: { PLATFORM_BASE_URL: baseUrl, PLATFORM_API_KEY: API_KEY },
    /** Sets the receiver's URL. */
    pointAt(url: string, mountPath = '/webhook'): void {
      const handoffs = `${url}${mountPath === '/' ? '' : mountPath}/${PATH_TOKEN}`;
      simulator.bots.update(AGENT_ID, { humanServices: [{ componentId: 'desk', url: handoffs }] });
    },
  };
}

/** The DATABASE_URL of a new SQLite file. */
export const databaseUrl = (): string => `sqlite:${join(temporaryFolder(), 'handoff.db')}`;

type Run = (args: readonly string[], env: Readonly<Record<string, string>>) => RunningProgram;

const startWith =
  (run: Run) =>
  async (env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) => {
    const platform = await startPlatform();
    const settings = { ...ENVIRONMENT, DATABASE_URL: databaseUrl(), ...platform.environment, ...env };
    const program = run(args, settings);
    const url = await addressOf(program);
    platform.pointAt(url, env.MOUNT_PATH);
    return { program, url, simulator: platform.simulator, settings };
  };

/** Starts the program in this process, connected to the simulated platform. */
export const startProgram = startWith(serveInProcess);

/** The same in a child process, for tests of the process itself. */
export const startProgramProcess = startWith(runServe);

/** Everything that the program has printed, logged and exposed as metrics. */
export async function allOutput({ stdout, stderr }: RunningProgram, url: string): Promise<string> {
  return [stdout(), stderr(), await (await fetch(`${url}/metrics`)).text()].join('\n');
}
