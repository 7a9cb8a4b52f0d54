/** The desk logs agents out who do nothing for long, so the page reports activity this often at most. */
const REPORT_MS = 60_000;

/** Calls back when the agent uses the keyboard or the mouse, at most once a minute. */
export function watchActivity(report: () => void): void {
  let last = Date.now();
  const onActivity = (): void => {
    if (Date.now() - last < REPORT_MS) return;
    last = Date.now();
    report();
  };
  for (const name of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
    addEventListener(name, onActivity, { capture: true, passive: true });
  }
}
