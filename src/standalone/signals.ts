/** Where signals come from: `process`, or a stand-in. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

/** What to do when told to stop. */
export interface StopActions {
  /** The first time. */
  readonly first: (signal: NodeJS.Signals) => void;
  /** The second time. */
  readonly again: () => void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const satisfies readonly NodeJS.Signals[];

/**
 * Ctrl-C under `npm start` arrives twice at nearly the same time: from the terminal and from npm, which passes
 * it on. The same signal within this time is no second wish.
 */
const ECHO_MS = 200;

/** Listens for signals to stop. */
export function onStopSignal(source: SignalSource, { first, again }: StopActions): void {
  let told: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  const hear = (signal: NodeJS.Signals): void => {
    if (!told) {
      told = { signal, at: Date.now() };
      first(signal);
      return;
    }
    const isEcho = signal === told.signal && Date.now() - told.at < ECHO_MS;
    if (!isEcho) again();
  };
  for (const signal of SIGNALS) source.on(signal, hear);
}
