/** Whether a value is an object and not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a body as JSON; returns the text if it is not JSON. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A string, possibly unterminated, or an integer that is a value. Each alternative matches in linear time. */
const STRING_OR_INTEGER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|(?<![\w.+-])-?[1-9]\d{15,}(?=\s*(?:[,}\]]|$))/g;

/**
 * Turns integers that a JavaScript number cannot hold into strings: an id that was rounded would belong to another
 * conversation or document. Text that is not JSON stays so: a string may stand wherever a number may, and keys are not
 * touched.
 */
export function quoteLargeIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  return json.replace(STRING_OR_INTEGER, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}
