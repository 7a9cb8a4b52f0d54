/** Slack reads these in every text: with them alone, a text can neither call `@channel` nor forge a link. */
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text that Slack shows as it is. */
export function escapeText(text: string): string {
  // Half a surrogate pair is no text in UTF-8, and Slack refuses the whole message.
  const wellFormed = Buffer.from(text, 'utf8').toString('utf8');
  return wellFormed.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);
}

/** The first so many characters of a text, and a sign that there were more. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Escapes a text and cuts it into pieces of at most so many characters, at the ends of lines where there are
 * some. Neither an escape nor a character is cut in two.
 */
export function escapedPieces(text: string, most: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const line of text.split(/(?<=\n)/)) {
    const escaped = escapeText(line);
    if (piece.length + escaped.length <= most) {
      piece += escaped;
      continue;
    }
    if (piece !== '') pieces.push(piece);
    piece = '';
    for (const character of line) {
      const safe = escapeText(character);
      if (piece.length + safe.length > most) {
        pieces.push(piece);
        piece = '';
      }
      piece += safe;
    }
  }
  return [...pieces, piece].filter((each) => each.trim() !== '');
}

/** How each message is posted: nothing in it is looked up, and nothing it links to is shown. */
export const AS_IT_IS = {
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;
