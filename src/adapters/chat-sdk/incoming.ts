import { createHash } from 'node:crypto';
import {
  type HandoffSession,
  type InboundEvent,
  type MessageAuthor,
  readAgentMessage,
} from '../../bridge/index.js';
import { attachmentLine, textOf } from './plain-text.js';
import type { Platform } from './platform.js';
import type { SdkMessage } from './sdk.js';
import type { CheckedSettings } from './settings.js';

/** Translates a message of the SDK into a message, a close, both or nothing. */
export function eventsOf(message: SdkMessage, settings: CheckedSettings, platform: Platform): InboundEvent[] {
  const { threadId, metadata } = message;
  // The user has read the first version already.
  if (metadata.edited || !platform.isInChannel(threadId)) return [];
  const typed = withoutOwnMention(textOf(message, platform.name), settings);
  const { reference, text } = platform.hasThreads
    ? { reference: null, text: typed }
    : readReference(typed, message.replyTo?.text);
  if (!platform.hasThreads && reference === null) return [];

  const externalId =
    reference === null ? platform.idOf(threadId) : referencedId(platform, settings.channel, reference);
  const author = authorOf(message);
  const content =
    author.kind === 'agent' ? readAgentMessage(text, settings) : { text, internal: false, closes: false };
  const files = message.attachments.map((file) => attachmentLine(file, platform.name));
  const shown = [content.text, ...files].filter((part) => part !== '').join('\n');
  const base = { externalId, author } as const;
  const id = `${externalId} ${message.id}`;
  return [
    ...(shown === ''
      ? []
      : [
          {
            ...base,
            kind: 'message',
            id,
            text: shown,
            internal: content.internal,
            messageId: message.id,
          } as const,
        ]),
    ...(content.closes ? [{ ...base, kind: 'closed', id: `${id} close` } as const] : []),
  ];
}

/** A mention of the bot is how agents make Teams and others deliver a message; it is not meant for the user. */
function withoutOwnMention(text: string, { adapter }: CheckedSettings): string {
  const names = [adapter.userName, adapter.botUserId].filter((name) => name !== undefined && name !== '');
  for (const name of names) {
    const mention = `@${name}`;
    const next = text.charAt(mention.length);
    if (text.toLowerCase().startsWith(mention.toLowerCase()) && !/[\p{L}\p{N}\p{M}_]/u.test(next)) {
      return text.slice(mention.length).trim();
    }
  }
  return text;
}

function authorOf({ author }: SdkMessage): MessageAuthor {
  if (author.isMe) return { kind: 'self', name: null };
  if (author.isBot === true || author.isSystem === true) return { kind: 'system', name: null };
  const name = [author.fullName, author.userName].find((each) => each !== '' && each !== 'unknown');
  return { kind: 'agent', name: name ?? null };
}

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
