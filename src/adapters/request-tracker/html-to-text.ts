import { attribute, type Piece, piecesOf } from './html-tags.js';

const ON_ITS_OWN_LINE: ReadonlySet<string> = new Set(
  'address article dd div dt footer header li section tr'.split(' '),
);
const ITS_OWN_PARAGRAPH: ReadonlySet<string> = new Set(
  'blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul'.split(' '),
);

/**
 * What an agent wrote with the rich text editor, as plain text that a customer can read: paragraphs and list
 * items on lines of their own, addresses of links behind their words, nothing of the markup. RT's own
 * conversion differs with the programs that are installed next to it, and breaks lines after 78 characters.
 */
export function htmlToText(html: string): string {
  const out = createLines();
  /** The lists around: how many items a numbered one has so far, or `null`. */
  const lists: (number | null)[] = [];
  let link: { readonly href: string; words: string } | null = null;
  let preformatted = 0;

  const tag = ({ kind, name, attributes }: Exclude<Piece, { kind: 'words' }>): void => {
    const isStart = kind === 'start';
    if (name === 'br' && isStart) out.breakLine();
    if (ON_ITS_OWN_LINE.has(name)) out.endLine();
    // A list within a list continues it.
    if (ITS_OWN_PARAGRAPH.has(name)) {
      if (lists.length > (isStart ? 0 : 1)) out.endLine();
      else out.endParagraph();
    }
    if (name === 'pre') preformatted = Math.max(0, preformatted + (isStart ? 1 : -1));
    if (name === 'ul' || name === 'ol') {
      if (isStart) lists.push(name === 'ol' ? 0 : null);
      else lists.pop();
    }
    if (name === 'li' && isStart) out.add(bullet(lists), true);
    if ((name === 'td' || name === 'th') && !isStart) out.add(' ', false);
    if (name !== 'a') return;
    if (link) out.add(addressOf(link.href, link.words), false);
    link = isStart ? { href: attribute(attributes, 'href'), words: '' } : null;
  };

  for (const piece of piecesOf(html)) {
    if (piece.kind !== 'words') {
      tag(piece);
      continue;
    }
    out.add(piece.text, preformatted > 0);
    if (link) link = { href: link.href, words: link.words + piece.text };
  }
  return out.text();
}

/** Lines that grow, with white space as a browser would show it. */
function createLines() {
  const lines: string[] = [];
  /** The line that is written, in pieces: to look at a line again and again takes long when it is long. */
  let pieces: string[] = [];
  const next = (): void => {
    lines.push(pieces.join('').trimEnd());
    pieces = [];
  };
  const endLine = (): void => {
    if (pieces.some((piece) => piece.trim() !== '')) next();
    pieces = [];
  };
  const put = (piece: string): void => {
    if (piece !== '') pieces.push(piece);
  };
  return {
    add(words: string, isKept: boolean): void {
      if (!isKept) {
        const flat = words.replace(/[ \t\r\n\f]+/g, ' ');
        const isBlankBefore = pieces.at(-1)?.endsWith(' ') ?? true;
        put(isBlankBefore ? flat.replace(/^ /, '') : flat);
        return;
      }
      const [first = '', ...others] = words.split(/\r\n?|\n/);
      put(first);
      for (const line of others) {
        next();
        put(line);
      }
    },
    breakLine: next,
    endLine,
    endParagraph(): void {
      endLine();
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
    },
    text(): string {
      endLine();
      return lines
        .join('\n')
        .replace(/\u00a0/g, ' ')
        .replace(/\n{3,}/g, '\n\n')
        .trim();
    },
  };
}

/** Lists within lists within lists. */
const DEEPEST_INDENT = 5;

function bullet(lists: (number | null)[]): string {
  const indent = '  '.repeat(Math.max(0, Math.min(DEEPEST_INDENT, lists.length - 1)));
  const count = lists.at(-1);
  if (typeof count !== 'number') return `${indent}- `;
  lists[lists.length - 1] = count + 1;
  return `${indent}${count + 1}. `;
}

/** The address of a link, unless its words say it already. */
function addressOf(href: string, words: string): string {
  if (!/^(https?:|tel:)/i.test(href)) return '';
  const bare = href.replace(/^(https?:\/\/|tel:)/i, '').replace(/\/$/, '');
  return words.includes(bare) ? '' : ` (${href})`;
}
