const LINE_ELEMENTS: ReadonlySet<string> = new Set(
  'address article dd div dt footer header li section tr'.split(' '),
);
const PARAGRAPH_ELEMENTS: ReadonlySet<string> = new Set(
  'blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul'.split(' '),
);

/**
 * Converts the HTML of a helpdesk's rich text editor to plain text for the user: paragraphs and list items on separate
 * lines, link addresses after their label, no markup. Malformed HTML is accepted.
 *
 * @example
 * htmlToText('<p>See <a href="https://example.com/faq">our answers</a>.</p>'); // See our answers (https://example.com/faq).
 */
export function htmlToText(html: string): string {
  const out = createLineBuffer();
  /** The enclosing lists: the number of items so far in a numbered list, or `null`. */
  const lists: (number | null)[] = [];
  let link: { readonly href: string; label: string } | null = null;
  let preformatted = 0;

  const addTag = ({ kind, name, attributes }: Exclude<HtmlToken, { kind: 'text' }>): void => {
    const isStart = kind === 'start';
    if (name === 'br' && isStart) out.breakLine();
    if (LINE_ELEMENTS.has(name)) out.endLine();
    // A nested list does not start a paragraph.
    if (PARAGRAPH_ELEMENTS.has(name)) {
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
    if (link) out.add(addressOf(link.href, link.label), false);
    link = isStart ? { href: attribute(attributes, 'href'), label: '' } : null;
  };

  for (const token of tokenize(html)) {
    if (token.kind !== 'text') {
      addTag(token);
      continue;
    }
    out.add(token.text, preformatted > 0);
    if (link) link = { href: link.href, label: link.label + token.text };
  }
  return out.text();
}

/** Collects lines, and collapses white space as a browser does. */
function createLineBuffer() {
  const lines: string[] = [];
  /** The current line, as chunks: scanning one long string again and again would be quadratic. */
  let chunks: string[] = [];
  const next = (): void => {
    lines.push(chunks.join('').trimEnd());
    chunks = [];
  };
  const endLine = (): void => {
    if (chunks.some((chunk) => chunk.trim() !== '')) next();
    chunks = [];
  };
  const put = (chunk: string): void => {
    if (chunk !== '') chunks.push(chunk);
  };
  return {
    add(text: string, isPreformatted: boolean): void {
      if (!isPreformatted) {
        const flat = text.replace(/[ \t\r\n\f]+/g, ' ');
        const followsSpace = chunks.at(-1)?.endsWith(' ') ?? true;
        put(followsSpace ? flat.replace(/^ /, '') : flat);
        return;
      }
      const [first = '', ...others] = text.split(/\r\n?|\n/);
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

const MAX_INDENT = 5;

function bullet(lists: (number | null)[]): string {
  const indent = '  '.repeat(Math.max(0, Math.min(MAX_INDENT, lists.length - 1)));
  const count = lists.at(-1);
  if (typeof count !== 'number') return `${indent}- `;
  lists[lists.length - 1] = count + 1;
  return `${indent}${count + 1}. `;
}

/** The address of a link, unless its label contains it. */
function addressOf(href: string, label: string): string {
  if (!/^(https?:|tel:)/i.test(href)) return '';
  const bare = href.replace(/^(https?:\/\/|tel:)/i, '').replace(/\/$/, '');
  return label.includes(bare) ? '' : ` (${href})`;
}

type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'start' | 'end'; readonly name: string; readonly attributes: string };

/** Elements whose content is not shown. */
const HIDDEN_ELEMENTS: ReadonlySet<string> = new Set([
  'script',
  'style',
  'head',
  'title',
  'template',
  'textarea',
]);

/**
 * Splits HTML into text and tags. It accepts malformed HTML, which editors and mail programs write, and runs in a
 * single pass, so that no input makes it slow. The package html-to-text takes about a minute for 800 kB of nested lists,
 * and loses the text after an unclosed quote.
 */
function* tokenize(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    if (open > at) yield { kind: 'text', text: decode(html.slice(at, open)) };
    const tag = tagAt(html, open);
    if (!tag) {
      yield { kind: 'text', text: '<' };
      at = open + 1;
      continue;
    }
    at = tag.end;
    if (tag.token?.kind === 'start' && HIDDEN_ELEMENTS.has(tag.token.name))
      at = elementEnd(html, tag.token.name, at);
    else if (tag.token) yield tag.token;
  }
  if (at < html.length) yield { kind: 'text', text: decode(html.slice(at)) };
}

/** The value of an attribute, or an empty text. */
function attribute(attributes: string, name: 'href'): string {
  const [, double, single, bare] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes) ?? [];
  return decode(double ?? single ?? bare ?? '').trim();
}

const TAG_NAME = /^(\/?)([a-z][a-z0-9:-]{0,30})(?=[\s/>])/i;

/** The tag at a position; its `token` is `null` for a comment. `null` when there is no tag, as in `1 < 2`. */
function tagAt(
  html: string,
  open: number,
): { readonly end: number; readonly token: HtmlToken | null } | null {
  if (html.startsWith('<!--', open)) return { end: endOf(html, '-->', open + 4), token: null };
  if (/[!?]/.test(html.charAt(open + 1))) return { end: endOf(html, '>', open), token: null };
  const [whole, slash, name] = TAG_NAME.exec(html.slice(open + 1, open + 40)) ?? [];
  if (whole === undefined || name === undefined) return null;
  const from = open + 1 + whole.length;
  const close = tagEnd(html, from);
  const kind = slash === '/' ? 'end' : 'start';
  return { end: close + 1, token: { kind, name: name.toLowerCase(), attributes: html.slice(from, close) } };
}

/** The end of a tag: the first `>` outside quotes, or the first at all when a quote is not closed. */
function tagEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const character = html.charAt(at);
    if (character === '>') return at;
    const quote = character === '"' || character === "'" ? html.indexOf(character, at + 1) : at;
    if (quote < 0) break;
    at = quote + 1;
  }
  const any = html.indexOf('>', from);
  return any < 0 ? html.length : any;
}

function endOf(html: string, marker: string, from: number): number {
  const found = html.indexOf(marker, from);
  return found < 0 ? html.length : found + marker.length;
}

function elementEnd(html: string, name: string, from: number): number {
  const ending = new RegExp(`</${name}\\s*>`, 'gi');
  ending.lastIndex = from;
  const found = ending.exec(html);
  return found ? ending.lastIndex : html.length;
}

/** The named entities that editors write. Other characters come literally or as numeric entities. */
const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ...pairs(
    'amp& lt< gt> quot" apos\' nbsp\u00a0 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f ensp\u2002 emsp\u2003 thinsp\u2009',
  ),
  ...pairs('ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ laquo« raquo» hellip… bull• middot·'),
  ...pairs('euro€ pound£ yen¥ cent¢ copy© reg® trade™ deg° plusmn± times× divide÷ sect§ rarr→ larr←'),
  ...pairs('aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß aringå oslashø aeligæ'),
  ...pairs('aacuteá eacuteé iacuteí oacuteó uacuteú agraveà egraveè igraveì ograveò ugraveù'),
  ...pairs('acircâ ecircê icircî ocircô ucircû ccedilç ntildeñ iexcl¡ iquest¿'),
]);

/** Parses `amp& lt<`: names, each followed by its character. */
function pairs(list: string): [string, string][] {
  return list.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)]);
}

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,10}));/gi;

function decode(text: string): string {
  return text.replace(ENTITY, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED_ENTITIES.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '';
  });
}
