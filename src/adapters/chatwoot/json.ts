/** A JSON object of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

/** The object that a value is; an empty one when it is none, so that reading on finds nothing. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The objects of a list; none when it is no list. */
export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The text that a value is, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An id, which Chatwoot writes as a number; `null` when there is none. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? value : null;
}
