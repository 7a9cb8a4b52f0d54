import { createHash, createHmac, scryptSync } from 'node:crypto';
import { type CheckedSettings, TOKEN_PLACE } from './settings.js';

/**
 * Creates the function that derives the token of a conversation from its key: opening it again repeats the same mail
 * with the same `Message-ID`. Who has not seen a mail of a conversation cannot guess its token (80 bits), even with
 * the key, which is made of ids that users know: the tokens are keyed with the credentials of the mailbox, which all
 * processes share.
 */
export function createTokenOf({ secret }: Pick<CheckedSettings, 'secret'>): (key: string) => string {
  let derived: Buffer | null = null;
  return (key) => {
    // Slow, because who sees a token must not find out a short password by trying.
    derived ??= scryptSync(secret, 'handoff-kit e-mail conversations', 32);
    return shorten(createHmac('sha256', derived).update(`conversation ${key}`).digest('hex'));
  };
}

/** The part of our `Message-ID` that tells the mails of a conversation apart. */
export type MailPart = 'open' | 'close' | { readonly key: string };

/** The `Message-ID` of one of our mails: the same on every attempt to send it. */
export function messageIdOf(token: string, part: MailPart, { domain }: CheckedSettings): string {
  return `<handoff-kit.${token}.${typeof part === 'string' ? part : digest(`message ${part.key}`)}@${domain}>`;
}

/** Marks our mails. Replies do not have it, and mails that a list or a forwarding rule sends back do. */
export const OWN_HEADER = 'X-Handoff-Kit-Conversation';

/** The token in the subject, for mail programs that drop the headers of a thread. */
export const subjectTag = (token: string): string => `[#${token}]`;

/** The address for replies to a conversation. */
export const replyAddressOf = (token: string, { replyAddress, address }: CheckedSettings): string =>
  replyAddress?.replace(TOKEN_PLACE, token) ?? address;

/** The headers that can name a conversation. */
export interface ThreadHeaders {
  readonly inReplyTo: string;
  readonly references: string;
  /** All addresses that the mail went to. */
  readonly recipients: readonly string[];
  readonly subject: string;
}

/** Creates the function that finds the conversation of a mail: by the thread, else the address, else the subject. */
export function createFindToken({ replyAddress }: CheckedSettings) {
  const address = replyAddress === null ? null : addressPattern(replyAddress);
  return ({ inReplyTo, references, recipients, subject }: ThreadHeaders): string | null => {
    const [answered] = tokensIn(inReplyTo);
    if (answered) return answered;
    // The last reference is the nearest.
    const referred = tokensIn(references).at(-1);
    if (referred) return referred;
    for (const recipient of address ? recipients : []) {
      const [, token] = address?.exec(recipient) ?? [];
      if (token) return token.toLowerCase();
    }
    // Ours is the last: what is before it can be words of the user.
    return [...subject.matchAll(SUBJECT_TAG)].at(-1)?.[1]?.toLowerCase() ?? null;
  };
}

const SUBJECT_TAG = /\[#([0-9a-z]{16})\]/gi;

/** A text of a user for a subject, without what looks like a token. */
export const withoutTags = (text: string): string => text.replace(SUBJECT_TAG, '[$1]');

/**
 * The token of the mail that a bounce returns, by its headers. They are above its text, in which the user can have
 * written anything, and begin in the first column, unlike the rest of a long subject.
 */
export function returnedToken(source: string): string | null {
  const [, id, conversation] = RETURNED.exec(source) ?? [];
  return id ?? conversation ?? null;
}

const RETURNED =
  /^(?:message-id:(?:[^\n]|\n[ \t]){0,100}?\bhandoff-kit\.([0-9a-z]{16})\.|x-handoff-kit-conversation:[ \t]*([0-9a-z]{16})\b)/im;

/** The tokens of our message ids in a text, in order. */
export function tokensIn(text: string): string[] {
  return [...text.matchAll(/\bhandoff-kit\.([0-9a-z]{16})\.[0-9a-z]{1,32}@/g)].flatMap(
    ([, token]) => token ?? [],
  );
}

function addressPattern(template: string): RegExp {
  const [before = '', after = ''] = template
    .split(TOKEN_PLACE)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${before}([0-9a-z]{16})${after}$`, 'i');
}

const digest = (text: string): string => shorten(createHash('sha256').update(text).digest('hex'));

/** 16 digits and letters. */
const shorten = (hex: string): string => BigInt(`0x${hex}`).toString(36).padStart(16, '0').slice(-16);
