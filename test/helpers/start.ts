import {
  createReceiver,
  type EventName,
  type HandlerContexts,
  noAuth,
  type Receiver,
  type ReceiverOptions,
} from '../../src/index.js';
import { logLines } from './log-lines.js';
import { type Served, serve } from './serve.js';

/** What reached the handlers, in order. */
type Seen = HandlerContexts[EventName][];

/** A receiver that is served on its own, and what can be seen of it. */
export interface Started extends Served {
  readonly receiver: Receiver;
  readonly seen: Seen;
  readonly logged: ReturnType<typeof logLines>;
}

/** A receiver whose every event is noted, with its log in memory. Open to everybody unless told otherwise. */
export function makeReceiver(options: Partial<ReceiverOptions> = {}) {
  const logged = logLines();
  const seen: Seen = [];
  const receiver = createReceiver({
    auth: { message: noAuth(), handoff: noAuth() },
    log: logged.log,
    ...options,
  });
  receiver.onAny((context) => {
    seen.push(context);
  });
  return { receiver, seen, logged };
}

/** The same, listening until the test ends. */
export async function start(options: Partial<ReceiverOptions> = {}): Promise<Started> {
  const made = makeReceiver(options);
  return { ...made, ...(await serve(made.receiver)) };
}
