import { createHash } from 'node:crypto';
import type { HandoffSession } from '../../bridge/index.js';
import type { Platform } from './platform.js';

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 8;

/** Names a conversation, such as `k7f3q2x9`. The same on every attempt to open it: 8 of 31 characters are 39 bits. */
export function referenceOf({ key }: Pick<HandoffSession, 'key'>): string {
  const digest = createHash('sha256').update(key).digest();
  return Array.from({ length: LENGTH }, (_, index) => ALPHABET[(digest[index] ?? 0) % ALPHABET.length]).join(
    '',
  );
}

/** How messages show a reference. */
export const referenceTag = (reference: string): string => `[#${reference}]`;

const TAG = new RegExp(`^\\[?#([${ALPHABET}]{${LENGTH}})\\]?(?![a-z0-9])\\s*`, 'i');

/** The reference at the start of a text, else at the start of the message that it replies to; and the text without it. */
export function readReference(
  text: string,
  repliedTo: string | undefined,
): { readonly reference: string | null; readonly text: string } {
  const own = TAG.exec(text);
  if (own) return { reference: own[1]?.toLowerCase() ?? null, text: text.slice(own[0].length) };
  const replied = TAG.exec(repliedTo ?? '');
  return { reference: replied?.[1]?.toLowerCase() ?? null, text };
}

/** The external id of a conversation that shares a channel with others. */
export const referencedId = (platform: Platform, channel: string, reference: string): string =>
  `${platform.idOf(channel)} #${reference}`;
