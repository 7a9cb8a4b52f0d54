import { linkOf, type Mentions, mentionOf } from './plain-text.js';
import { type Fields, listOf, textOf } from './read.js';

/**
 * What people type comes as blocks too, in which styles and emoji are told apart from signs. Gives the plain
 * text of such blocks, or `null` where one is of another kind.
 */
export function richText(blocks: unknown, mentions: Mentions): string | null {
  const all = listOf(blocks);
  if (all.length === 0 || all.some(({ type }) => type !== 'rich_text')) return null;
  const parts = all.flatMap(({ elements }) => listOf(elements)).map((part) => partOf(part, mentions));
  if (parts.includes(null)) return null;
  return parts.reduce<string>((text, part) => joined(text, part ?? ''), '');
}

const joined = (before: string, after: string): string =>
  before === '' || before.endsWith('\n') ? `${before}${after}` : `${before}\n${after}`;

function partOf(part: Fields, mentions: Mentions): string | null {
  const { type, style, indent, offset } = part;
  const children = listOf(part.elements);
  if (type !== 'rich_text_list') return KNOWN_PARTS.has(type) ? inline(children, mentions) : null;
  const items = children.map((item) => inline(listOf(item.elements), mentions));
  if (items.includes(null)) return null;
  const first = typeof offset === 'number' ? offset + 1 : 1;
  const space = '  '.repeat(typeof indent === 'number' ? Math.min(8, Math.max(0, Math.floor(indent))) : 0);
  const sign = (at: number): string => (style === 'ordered' ? `${first + at}.` : '•');
  return items.map((item, at) => `${space}${sign(at)} ${item}`).join('\n');
}

const KNOWN_PARTS: ReadonlySet<unknown> = new Set([
  'rich_text_section',
  'rich_text_quote',
  'rich_text_preformatted',
]);

function inline(elements: readonly Fields[], mentions: Mentions): string | null {
  const texts = elements.map((element) => inlineText(element, mentions));
  return texts.includes(null) ? null : texts.join('');
}

function inlineText(element: Fields, mentions: Mentions): string | null {
  switch (element.type) {
    case 'text':
      return textOf(element.text);
    case 'link':
      return linkOf(textOf(element.url), textOf(element.text));
    case 'emoji':
      return emojiOf(element);
    case 'user':
      return mentionOf(textOf(element.user_id), mentions);
    case 'usergroup':
      return '@colleagues';
    case 'broadcast':
      return `@${textOf(element.range)}`;
    case 'channel':
      return '#channel';
    case 'date':
      return textOf(element.fallback) || null;
    case 'color':
      return textOf(element.value);
    default:
      return null;
  }
}

/** `1f44b-1f3fc` is a waving hand with a colour. An emoji of the workspace's own has but a name. */
function emojiOf({ name, unicode }: Fields): string {
  const points = textOf(unicode)
    .split('-')
    .map((hex) => (/^[0-9a-f]{2,6}$/i.test(hex) ? Number.parseInt(hex, 16) : Number.NaN));
  const real = points.every((point) => point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff));
  return real ? String.fromCodePoint(...points) : `:${textOf(name)}:`;
}
