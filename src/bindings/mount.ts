import type { Receiver } from '../receiver/index.js';

/** What a binding serves: a receiver, or a bridge for the webhooks of its helpdesk. */
export type Handling = Pick<Receiver, 'handle'>;

/** The part of a URL below a mount, which its server has matched. */
export function belowMount(url: string, mount: string): string {
  const path = mount.replace(/\/?\*?$/, '');
  if (url.startsWith(path)) return url.slice(path.length);
  // Segment by segment, because the mount has parameters, or the server ignores empty segments.
  const segments = path.split('/').filter((segment) => segment !== '').length;
  return url.replace(new RegExp(`^(?:/+[^/?]+){${segments}}`), '');
}
