/** Without an announcement for this long, the next one begins a new series. */
const QUIET_MS = 5_000;
/** A series is shown for this long; then the list, the title and the sound have to do. */
const SERIES_MS = 12_000;

/**
 * Decides which announcements of live updates are shown. At a busy desk each one would replace the last, so that there
 * would always be one. Returns whether to show the one that has come now.
 */
export function createAnnouncementLimit(now: () => number = Date.now): () => boolean {
  let startedAt = Number.NEGATIVE_INFINITY;
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    const at = now();
    if (at - lastAt >= QUIET_MS) startedAt = at;
    lastAt = at;
    return at - startedAt < SERIES_MS;
  };
}
