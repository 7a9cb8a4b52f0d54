import type { DeliveredEvent, HandlerContexts, HandlerRun } from '../../src/events/index.js';
import {
  createReceiver,
  type EventName,
  type FailureReport,
  type InlineOptions,
  inline,
  noAuth,
  type Receiver,
  type ReceiverOptions,
} from '../../src/public/index.js';
import { logLines } from './log-lines.js';
import { type Served, serve } from './serve.js';

const EVENTS = ['message', 'handoff.requested', 'handoff.message', 'handoff.closed', 'probe'] as const;

/** The contexts that reached the handlers, in order. */
type Seen = HandlerContexts[EventName][];

/** A served receiver with its handled events and its log. */
export interface Started extends Served {
  readonly receiver: Receiver;
  readonly seen: Seen;
  readonly logged: ReturnType<typeof logLines>;
}

/** A receiver that records every event and logs to memory. Without authentication by default. */
export function makeReceiver(options: Partial<ReceiverOptions> = {}) {
  const logged = logLines();
  const seen: Seen = [];
  const receiver = createReceiver({
    auth: { message: noAuth(), handoff: noAuth() },
    log: logged.log,
    ...options,
  });
  for (const name of EVENTS) {
    receiver.on(name, (context) => {
      seen.push(context);
    });
  }
  return { receiver, seen, logged };
}

/** Like makeReceiver, but served until the test ends. */
export async function start(options: Partial<ReceiverOptions> = {}): Promise<Started> {
  const made = makeReceiver(options);
  return { ...made, ...(await serve(made.receiver)) };
}

/** An inline delivery with the test's handler, and with its log and errors in memory. */
export function startInline(
  handle: (event: DeliveredEvent, run: HandlerRun) => Promise<void> | void,
  options?: InlineOptions,
) {
  const logged = logLines();
  const reports: (Partial<FailureReport> & { readonly error: unknown })[] = [];
  const delivery = inline(options);
  delivery.connect({
    name: 'default',
    hasBot: () => true,
    handles: () => true,
    handle: async (event, run) => handle(event, run),
    greet: async () => {},
    report: (error, place) => reports.push({ ...place, error }),
    log: logged.log,
  });
  return { delivery, logged, reports };
}
