import { onStopSignal } from '../../standalone/index.js';

/** Longer than anybody watches. */
const LONG_MS = 2 ** 30;

/** Resolves when a signal says to stop; the same again ends the process at once. Until then it stays alive. */
export async function untilSignal(): Promise<NodeJS.Signals> {
  const alive = setInterval(() => {}, LONG_MS);
  try {
    return await new Promise((resolve) => {
      onStopSignal(process, { first: resolve, again: () => process.exit(1) });
    });
  } finally {
    clearInterval(alive);
  }
}
