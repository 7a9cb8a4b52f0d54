/** A piece of HTML: words, or a tag. */
export type Piece =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'start' | 'end'; readonly name: string; readonly attributes: string };

/** Elements whose content nobody reads. */
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'head', 'title', 'template', 'textarea']);

/**
 * Takes HTML apart, without judging it: what editors and mail programs write is seldom all in order. Walks
 * through it once, whatever it holds, so that nobody can make it slow.
 */
export function* piecesOf(html: string): Generator<Piece> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    if (open > at) yield { kind: 'words', text: decode(html.slice(at, open)) };
    const tag = tagAt(html, open);
    if (!tag) {
      yield { kind: 'words', text: '<' };
      at = open + 1;
      continue;
    }
    at = tag.end;
    if (tag.piece?.kind === 'start' && UNREAD.has(tag.piece.name))
      at = afterElement(html, tag.piece.name, at);
    else if (tag.piece) yield tag.piece;
  }
  if (at < html.length) yield { kind: 'words', text: decode(html.slice(at)) };
}

/** The value of an attribute, or nothing. */
export function attribute(attributes: string, name: 'href'): string {
  const [, double, single, bare] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes) ?? [];
  return decode(double ?? single ?? bare ?? '').trim();
}

const NAME = /^(\/?)([a-z][a-z0-9:-]{0,30})(?=[\s/>])/i;

/** The tag that begins here; `piece` is `null` for a comment. `null` when it is none, as in `1 < 2`. */
function tagAt(html: string, open: number): { readonly end: number; readonly piece: Piece | null } | null {
  if (html.startsWith('<!--', open)) return { end: after(html, '-->', open + 4), piece: null };
  if (/[!?]/.test(html.charAt(open + 1))) return { end: after(html, '>', open), piece: null };
  const [whole, slash, name] = NAME.exec(html.slice(open + 1, open + 40)) ?? [];
  if (whole === undefined || name === undefined) return null;
  const from = open + 1 + whole.length;
  const close = closeOf(html, from);
  const kind = slash === '/' ? 'end' : 'start';
  return { end: close + 1, piece: { kind, name: name.toLowerCase(), attributes: html.slice(from, close) } };
}

/** Where a tag ends: the first `>` outside of quotes; the first at all when a quote is left open. */
function closeOf(html: string, from: number): number {
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

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function afterElement(html: string, name: string, from: number): number {
  const ending = new RegExp(`</${name}\\s*>`, 'gi');
  ending.lastIndex = from;
  const found = ending.exec(html);
  return found ? ending.lastIndex : html.length;
}

/** The names that editors write; all else comes as a character or by its number. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ...pairs(
    'amp& lt< gt> quot" apos\' nbsp\u00a0 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f ensp\u2002 emsp\u2003 thinsp\u2009',
  ),
  ...pairs('ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ laquo« raquo» hellip… bull• middot·'),
  ...pairs('euro€ pound£ yen¥ cent¢ copy© reg® trade™ deg° plusmn± times× divide÷ sect§ rarr→ larr←'),
  ...pairs('aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß aringå oslashø aeligæ'),
  ...pairs('aacuteá eacuteé iacuteí oacuteó uacuteú agraveà egraveè igraveì ograveò ugraveù'),
  ...pairs('acircâ ecircê icircî ocircô ucircû ccedilç ntildeñ iexcl¡ iquest¿'),
]);

/** Names with their characters, each the last of its word. */
function pairs(list: string): [string, string][] {
  return list.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)]);
}

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,10}));/gi;

function decode(text: string): string {
  return text.replace(ENTITY, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '';
  });
}
