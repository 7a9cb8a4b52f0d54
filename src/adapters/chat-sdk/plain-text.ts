import type { SdkAttachment, SdkMessage, SdkNode } from './sdk.js';

/** A node with the fields that some types have. */
interface AnyNode extends SdkNode {
  readonly value?: string;
  readonly children?: readonly AnyNode[];
  readonly url?: string;
  readonly alt?: string | null;
  readonly ordered?: boolean | null;
  readonly start?: number | null;
  readonly depth?: number;
  readonly checked?: boolean | null;
}

/** The text of a syntax tree without its styles: links, lists and quotes stay readable. */
export const plainText = (root: SdkNode): string => blocks(root, '\n\n').trim();

const blocks = ({ children = [] }: AnyNode, separator: string): string =>
  children
    .map(block)
    .filter((text) => text !== '')
    .join(separator);

function block(node: AnyNode): string {
  switch (node.type) {
    case 'heading':
      // Most platforms have no headings: the agent typed a number sign.
      return `${'#'.repeat(node.depth ?? 1)} ${inline(node)}`;
    case 'list':
      return (node.children ?? []).map((item, index) => listItem(item, node, index)).join('\n');
    case 'blockquote':
      return prefixLines(blocks(node, '\n'), '> ', '> ');
    case 'thematicBreak':
      return '---';
    case 'table':
      return (node.children ?? []).map((row) => (row.children ?? []).map(inline).join(' | ')).join('\n');
    case 'definition':
      return '';
    default:
      return inline(node);
  }
}

function listItem(item: AnyNode, { ordered, start }: AnyNode, index: number): string {
  const marker = ordered ? `${(start ?? 1) + index}. ` : '- ';
  const box = typeof item.checked === 'boolean' ? `[${item.checked ? 'x' : ' '}] ` : '';
  return prefixLines(box + blocks(item, '\n'), marker, ' '.repeat(marker.length));
}

const prefixLines = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first : others) + line)
    .join('\n');

function inline(node: AnyNode): string {
  if (node.type === 'break') return '\n';
  if (node.type === 'image') return [node.alt ?? '', node.url ?? ''].filter(Boolean).join(' ');
  if (node.value !== undefined) return node.value;
  const text = (node.children ?? []).map(inline).join('');
  if (node.type !== 'link' || node.url === undefined) return text;
  const address = node.url.replace(/^(mailto|tel):/, '');
  return text === address || text === node.url ? address : `${text} (${node.url})`;
}

/** Nodes of a text without styles. */
const UNSTYLED: ReadonlySet<string> = new Set(['root', 'paragraph', 'text', 'html', 'break']);

const isUnstyled = (node: AnyNode): boolean =>
  UNSTYLED.has(node.type) && (node.children ?? []).every(isUnstyled);

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
const decodeEntities = (text: string): string =>
  text.replace(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);

/**
 * How to read what an agent typed from the platform's own message, or `null` if it has markup. The SDK reads every text
 * as Markdown, which loses blanks and turns `&amp;` into `&`.
 */
const TYPED: Readonly<Record<string, (raw: Readonly<Record<string, unknown>>) => unknown>> = {
  slack: ({ text }) => withoutTags(text),
  teams: ({ text }) => withoutTags(text),
  telegram: ({ text, caption }) => text ?? caption,
  // Backslashes, mentions, channels and custom emoji are markup of Discord.
  discord: ({ content }) => (/\\|<(?:[@#]|a?:)/.test(String(content)) ? null : content),
};

const withoutTags = (text: unknown): string | null =>
  typeof text !== 'string' || text.includes('<') ? null : decodeEntities(text);

/** The text of a message: as typed if it has no markup, otherwise without its styles. */
export function textOf({ formatted, raw }: SdkMessage, platform: string): string {
  if (isUnstyled(formatted) && typeof raw === 'object' && raw !== null) {
    const typed = TYPED[platform]?.(raw as Readonly<Record<string, unknown>>);
    if (typeof typed === 'string' && typed.trim() !== '') return typed.trim();
  }
  return plainText(formatted);
}

/** Platforms whose links to files need an account there. */
const PRIVATE_LINKS: ReadonlySet<string> = new Set(['slack', 'teams', 'gchat']);

/** One line for a file: its name, its type, and its address if users can open it. */
export function attachmentLine({ type, name, mimeType, url }: SdkAttachment, platform: string): string {
  const label = name ? `${name}, ${mimeType ?? type}` : (mimeType ?? type);
  const isPublic = url !== undefined && /^https?:/.test(url) && !PRIVATE_LINKS.has(platform);
  return isPublic ? `[${label}] ${url}` : `[${label}]`;
}
