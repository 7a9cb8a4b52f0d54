/** With these escaped, a text can neither mention `@channel` nor forge a link. */
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text so that Slack shows it literally. */
export function escapeText(text: string): string {
  // Replaces lone surrogates: Slack rejects a message that is not valid UTF-8.
  const wellFormed = Buffer.from(text, 'utf8').toString('utf8');
  return wellFormed.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/** Shortens a text to `maxLength` characters, with an ellipsis. */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Escapes a text and splits it into chunks of at most `maxLength` characters, between lines where possible. Neither an
 * escape sequence nor a character is split.
 */
export function escapedChunks(text: string, maxLength: number): string[] {
  const chunks: string[] = [];
  let chunk = '';
  for (const line of text.split(/(?<=\n)/)) {
    const escaped = escapeText(line);
    if (chunk.length + escaped.length <= maxLength) {
      chunk += escaped;
      continue;
    }
    if (chunk !== '') chunks.push(chunk);
    chunk = '';
    for (const character of line) {
      const escapedCharacter = escapeText(character);
      if (chunk.length + escapedCharacter.length > maxLength) {
        chunks.push(chunk);
        chunk = '';
      }
      chunk += escapedCharacter;
    }
  }
  return [...chunks, chunk].filter((each) => each.trim() !== '');
}

/** Sent with each message: no automatic mentions or links, no previews. */
export const POST_OPTIONS = {
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;
