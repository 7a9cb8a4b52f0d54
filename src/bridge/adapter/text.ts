import { createHash } from 'node:crypto';
import type { TranscriptItem } from '../../events/index.js';
import type {
  HandoffSession,
  InboundMessage,
  UndeliveredMessage,
  UndeliveredReason,
} from './adapter-types.js';

/**
 * Replaces what helpdesks fail at: U+0000, which PostgreSQL cannot store, and lone surrogates, which are not Unicode.
 * They are not removed, so that two ids do not become one.
 */
export const sendable = (text: string): string =>
  text.replaceAll('\0', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd');

/**
 * Places to split a text, best first. A break in the first half is skipped (`leastFilled`): a lesser break further
 * on wastes less of the message.
 */
const BREAKS: readonly { readonly at: RegExp; readonly leastFilled: number }[] = [
  { at: /\n\s*\n/g, leastFilled: 0.5 },
  { at: /\n/g, leastFilled: 0.5 },
  { at: /\s+/g, leastFilled: 0 },
];

/** Created on first use: few texts need it, and creating one is slow. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Splits a text into parts of at most `maxLength`: between paragraphs, else lines, else words, else graphemes. A
 * grapheme is cut only when it is longer than `maxLength` on its own, and a surrogate pair only when `maxLength` is 1.
 */
export function splitText(text: string, maxLength: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxLength) {
    const { end, next } = cutOf(rest, maxLength);
    parts.push(rest.slice(0, end));
    rest = rest.slice(next);
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts;
}

interface Cut {
  /** End of this part. */
  readonly end: number;
  /** Start of the next part. White space at the cut belongs to neither. */
  readonly next: number;
}

function cutOf(text: string, maxLength: number): Cut {
  // One character more than fits, to see white space right after the last one that does.
  const window = text.slice(0, maxLength + 1);
  for (const { at, leastFilled } of BREAKS) {
    const last = [...window.matchAll(at)].findLast(({ index }) => index <= maxLength);
    if (!last || last.index === 0 || last.index < maxLength * leastFilled) continue;
    const whitespace = /^\s*/.exec(text.slice(last.index))?.[0].length ?? 0;
    return { end: last.index, next: last.index + whitespace };
  }
  const end = graphemeEnd(text, maxLength);
  return { end, next: end };
}

/** End of the last whole grapheme that fits. */
function graphemeEnd(text: string, maxLength: number): number {
  // Wider than maxLength, because a grapheme can extend past it.
  const window = text.slice(0, maxLength + 64);
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of graphemes.segment(window)) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  if (end > 0) return end;
  const splitsPair = maxLength > 1 && /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1));
  return splitsPair ? maxLength - 1 : maxLength;
}

export interface TranscriptTextOptions {
  /** The name before each item. Default `Customer`, `AI` and `Note`. */
  readonly names?: Readonly<Record<TranscriptItem['from'], string>>;
  /** The longest result, in characters. The oldest items are dropped first. */
  readonly maxLength?: number;
}

const NAMES = { user: 'Customer', bot: 'AI', other: 'Note' } as const;
const OMITTED = '[earlier messages were left out]';

/**
 * Formats a transcript as plain text, one paragraph per item. Items without text are skipped.
 *
 * @example
 * const text = transcriptText(session.transcript, { maxLength: 2_000 });
 * // Customer: Where is my parcel?
 * //
 * // AI: I do not know. Shall I ask a human?
 */
export function transcriptText(
  transcript: readonly TranscriptItem[],
  { names = NAMES, maxLength = Number.POSITIVE_INFINITY }: TranscriptTextOptions = {},
): string {
  const lines = transcript
    .filter(({ text }) => text.trim() !== '')
    .map(({ from, text }) => `${names[from]}: ${text}`);
  const whole = lines.join('\n\n');
  if (whole.length <= maxLength) return whole;
  const kept: string[] = [];
  let room = maxLength - OMITTED.length;
  for (const line of lines.toReversed()) {
    room -= line.length + 2;
    if (room < 0) break;
    kept.unshift(line);
  }
  const last = lines.at(-1) ?? '';
  // A single item can be too long; its end is the most useful part.
  if (kept.length === 0) kept.push(last.slice(-Math.max(0, maxLength - OMITTED.length - 2)));
  return [OMITTED, ...kept].join('\n\n').slice(0, maxLength);
}

/** A transcript: what `open` gets, and what the bridge sends after it. */
export interface DividedTranscript {
  readonly opening: readonly TranscriptItem[];
  readonly later: readonly TranscriptItem[];
}

