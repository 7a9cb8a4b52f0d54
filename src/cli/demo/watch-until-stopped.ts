import type { TrafficLog } from '../../simulator/index.js';
import { onStopSignal } from '../../standalone/index.js';
import type { Output } from '../output.js';
import { recordOf } from './exchange-record.js';
import { createExchangeText } from './exchange-text.js';
import { followTraffic } from './follow-traffic.js';

/** What is watched. */
export interface Watched {
  readonly traffic: TrafficLog;
  /** What is shown first: as data for programs and as text for people. */
  readonly opening: { readonly data: object; readonly text: string };
  /** Ends it. */
  readonly close: () => Promise<void>;
}

/** Shows the opening and then every exchange, until a signal says to stop; the same again stops at once. */
export async function watchUntilStopped(
  { traffic, opening, close }: Watched,
  { json, colours }: Output,
): Promise<void> {
  const text = createExchangeText(colours);
  const print = (data: object, words: string): void => {
    process.stdout.write(`${json ? JSON.stringify(data) : words}\n`);
  };
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignal(process, { first: resolve, again: () => process.exit(1) });
  });
  followTraffic(traffic, (exchange) => {
    const record = recordOf(exchange);
    print(record, text.event(record));
  });
  print({ status: 'listening', ...opening.data }, opening.text);
  const signal = await stopped;
  await close();
  print({ status: 'stopped', signal }, `${signal}: stopped.`);
}
