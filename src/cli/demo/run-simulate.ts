import { randomBytes } from 'node:crypto';
import { HandoffKitError } from '../../internal/index.js';
import { createSimulator } from '../../simulator/index.js';
import { EXIT } from '../exit.js';
import { type Output, outputFor, printFailure } from '../output.js';
import { createCommandLog } from './command-log.js';
import { readOpenapi } from './openapi.js';
import { probeReceiver } from './probe-receiver.js';
import { simulateText } from './simulate-text.js';
import { agentFor, COMPONENT_ID, type ReceiverFlags, shownHandoffsUrl } from './simulated-agent.js';
import { watchUntilStopped } from './watch-until-stopped.js';

/** What the command line says of the simulated service. */
export interface SimulateFlags extends ReceiverFlags {
  readonly apiKey?: string;
  readonly port: number;
  readonly waitTimeout: number;
  readonly json?: boolean;
}

/** Mistakes in what was given, rather than in what happened. */
const WRONG_USE: readonly string[] = ['WRONG_USE', 'INVALID_AGENT'];

/** Plays the service until it is stopped. */
export async function runSimulate({ json = false, ...flags }: SimulateFlags): Promise<void> {
  const output = outputFor({ json });
  try {
    await simulate(flags, output);
    process.exitCode = EXIT.ok;
  } catch (error) {
    printFailure(error, output);
    const isWrongUse = error instanceof HandoffKitError && WRONG_USE.includes(error.code);
    process.exitCode = isWrongUse ? EXIT.wrongUse : EXIT.no;
  }
}

async function simulate(flags: Omit<SimulateFlags, 'json'>, output: Output): Promise<void> {
  const apiKey = flags.apiKey ?? randomBytes(24).toString('hex');
  const simulator = createSimulator({
    agents: [agentFor(flags, apiKey)],
    waitTimeoutMs: flags.waitTimeout,
    openapi: readOpenapi(),
    log: createCommandLog(output),
  });
  const url = await simulator.listen(flags.port);
  const probes = await probeReceiver(simulator, COMPONENT_ID);
  const shown = {
    url,
    openapi: `${url}/openapi.json`,
    // A key of one's own is known already, and stays out of the output; so does the token.
    environment: `SERVICE_BASE_URL=${url} SERVICE_API_KEY=${flags.apiKey === undefined ? apiKey : '…'}`,
    messagesUrl: flags.receiver,
    handoffsUrl: shownHandoffsUrl(flags),
    probes,
  };
  const opening = { data: shown, text: simulateText(shown, output.colours) };
  await watchUntilStopped({ traffic: simulator.traffic, opening, close: simulator.close }, output);
}