/** Left of one half of a message, for headings and a reference. */
const HEADINGS = 100;
/** A helpdesk with shorter messages than twice this has another place for the first one. */
const MIN_OPENING = 300;

/**
 * Divides a transcript between two items, so that the first part fits into a half of a message. The other half is for
 * the user and the route.
 */
export function divideTranscript(
  transcript: readonly TranscriptItem[],
  maxTextLength: number,
): DividedTranscript {
  let room = Math.max(MIN_OPENING, Math.floor(maxTextLength / 2) - HEADINGS);
  const end = transcript.findIndex(({ from, text }) => {
    if (text.trim() !== '') room -= NAMES[from].length + text.length + 4;
    return room < 0;
  });
  if (end === -1) return { opening: transcript, later: [] };
  return { opening: transcript.slice(0, end), later: transcript.slice(end) };
}

const CONTINUED = '[handoff] Said before, continued:\n\n';

/** The rest of a divided transcript, as messages. */
export function transcriptParts(later: readonly TranscriptItem[], maxTextLength: number): readonly string[] {
  const heading = maxTextLength > 4 * CONTINUED.length ? CONTINUED : '';
  return splitText(transcriptText(later), maxTextLength - heading.length)
    .filter((part) => part.trim() !== '')
    .map((part) => `${heading}${part}`);
}

/** The text of a message, followed by a line for each of its files. */
export function textWithAttachments({
  text,
  attachments = [],
}: Pick<InboundMessage, 'text' | 'attachments'>): string {
  const lines = attachments.map(({ name, url }) => (url === null ? `[${name}]` : `[${name}] ${url}`));
  return (text.trim() === '' ? lines : [text, ...lines]).join('\n');
}

/** Longer replies are cut in a note. */
const MAX_QUOTED = 200;

/**
 * A note for agents about a reply that the user does not get, for helpdesks that have no mark for it.
 *
 * @example
 * async undelivered({ externalId }, message, reason, call) {
 *   const json = { note: undeliveredNote(message, reason) };
 *   await http({ method: 'POST', path: `/cases/${externalId}/notes`, json }, call);
 * }
 */
export function undeliveredNote({ text }: UndeliveredMessage, reason: UndeliveredReason): string {
  const quoted = text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
  return `(This reply did not reach the user: "${quoted}" ${reason.text})`;
}

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

const TRANSCRIPT_HEADING = '\n\nSaid before:\n\n';

/**
 * The first message of a conversation, for helpdesks that show agents one text: the user, the route and the transcript.
 * The bridge sends what does not fit into `session.transcript` as messages after it.
 *
 * @example
 * const text = sessionText(session, { maxLength: 10_000 });
 * // [handoff] This user asks for a human.
 * // User: ada
 * //
 * // Said before:
 * //
 * // Customer: Where is my parcel?
 */
export function sessionText(
  session: Pick<HandoffSession, 'user' | 'botId' | 'transcript' | 'route'>,
  { maxLength }: { readonly maxLength: number },
): string {
  const { user, botId, transcript } = session;
  const facts = [
    ['User', user.userId],
    ['Anonymous user', user.anonymousId],
    ['E-mail', user.email],
    ['Phone', user.phone],
    ['Bot', botId],
    ...routeFacts(session),
  ]
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value}`);
  const head = ['[handoff] This user asks for a human.', ...facts].join('\n').slice(0, maxLength / 2);
  const before = transcriptText(transcript, {
    maxLength: maxLength - head.length - TRANSCRIPT_HEADING.length,
  });
  return before === '' ? head : `${head}${TRANSCRIPT_HEADING}${before}`;
}

/** The route of a session as lines for agents. */
export function routeFacts({ route }: Pick<HandoffSession, 'route'>): readonly (readonly [string, string])[] {
  const { tags = [], priority = '', department = '' } = route ?? {};
  const facts = [
    ['Department', department],
    ['Priority', priority],
    ['Tags', tags.join(', ')],
  ] as const;
  return facts.filter(([, value]) => value !== '');
}

/** The user, the conversation and its route as lines for agents. */
export function sessionFacts(
  session: Pick<HandoffSession, 'user' | 'conversationId' | 'route'>,
): readonly (readonly [string, string])[] {
  const { user, conversationId } = session;
  const facts = [
    ['User', user.userId ?? user.anonymousId ?? ''],
    ['E-mail', user.email ?? ''],
    ['Phone', user.phone ?? ''],
    ['Conversation', conversationId],
  ] as const;
  return [...facts.filter(([, value]) => value !== ''), ...routeFacts(session)];
}
