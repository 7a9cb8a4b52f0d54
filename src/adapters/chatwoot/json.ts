/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value when it is an object, otherwise an empty one, so that reading a field of it gives `undefined`. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The items of an array as objects; empty when the value is not an array. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** The value when it is a string, otherwise an empty one. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A Chatwoot id, which is a positive integer, as a string; `null` when the value is not one. */
export function asId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? value : null;
}
