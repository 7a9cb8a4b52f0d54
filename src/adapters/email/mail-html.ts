import { htmlToText } from '../../bridge/index.js';

/**
 * The text of a mail in HTML, as a mail program would write it as plain text: quoted lines begin with `>`, and what
 * readers do not see is left out, unless nothing else is there.
 */
export function mailHtmlToText(html: string): string {
  const shown = withoutComments(html);
  return toText(withoutHidden(shown)) || toText(shown);
}

const toText = (html: string): string =>
  splitQuotes(html)
    .map(({ part, isQuoted }) => (isQuoted ? marked(htmlToText(part)) : htmlToText(part)))
    .filter((text) => text !== '')
    .join('\n\n');

const marked = (text: string): string => text.replace(/^/gm, '> ');

// Anybody can send HTML, so no search may run over the rest again and again.

/** Comments of Outlook have tags that are not closed. */
function withoutComments(html: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const open = html.indexOf('<!--', at);
    // `<!-->` is a whole comment.
    const close = open < 0 ? -1 : html.indexOf('-->', open + 2);
    if (close < 0) return out + html.slice(at);
    out += html.slice(at, open);
    at = close + 3;
  }
}

const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?:max-height|opacity)\s*:\s*0(?![.\d]))/i;
const FONT_SIZE = /(?:^|;)\s*font(?:-size)?\s*:/i;
const NO_FONT_SIZE = /(?:^|;)\s*font-size\s*:\s*0+(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:;|!|$)/i;
/** Preheaders are shown in lists of mails only. */
const HIDDEN_ATTRIBUTE = /(?:^|\s)(?:hidden(?=[\s=/]|$)|class\s*=\s*["'](?:[^"']*\s)?preheader\b)/i;

const TAG = /<(\/?)([a-z][a-z0-9]{0,30})\b([^<>]*)>/gi;
const VOID_ELEMENTS: ReadonlySet<string> = new Set('area base br col hr img input link meta wbr'.split(' '));

/** Removes elements that are not shown. One that is never closed stays: it could hold the whole reply. */
function withoutHidden(html: string): string {
  const kept: string[] = [];
  /** The enclosing elements. A font size of 0 holds until an element within sets another. */
  const open: { readonly name: string; readonly hiddenFrom: number | null; readonly isTiny: boolean }[] = [];
  const openCounts = new Map<string, number>();
  const count = (name: string, change: number): number => {
    const counted = (openCounts.get(name) ?? 0) + change;
    openCounts.set(name, counted);
    return counted;
  };
  const keep = (text: string): void => {
    if (!open.at(-1)?.isTiny) kept.push(text);
  };
  const end = (name: string): void => {
    if (count(name, 0) === 0) return;
    for (let last = open.pop(); last; last = open.pop()) {
      count(last.name, -1);
      if (last.name !== name) continue;
      if (last.hiddenFrom !== null) kept.length = Math.min(kept.length, last.hiddenFrom);
      return;
    }
  };

  let at = 0;
  for (const tag of html.matchAll(TAG)) {
    const [whole, slash, anyCase = '', attributes = ''] = tag;
    const name = anyCase.toLowerCase();
    keep(html.slice(at, tag.index));
    at = tag.index + whole.length;
    const hiddenFrom = kept.length;
    if (slash === '/') end(name);
    else if (!VOID_ELEMENTS.has(name)) {
      const [, double, single, bare] =
        /\bstyle\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i.exec(attributes) ?? [];
      const style = double ?? single ?? bare ?? '';
      const isHidden = HIDDEN_STYLE.test(style) || HIDDEN_ATTRIBUTE.test(attributes);
      const isTiny = FONT_SIZE.test(style) ? NO_FONT_SIZE.test(style) : (open.at(-1)?.isTiny ?? false);
      open.push({ name, hiddenFrom: isHidden ? hiddenFrom : null, isTiny });
      count(name, 1);
    }
    keep(whole);
  }
  keep(html.slice(at));
  return kept.join('');
}

/** The ids and classes with which mail programs begin the quoted mail in HTML, where they do not quote it as such. */
const QUOTE_BEGINS =
  /\b(?:id|class|name)="?(?:[^"]*\s)?(?:x_)?(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|stopSpelling|OLK_SRC_BODY_SECTION|yahoo_quoted|protonmail_quote|messageReplySection|isReplyContent|ntes-mailmaster-quote|qmbox|originbody)\b/i;

const CONTAINER = /<(?:div|hr|span|table|blockquote)\b([^<>]{0,1000})>/gi;
const BLOCKQUOTE = /<(\/?)blockquote\b[^<>]*>/gi;

/** Divides HTML into what is quoted and what is not. */
function splitQuotes(html: string): { readonly part: string; readonly isQuoted: boolean }[] {
  let begin = html.length;
  for (const { index, 1: attributes = '' } of html.matchAll(CONTAINER)) {
    if (!QUOTE_BEGINS.test(attributes)) continue;
    begin = index;
    break;
  }
  const parts: { part: string; isQuoted: boolean }[] = [];
  let depth = 0;
  let at = 0;
  for (const tag of html.slice(0, begin).matchAll(BLOCKQUOTE)) {
    const next = tag[1] === '' ? depth + 1 : Math.max(0, depth - 1);
    if (depth === 0 || next === 0) {
      parts.push({ part: html.slice(at, tag.index), isQuoted: depth > 0 });
      at = tag.index + tag[0].length;
    }
    depth = next;
  }
  parts.push({ part: html.slice(at, begin), isQuoted: depth > 0 });
  if (begin < html.length) parts.push({ part: html.slice(begin), isQuoted: true });
  return parts;
}
