import type { InboundEvent, MessageAuthor } from '../../bridge/index.js';
import { htmlToText } from './html-to-text.js';
import type { Settled } from './settings.js';

/** A user of RT, as Scrip and REST both tell. */
export interface Person {
  readonly id: string;
  /** The login name. */
  readonly login: string;
  readonly realName: string;
  /** Whether it is one of the staff; customers who write mail are not. */
  readonly isPrivileged: boolean;
}

/** Something that happened in a ticket: one of RT's transactions. */
export interface Happening {
  /** RT's number of it. */
  readonly transaction: string;
  readonly ticket: string;
  readonly creator: Person;
  readonly what:
    | { readonly kind: 'said'; readonly internal: boolean; readonly words: Words | null }
    | { readonly kind: 'status'; readonly status: string }
    | { readonly kind: 'owner'; readonly owner: Person };
}

/** Words as they were written. */
export interface Words {
  readonly contentType: string;
  readonly text: string;
}

/** RT's own users, which stand for nobody. Their names are fixed. */
const NOBODIES: ReadonlySet<string> = new Set(['RT_System', 'Nobody']);

/**
 * What something that happened means to a conversation, or `null` for nothing. The same for what a Scrip told
 * and for what was polled, so that whichever comes second is seen to be the same.
 */
export function eventOf(
  { transaction, ticket, creator, what }: Happening,
  { selfId, closedStatuses }: Pick<Settled, 'selfId' | 'closedStatuses'>,
): InboundEvent | null {
  const about = { id: `txn-${transaction}`, externalId: ticket };
  const author = authorOf(creator, selfId);
  if (what.kind === 'said') {
    const { internal, words } = what;
    return { ...about, kind: 'message', author, internal, text: plain(words), messageId: transaction };
  }
  if (what.kind === 'status') {
    return closedStatuses.has(what.status) ? { ...about, kind: 'closed', author } : null;
  }
  const owner = authorOf(what.owner, selfId);
  return owner.kind === 'agent' ? { ...about, kind: 'joined', author: owner } : null;
}

function authorOf({ id, login, realName, isPrivileged }: Person, selfId: string): MessageAuthor {
  if (id === selfId) return { kind: 'self', name: null };
  if (NOBODIES.has(login)) return { kind: 'system', name: null };
  // The login name is not for customers.
  return { kind: isPrivileged ? 'agent' : 'customer', name: realName.trim() || null };
}

function plain(words: Words | null): string {
  if (!words) return '';
  const text = /^text\/html\b/i.test(words.contentType) ? htmlToText(words.text) : words.text;
  return text.replace(/\r\n?/g, '\n').trim();
}
