import type { InboundEvent, MessageAuthor } from '../../bridge/index.js';
import { beginsWithMention, type Mentions, plainText } from './plain-text.js';
import { type Fields, fieldsOf, listOf, textOf } from './read.js';
import { richText } from './rich-text.js';
import type { Slack } from './settings.js';
import { externalIdOf, isTs } from './thread-ref.js';

/** Messages that say something. Other subtypes tell of changes, of deletions and of the channel itself. */
const SAYS_SOMETHING: ReadonlySet<unknown> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
  'bot_message',
]);

/** What an event of the Events API says: nothing, a message, an end, or both. */
export function messageEvents(envelope: Fields, slack: Slack): InboundEvent[] {
  const event = fieldsOf(envelope.event);
  const { channel } = slack;
  const ts = textOf(event.ts);
  const thread = textOf(event.thread_ts);
  if (event.type !== 'message' || event.channel !== channel || !SAYS_SOMETHING.has(event.subtype)) return [];
  // A message without a thread, or at the head of one, belongs to no conversation.
  if (!isTs(ts) || !isTs(thread) || thread === ts) return [];

  const author = authorOf(event, envelope, slack);
  const said = readWords(event, { own: ownUser(envelope), names: slack.names }, slack, author);
  // The time stamp, not the id of the event: it stays the same when Slack tells of a message twice over.
  const base = { externalId: externalIdOf({ channel, ts: thread }), author } as const;
  const id = `${channel}:${ts}`;
  return [
    ...(said.text === ''
      ? []
      : [{ ...base, kind: 'message', id, text: said.text, internal: said.internal, messageId: ts } as const]),
    ...(said.closes ? [{ ...base, kind: 'closed', id: `${id}:close` } as const] : []),
  ];
}

/** Our own app's messages are echoes; those of other apps and of Slackbot are nobody's words. */
function authorOf(event: Fields, envelope: Fields, { names }: Slack): MessageAuthor {
  const user = textOf(event.user);
  const app = event.app_id ?? fieldsOf(event.bot_profile).app_id;
  const isBot = textOf(event.bot_id) !== '' || event.subtype === 'bot_message';
  if (user !== '' && user === ownUser(envelope)) return { kind: 'self', name: null };
  if (isBot && app !== undefined && app === envelope.api_app_id) return { kind: 'self', name: null };
  if (isBot || user === '' || user === 'USLACKBOT') return { kind: 'system', name: null };
  return { kind: 'agent', name: names.get(user) ?? null };
}

/** The app's own user, as the envelope tells it. */
function ownUser({ authorizations }: Fields): string | null {
  const own = listOf(authorizations).find(({ is_bot }) => is_bot === true);
  const id = textOf(own?.user_id);
  return /^[A-Z0-9]+$/.test(id) ? id : null;
}

interface Words {
  readonly text: string;
  readonly internal: boolean;
  readonly closes: boolean;
}

function readWords(event: Fields, mentions: Mentions, slack: Slack, { kind }: MessageAuthor): Words {
  const raw = textOf(event.text);
  const decoded = plainText(raw, mentions).trim();
  const whole = (richText(event.blocks, mentions) ?? decoded).trim();
  const files = listOf(event.files).map(fileLine);
  const withFiles = (text: string): string => [text, ...files].filter((part) => part !== '').join('\n');
  if (kind !== 'agent') return { text: withFiles(whole), internal: false, closes: false };

  const { insidePrefix } = slack;
  // Either reading may hide the prefix behind a style; words that stay inside by mistake do less harm.
  const prefixed = whole.startsWith(insidePrefix) || decoded.startsWith(insidePrefix);
  if (prefixed || beginsWithMention(raw, mentions.own)) {
    return { text: withFiles(whole), internal: true, closes: false };
  }
  const rest = withoutCloseWord(whole, slack);
  return { text: withFiles(rest ?? whole), internal: false, closes: rest !== null };
}

/** The words before a close word at the end, or `null` where there is none. */
function withoutCloseWord(text: string, { closeWords }: Slack): string | null {
  const last = /\S+$/.exec(text)?.[0] ?? '';
  return closeWords.includes(last.toLowerCase()) ? text.slice(0, -last.length).trim() : null;
}

/** Users have no access to Slack's files: a link helps only where somebody made it public. */
function fileLine(file: Fields): string {
  const name = textOf(file.name) || textOf(file.title) || 'file';
  const link = file.public_url_shared === true ? textOf(file.permalink_public) : '';
  return link === '' ? `[${name}]` : `[${name}] ${link}`;
}
