import { asObjects, asText, type JsonObject } from '../../bridge/index.js';

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

const decodeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);

/** A mention, as users see it: without the name, which they need not know. Those of the app itself are removed. */
function mentionText(id: string, ownId: string | null, label = ''): string {
  return id === ownId ? '' : `@${label.replace(/^@/, '') || 'colleague'}`;
}

/** A link, as users see it: the address alone when the label says the same. */
function linkText(url: string, label = ''): string {
  const address = url.replace(/^(?:mailto|tel):/, '');
  const bare = (text: string): string => text.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return label === '' || bare(label) === bare(address) ? address : `${label} (${address})`;
}

/** The content of angle brackets in a Slack text: a mention, a channel or a link. */
function tagText(tag: string, ownId: string | null): string {
  const bar = tag.indexOf('|');
  const target = decodeEntities(bar === -1 ? tag : tag.slice(0, bar));
  const label = bar === -1 ? '' : decodeEntities(tag.slice(bar + 1));
  if (target.startsWith('@')) return mentionText(target.slice(1), ownId, label);
  if (target.startsWith('#')) return `#${label || 'channel'}`;
  if (target.startsWith('!subteam')) return `@${label.replace(/^@/, '') || 'colleagues'}`;
  if (target.startsWith('!')) return label || `@${target.slice(1).replace(/\^.*$/s, '')}`;
  return linkText(target, label);
}

/**
 * Converts the `text` of a message to plain text. Asterisks and the like stay: in this form styles cannot be told from
 * typed characters.
 */
export function plainText(text: string, ownId: string | null): string {
  return text.replace(/<([^<>\n]*)>|&(?:amp|lt|gt);/g, (match, tag: string | undefined) =>
    tag === undefined ? decodeEntities(match) : tagText(tag, ownId),
  );
}

/** Whether a text begins with a mention of colleagues or groups, not of the app itself. */
export function beginsWithMention(text: string, ownId: string | null): boolean {
  const start = text.trimStart();
  const mentionsApp = ownId !== null && new RegExp(`^<@${ownId}[|>]`).test(start);
  const rest = mentionsApp ? start.replace(/^<[^<>]*>[\s,:]*/, '') : start;
  return /^<(?:@|!(?:here|channel|everyone|subteam))/.test(rest);
}

/**
 * Converts the rich-text blocks of a message to plain text. Blocks tell styles and emoji from typed characters, which
 * `text` does not. Returns `null` when a block is of another kind.
 */
export function richTextToPlain(blocks: unknown, ownId: string | null): string | null {
  const all = asObjects(blocks);
  if (all.length === 0 || all.some(({ type }) => type !== 'rich_text')) return null;
  const parts = all.flatMap(({ elements }) => asObjects(elements)).map((part) => blockText(part, ownId));
  if (parts.includes(null)) return null;
  return parts.reduce<string>((text, part) => joinLines(text, part ?? ''), '');
}

const joinLines = (before: string, after: string): string =>
  before === '' || before.endsWith('\n') ? `${before}${after}` : `${before}\n${after}`;

function blockText(part: JsonObject, ownId: string | null): string | null {
  const { type, style, indent, offset } = part;
  const children = asObjects(part.elements);
  if (type !== 'rich_text_list') return TEXT_BLOCKS.has(type) ? inlineTexts(children, ownId) : null;
  const items = children.map((item) => inlineTexts(asObjects(item.elements), ownId));
  if (items.includes(null)) return null;
  const first = typeof offset === 'number' ? offset + 1 : 1;
  const indentation = '  '.repeat(
    typeof indent === 'number' ? Math.min(8, Math.max(0, Math.floor(indent))) : 0,
  );
  const bullet = (at: number): string => (style === 'ordered' ? `${first + at}.` : '•');
  return items.map((item, at) => `${indentation}${bullet(at)} ${item}`).join('\n');
}

const TEXT_BLOCKS: ReadonlySet<unknown> = new Set([
  'rich_text_section',
  'rich_text_quote',
  'rich_text_preformatted',
]);

function inlineTexts(elements: readonly JsonObject[], ownId: string | null): string | null {
  const texts = elements.map((element) => inlineText(element, ownId));
  return texts.includes(null) ? null : texts.join('');
}

function inlineText(element: JsonObject, ownId: string | null): string | null {
  switch (element.type) {
    case 'text':
      return asText(element.text);
    case 'link':
      return linkText(asText(element.url), asText(element.text));
    case 'emoji':
      return emojiText(element);
    case 'user':
      return mentionText(asText(element.user_id), ownId);
    case 'usergroup':
      return '@colleagues';
    case 'broadcast':
      return `@${asText(element.range)}`;
    case 'channel':
      return '#channel';
    case 'date':
      return asText(element.fallback) || null;
    case 'color':
      return asText(element.value);
    default:
      return null;
  }
}

/** `1f44b-1f3fc` is a waving hand with a skin tone. Custom emoji of a workspace have only a name. */
function emojiText({ name, unicode }: JsonObject): string {
  const points = asText(unicode)
    .split('-')
    .map((hex) => (/^[0-9a-f]{2,6}$/i.test(hex) ? Number.parseInt(hex, 16) : Number.NaN));
  const isUnicode = points.every((point) => point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff));
  return isUnicode ? String.fromCodePoint(...points) : `:${asText(name)}:`;
}
