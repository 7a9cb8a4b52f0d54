import { htmlToText, type InboundEvent, type MessageAuthor } from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

/** A user of RT, as both the Scrip and the REST interface report it. */
export interface RtUser {
  readonly id: string;
  readonly login: string;
  readonly realName: string;
  /** Staff. Customers who write mail are not privileged. */
  readonly isPrivileged: boolean;
}

/** A transaction, which is RT's name for an entry in the history of a ticket. */
export interface RtTransaction {
  readonly id: string;
  readonly ticket: string;
  readonly creator: RtUser;
  readonly change:
    | { readonly kind: 'message'; readonly internal: boolean; readonly content: RtContent | null }
    | { readonly kind: 'status'; readonly status: string }
    | { readonly kind: 'owner'; readonly owner: RtUser };
}

/** The body of a message. */
export interface RtContent {
  readonly contentType: string;
  readonly text: string;
}

/** RT's built-in accounts. Their names are fixed. */
const BUILT_IN_USERS: ReadonlySet<string> = new Set(['RT_System', 'Nobody']);

/**
 * Translates a transaction into an event, or `null` when it concerns no user. Webhook and poll give the same event
 * for the same transaction, so that the bridge drops whichever comes second.
 */
export function toInboundEvent(
  { id, ticket, creator, change }: RtTransaction,
  { selfId, closedStatuses }: Pick<CheckedSettings, 'selfId' | 'closedStatuses'>,
): InboundEvent | null {
  const base = { id: `txn-${id}`, externalId: ticket };
  const author = authorOf(creator, selfId);
  if (change.kind === 'message') {
    const { internal, content } = change;
    return { ...base, kind: 'message', author, internal, text: plainText(content), messageId: id };
  }
  if (change.kind === 'status') {
    return closedStatuses.has(change.status) ? { ...base, kind: 'closed', author } : null;
  }
  const owner = authorOf(change.owner, selfId);
  return owner.kind === 'agent' ? { ...base, kind: 'joined', author: owner } : null;
}

function authorOf({ id, login, realName, isPrivileged }: RtUser, selfId: string): MessageAuthor {
  if (id === selfId) return { kind: 'self', name: null };
  if (BUILT_IN_USERS.has(login)) return { kind: 'system', name: null };
  // Customers must not see login names.
  return { kind: isPrivileged ? 'agent' : 'user', name: realName.trim() || null };
}

function plainText(content: RtContent | null): string {
  if (!content) return '';
  const text = /^text\/html\b/i.test(content.contentType) ? htmlToText(content.text) : content.text;
  return text.replace(/\r\n?/g, '\n').trim();
}
