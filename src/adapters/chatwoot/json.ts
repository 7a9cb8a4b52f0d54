export { asObject, asObjects, asText, type JsonObject } from '../../bridge/index.js';

/** A Chatwoot id, which is a positive integer, as a string; `null` when the value is not one. */
export function asId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? value : null;
}
