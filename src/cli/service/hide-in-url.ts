/** No path token is shorter, so nothing this long is shown unless asked for. */
const SHORTEST_TOKEN = 16;

/** A URL without what could be a secret in it: long segments of its path, and its query. */
export function hideInUrl(url: string): string {
  const [, origin = '', path = '', query = ''] = /^([a-z]+:\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(url) ?? [];
  const shown = path
    .split('/')
    .map((segment) => (segment.length < SHORTEST_TOKEN ? segment : '***'))
    .join('/');
  return `${origin.replace(/\/\/.*@/, '//***@')}${shown}${query === '' ? '' : '?***'}`;
}
