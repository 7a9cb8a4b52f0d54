/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A value as an object; one without fields when it is none. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** A value as a list of objects; empty when it is none. */
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/** A value as text. RT gives the same id as a number here and as text there. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** An id, or `null` when it is none. RT's are whole numbers. */
export const idOf = (value: unknown): string | null => {
  const id = textOf(value);
  return /^[1-9]\d{0,18}$/.test(id) ? id : null;
};

/** Whether something holds for a value that RT writes as `1`, `"1"` or `true`. */
export const isSet = (value: unknown): boolean => value === true || textOf(value) === '1';
