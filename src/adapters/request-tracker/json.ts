export { asObject, asObjects, type JsonObject } from '../../bridge/index.js';

/** A string or number as text, otherwise empty. RT writes ids as numbers in some places and as text in others. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** An RT id, which is a positive integer, as a string; `null` when the value is not one. */
export const asId = (value: unknown): string | null => {
  const id = asText(value);
  return /^[1-9]\d{0,18}$/.test(id) ? id : null;
};

/** A flag, which RT writes as `1`, `"1"` or `true`. */
export const asFlag = (value: unknown): boolean => value === true || asText(value) === '1';
