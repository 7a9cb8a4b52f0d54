/** A machine under load takes its time; only a failure waits for so long. */
export const PATIENCE_MS = 20_000;
/** The same, for those who wait by looking again and again. */
export const PATIENTLY = { timeout: PATIENCE_MS, interval: 50 };
