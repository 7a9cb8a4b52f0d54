/** Long enough for a machine under load; only a failing test waits that long. */
export const WAIT_MS = 20_000;
/** The same for `vi.waitFor`. */
export const WAIT_OPTIONS = { timeout: WAIT_MS, interval: 50 };
