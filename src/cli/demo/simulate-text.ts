import { createColors } from 'picocolors';
import { printable } from '../../standalone/index.js';
import type { ProbeReport } from './probe-receiver.js';

/** What `simulate` tells once it listens. */
export interface Simulated {
  readonly url: string;
  readonly messagesUrl: string;
  readonly handoffsUrl: string;
  /** The line for the receiver's environment. */
  readonly environment: string;
  readonly probes: readonly ProbeReport[];
}

/** Says where the simulator is, what the receiver needs, and whether it answers. */
export function simulateText(
  { url, messagesUrl, handoffsUrl, environment, probes }: Simulated,
  colours: boolean,
) {
  const { bold, green, red } = createColors(colours);
  const targets = { messages: messagesUrl, handoffs: handoffsUrl };
  const width = Math.max(messagesUrl.length, handoffsUrl.length);

  const lineOf = ({ webhook, reachable, status, latencyMs, advice }: ProbeReport): string[] => {
    const outcome = reachable ? green(`answers 200 in ${latencyMs} ms`) : red(`no: ${status ?? 'no answer'}`);
    const line = `    ${webhook}  ${printable(targets[webhook]).padEnd(width)}  ${outcome}`;
    return advice === null ? [line] : [line, `              ${printable(advice)}`];
  };

  return [
    '',
    `  Open ${bold(url)} in a browser (Ctrl-C stops the simulator)`,
    '  Type as a customer, ask for a human, and see what your receiver does.',
    '',
    "  For your receiver's environment, so that its replies come here:",
    `    ${environment}`,
    '',
    '  The receiver, asked with an availability test:',
    ...probes.flatMap(lineOf),
    '',
    `  The contract is at ${url}/openapi.json. → the service sends, ← the receiver calls:`,
    '',
  ].join('\n');
}
