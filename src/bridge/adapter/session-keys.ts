import { createHash } from 'node:crypto';
import type { HandoffSession } from './adapter-types.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A key of at most `maxLength` characters, at least 71: longer ones are hashed. Persisted by helpdesks. */
export const keyWithin = (maxLength: number, key: string): string =>
  key.length <= maxLength ? key : `sha256:${sha256(key)}`;

/** Identifies a session or a user where the key is too long or must not be shown. Persisted by helpdesks. */
export const keyHash = ({ key }: { readonly key: string }, length = 64): string =>
  sha256(key).slice(0, length);

/** A line in the first message, by which `find` recognises a conversation that cannot carry attributes. */
export const referenceLine = (session: HandoffSession): string => `Reference: ${keyHash(session, 20)}`;

/** The name of a user for agents. */
export const userName = ({ userId, anonymousId }: HandoffSession['user']): string =>
  userId ?? anonymousId ?? 'Visitor';
