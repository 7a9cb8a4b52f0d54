/** When the agent was last reported to be active, for all tabs of the browser. */
const STORAGE_KEY = 'handoff-desk-active';

/** Activity is reported this often at most, and the agent warned this long before the end of the session. */
const REPORT_MS = 60_000;
const WARNING_MS = 120_000;
const CHECK_MS = 5_000;

/**
 * The desk logs agents out who do nothing for long. Reports when the agent uses the keyboard or the mouse, in this tab,
 * and tells when the session is about to end, and when it is not any more.
 */
export function watchActivity(
  idleMs: number,
  { report, onIdle }: { readonly report: () => void; readonly onIdle: (isIdle: boolean) => void },
): void {
  const everyMs = Math.min(REPORT_MS, idleMs / 4);
  const warnAfterMs = idleMs - Math.min(WARNING_MS, idleMs / 2);
  let isIdle = false;
  const passedMs = (): number => Date.now() - Number(localStorage.getItem(STORAGE_KEY) ?? 0);
  const check = (): void => {
    if (isIdle === passedMs() > warnAfterMs) return;
    isIdle = !isIdle;
    onIdle(isIdle);
  };
  const onActivity = (): void => {
    if (passedMs() < everyMs) return;
    localStorage.setItem(STORAGE_KEY, String(Date.now()));
    report();
    check();
  };
  // Loading the page was a request of the agent, too.
  localStorage.setItem(STORAGE_KEY, String(Date.now()));
  setInterval(check, Math.min(CHECK_MS, everyMs));
  for (const name of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
    addEventListener(name, onActivity, { capture: true, passive: true });
  }
}
