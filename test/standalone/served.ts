import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { ENVIRONMENT } from './environment.js';
import { PATIENCE_MS } from './patience.js';
import { addressOf, type RunningProgram, runServe } from './program.js';
import { temporaryFolder } from './stored.js';

const AGENT_ID = 'agent-1';
const API_KEY = 'app-key-of-the-simulated-agent';

/** The simulated service, which does not know where its receiver is yet. */
export async function startService() {
  const simulator = createSimulator({
    agents: [{ id: AGENT_ID, apiKey: API_KEY }],
    deliveryTimeoutMs: PATIENCE_MS,
    waitTimeoutMs: 10 * PATIENCE_MS,
  });
  const baseUrl = await simulator.listen();
  onTestFinished(() => simulator.close());
  return {
    simulator,
    environment: { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: API_KEY },
    /** Tells the service where its receiver is. */
    pointAt(url: string, mountPath = '/webhook'): void {
      const handoffs = `${url}${mountPath === '/' ? '' : mountPath}/${PATH_TOKEN}`;
      simulator.agents.update(AGENT_ID, { humanServices: [{ componentId: 'desk', url: handoffs }] });
    },
  };
}

/** A file for the program to keep things in. */
export const databaseUrl = (): string => `sqlite:${join(temporaryFolder(), 'handoff.db')}`;

/** The program at work for the simulated service, as a process of its own. */
export async function startServed(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  const service = await startService();
  const settings = { ...ENVIRONMENT, DATABASE_URL: databaseUrl(), ...service.environment, ...env };
  const program: RunningProgram = runServe(args, settings);
  const url = await addressOf(program);
  service.pointAt(url, env.MOUNT_PATH);
  return { program, url, simulator: service.simulator, settings };
}

/** All that a program has said, in any way. */
export async function everythingSaid({ stdout, stderr }: RunningProgram, url: string): Promise<string> {
  return [stdout(), stderr(), await (await fetch(`${url}/metrics`)).text()].join('\n');
}
