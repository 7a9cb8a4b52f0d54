/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = Object.freeze({});

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value when it is an object, otherwise an empty one, so that reading a field of it gives `undefined`. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : EMPTY);

/** The objects of an array; empty when the value is not an array. */
export const asObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The value when it is a string, otherwise an empty one. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
