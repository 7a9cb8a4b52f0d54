import type { CheckedSettings } from './settings.js';

type Fetch = CheckedSettings['fetch'];

/** Words of Chatwoot's own, the same in every language of its agents. */
const FLOODED = 'Too many messages';
/** The count is of the last minute, so there is room again soon. */
const FLOODED_WAIT_S = 15;

/**
 * Has Chatwoot's answers mean what HTTP says they mean.
 *
 * - More than 200 messages a minute in one conversation are refused with 422, as if the message were wrong. It
 *   becomes 429.
 * - The answer to closing a conversation repeats all that was ever said in it. Nobody needs it, and a long one
 *   would be taken for a failure.
 */
export function understood(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok && url.endsWith('/toggle_status')) {
      await response.body?.cancel();
      return new Response(null, { status: 204 });
    }
    if (response.status !== 422) return response;
    const text = await response.text();
    if (!text.includes(FLOODED)) return new Response(text, { status: 422 });
    return new Response(null, { status: 429, headers: { 'retry-after': String(FLOODED_WAIT_S) } });
  };
}

/** Also tells what the other side's clock said with each answer, in milliseconds. */
export function clockWatching(fetch: Fetch, heard: (theirs: number, ours: number) => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(theirs)) heard(theirs, Date.now());
    return response;
  };
}
