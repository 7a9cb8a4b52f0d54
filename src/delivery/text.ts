import { hash } from 'node:crypto';

/** Text without quotes, backslashes, control characters and surrogates: the characters that JSON escapes. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/**
 * Escapes characters that databases cannot store: PostgreSQL refuses NUL, and both replace lone surrogates. Nearly all
 * text is returned unchanged.
 */
export const encodeText = (text: string): string =>
  PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1);

/** The inverse of {@link encodeText}. */
export function decodeText(stored: unknown): string {
  const text = String(stored);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/**
 * A digest for text that is only looked up: of any length, with any characters. With the name of a receiver, equal texts
 * of receivers that share a database differ.
 */
export const digestText = (text: string, receiver: string | null = null): string =>
  hash('sha256', JSON.stringify(receiver === null ? text : [receiver, text]), 'base64url');

/** 128 bits of SHA-256: enough to tell idempotency keys apart. */
export const digestKey = (queue: string, key: string): Buffer =>
  hash('sha256', `${queue}:${encodeText(key)}`, 'buffer').subarray(0, 16);

/** Longer ids are stored as their digest: an index entry of PostgreSQL holds at most 2,704 bytes. */
const LONGEST_ID = 200;

/**
 * The form of a conversation's id in index columns. The id itself is in the content. The ids of a receiver with a name
 * begin with `#name/`, which neither an id nor a digest does. Persisted: never change it.
 */
export function conversationKey(id: string, receiver: string | null = null): string {
  const isPlain = id.length <= LONGEST_ID && !id.startsWith('#');
  const key = isPlain ? encodeText(id) : `#${digestText(id)}`;
  return receiver === null ? key : `#${receiver}/${key}`;
}

/** The name of the receiver whose conversation has this key; `null` for the receiver without a name. */
export const receiverOfKey = (key: string): string | null => /^#([^/]+)\//.exec(key)?.[1] ?? null;
