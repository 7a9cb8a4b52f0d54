/** A JSON object whose fields may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = Object.freeze({});

/** Whether a value is a JSON object. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as an object; one without fields where it is none. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NONE);

/** A value as a list of objects; what is not an object is left out. */
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** A value as text; empty where it is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
