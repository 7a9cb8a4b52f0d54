import { CENSOR } from '../internal/index.js';

/** No path token is shorter, so nothing this long is shown unless it is known to be no token. */
const SHORTEST_TOKEN = 16;

/**
 * Makes URLs fit for a log: the query is left out, and so is every segment of the path that could be a token,
 * the right one or one mistyped, at its place or at a wrong one.
 */
export function createHideInUrl(mountPath: string): (url: string) => string {
  const known = new Set(mountPath.split('/'));
  return (url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const shown = path
      .split('/')
      .map((segment) => (segment.length < SHORTEST_TOKEN || known.has(segment) ? segment : CENSOR))
      .join('/');
    return path.length === url.length ? shown : `${shown}?${CENSOR}`;
  };
}
