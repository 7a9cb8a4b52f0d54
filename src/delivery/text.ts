/** Without quotes, backslashes, control characters and surrogates, which are what is written otherwise than it is. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/**
 * Writes text so that databases give back what they got and tell apart what differs: some end text at NUL or refuse it, and
 * make one character of all halves of a pair. Ids without such things, nearly all there are, stay as they are.
 */
export const toText = (text: string): string => (PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1));

/** Reads what {@link toText} wrote. */
export function fromText(stored: unknown): string {
  const text = String(stored);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
