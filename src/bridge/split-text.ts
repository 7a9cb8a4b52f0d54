/**
 * Where a text may best be cut, the best first. A break too near the beginning would leave a crumb; then a
 * lesser break further on is better.
 */
const BREAKS: readonly { readonly at: RegExp; readonly leastFilled: number }[] = [
  { at: /\n\s*\n/g, leastFilled: 0.5 },
  { at: /\n/g, leastFilled: 0.5 },
  { at: /\s+/g, leastFilled: 0 },
];

/** Made when a text needs it: it takes longer than all else that this module does, and few texts do. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Splits a text that is longer than a system takes: between paragraphs, else lines, else words, else between
 * what a reader sees as one character. Only a single such character that is too long alone is cut within, and
 * even then never inside a surrogate pair, unless there is room for half of one only.
 */
export function splitText(text: string, maxLength: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxLength) {
    const { end, next } = cutOf(rest, maxLength);
    parts.push(rest.slice(0, end));
    rest = rest.slice(next);
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts;
}

interface Cut {
  /** Where the part ends. */
  readonly end: number;
  /** Where the next begins: blanks at the cut belong to neither. */
  readonly next: number;
}

function cutOf(text: string, maxLength: number): Cut {
  // One more than fits, so that a blank right after the last character that fits is seen.
  const window = text.slice(0, maxLength + 1);
  for (const { at, leastFilled } of BREAKS) {
    const last = [...window.matchAll(at)].findLast(({ index }) => index <= maxLength);
    if (!last || last.index === 0 || last.index < maxLength * leastFilled) continue;
    const blanks = /^\s*/.exec(text.slice(last.index))?.[0].length ?? 0;
    return { end: last.index, next: last.index + blanks };
  }
  const end = graphemeEnd(text, maxLength);
  return { end, next: end };
}

/** The last end of a whole grapheme that fits. */
function graphemeEnd(text: string, maxLength: number): number {
  // A grapheme at the window's edge may go on behind it; so the window is wider than what fits.
  const window = text.slice(0, maxLength + 64);
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of graphemes.segment(window)) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  if (end > 0) return end;
  const splitsPair = maxLength > 1 && /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1));
  return splitsPair ? maxLength - 1 : maxLength;
}
