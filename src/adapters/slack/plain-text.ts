import type { Slack } from './settings.js';

/** Who is who in a message. */
export interface Mentions {
  /** Slack's user id of the app itself; saying its name says nothing to a user. */
  readonly own: string | null;
  readonly names: Slack['names'];
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

const decoded = (text: string): string =>
  text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);

/** A mention of somebody, as users may read it. */
export function mentionOf(id: string, { own, names }: Mentions, label = ''): string {
  if (id === own) return '';
  return `@${names.get(id) ?? (label.replace(/^@/, '') || 'colleague')}`;
}

/** A link, as users may read it: the address alone where the words say the same. */
export function linkOf(url: string, label = ''): string {
  const address = url.replace(/^(?:mailto|tel):/, '');
  const bare = (text: string): string => text.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return label === '' || bare(label) === bare(address) ? address : `${label} (${address})`;
}

/** What Slack writes in angle brackets, as plain text. */
function plainTag(tag: string, mentions: Mentions): string {
  const bar = tag.indexOf('|');
  const target = decoded(bar === -1 ? tag : tag.slice(0, bar));
  const label = bar === -1 ? '' : decoded(tag.slice(bar + 1));
  if (target.startsWith('@')) return mentionOf(target.slice(1), mentions, label);
  if (target.startsWith('#')) return `#${label || 'channel'}`;
  if (target.startsWith('!subteam')) return `@${label.replace(/^@/, '') || 'colleagues'}`;
  if (target.startsWith('!')) return label || `@${target.slice(1).replace(/\^.*$/s, '')}`;
  return linkOf(target, label);
}

/** A text of Slack as plain text: no brackets, no escapes. Stars and the like stay: they cannot be told apart. */
export function plainText(text: string, mentions: Mentions): string {
  return text.replace(/<([^<>\n]*)>|&(?:amp|lt|gt);/g, (found, tag: string | undefined) =>
    tag === undefined ? decoded(found) : plainTag(tag, mentions),
  );
}

/** Whether a text speaks to colleagues first: to somebody other than the app itself, or to everybody. */
export function beginsWithMention(text: string, own: string | null): boolean {
  const start = text.trimStart();
  const callsApp = own !== null && new RegExp(`^<@${own}[|>]`).test(start);
  const rest = callsApp ? start.replace(/^<[^<>]*>[\s,:]*/, '') : start;
  return /^<(?:@|!(?:here|channel|everyone|subteam))/.test(rest);
}
