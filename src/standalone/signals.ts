/** The source of signals: `process`, or an emitter in tests. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/** The reactions to SIGTERM and SIGINT. */
export interface StopActions {
  /** Called for the first signal: begins an orderly shutdown. */
  readonly first: (signal: NodeJS.Signals) => void;
  /** Called for the second signal: ends the process at once. */
  readonly again: () => void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const satisfies readonly NodeJS.Signals[];

/**
 * Ctrl-C under `npm start` arrives twice: from the terminal, and from npm, which forwards it. The same signal within
 * this time is such a copy and not a second request to stop.
 */
const FORWARDED_WITHIN_MS = 200;

/** Listens for SIGTERM and SIGINT. */
export function onStopSignal(source: SignalSource, { first, again }: StopActions): void {
  let received: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    if (!received) {
      received = { signal, at: Date.now() };
      first(signal);
      return;
    }
    const isForwarded = signal === received.signal && Date.now() - received.at < FORWARDED_WITHIN_MS;
    if (!isForwarded) again();
  };
  for (const signal of SIGNALS) source.on(signal, listener);
}

/** Keeps the process alive until the first signal to stop; the second one ends it with exit code 1. */
export async function untilStopSignal(): Promise<NodeJS.Signals> {
  const keepAlive = setInterval(() => {}, 2 ** 30);
  try {
    return await new Promise((resolve) => {
      onStopSignal(process, { first: resolve, again: () => process.exit(1) });
    });
  } finally {
    clearInterval(keepAlive);
  }
}
