import type { CustomerView } from '../../api.js';
import { t } from './strings/index.js';

/** An id that no person can read: a UUID, or another long hexadecimal number. */
const MACHINE_ID = /([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|([0-9a-f]{8})[0-9a-f]{12,}/i;

/**
 * The name of a customer: the id that the application gave, or a short form of an id that a machine made. Many customers
 * may share a placeholder e-mail address, so it comes last.
 */
export function customerName({ userId, anonymousId, email, key }: Omit<CustomerView, 'phone'>): string {
  const id = userId ?? anonymousId;
  return id === null ? (email ?? readable(key)) : readable(id);
}

function readable(id: string): string {
  const [, uuid, hex] = MACHINE_ID.exec(id) ?? [];
  const digits = uuid ?? hex;
  return digits === undefined ? id : t('visitor', { id: digits.slice(0, 6) });
}

/** One or two letters that stand for a name. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const first = Array.from(words[0] ?? '?')[0] ?? '?';
  const last = words.length > 1 ? (Array.from(words.at(-1) ?? '')[0] ?? '') : '';
  return `${first}${last}`.toUpperCase();
}

/** The number of avatar colours in the style sheet. */
const HUES = 6;

/** A colour for a name, always the same. */
export function hueOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % HUES;
}
