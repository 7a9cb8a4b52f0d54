import { createHash } from 'node:crypto';
import { type HandoffSession, transcriptText } from '../../bridge/index.js';
import { AS_IT_IS, clip, escapedPieces, escapeText } from './outgoing-text.js';
import { type Fields, fieldsOf, listOf } from './read.js';
import type { Slack } from './settings.js';

/** The button's name in what Slack sends when somebody presses it. */
export const CLOSE_ACTION = 'handoff_close';

const HELP_BLOCK = 'handoff_help';
const BUTTON_BLOCK = 'handoff_actions';
const OPENED = 'handoff_opened';

/** The longest text of one section is 3,000 characters. */
const SECTION = 2_900;
/** All blocks of a message together may have about 10,000 characters; Slack does not say how many exactly. */
const FIRST_MESSAGE = 6_500;
/** A text without blocks may have 40,000. */
const WHOLE_TEXT = 38_000;

/** What `find` looks for: the session's key in a form of fixed length. */
export const markOf = (session: Pick<HandoffSession, 'key'>): string =>
  createHash('sha256').update(session.key).digest('hex');

/** A text in Slack's own markup. It is trusted: what users wrote is escaped before it gets here. */
const markup = (text: string): Fields => ({ type: 'mrkdwn', text, verbatim: true });

/** Small grey words, which users' words never are. */
const context = (blockId: string, text: string): Fields => ({
  type: 'context',
  block_id: blockId,
  elements: [markup(text)],
});

/** The first message of a thread: who asks, what was said last, and the button that ends it. */
export function rootMessage(session: HandoffSession, slack: Slack): Fields {
  const mark = markOf(session);
  const shown = transcriptWithin(session, FIRST_MESSAGE);
  return {
    channel: slack.channel,
    text: summaryOf(session),
    blocks: [
      { type: 'section', text: markup(whoOf(session)) },
      ...escapedPieces(shown, SECTION).map((piece) => ({ type: 'section', text: markup(piece) })),
      context(HELP_BLOCK, helpOf(slack)),
      { type: 'actions', block_id: BUTTON_BLOCK, elements: [closeButton(mark)] },
    ],
    metadata: { event_type: OPENED, event_payload: { session: mark } },
    ...AS_IT_IS,
  };
}

/** The end of the transcript, as much as fits: escapes can make a text five times as long. */
function transcriptWithin({ transcript }: HandoffSession, most: number): string {
  let text = transcriptText(transcript, { maxLength: most });
  for (let length = most; escapeText(text).length > most; ) {
    length = Math.floor(length * 0.8);
    text = transcriptText(transcript, { maxLength: length });
  }
  return text;
}

/** The whole transcript for the thread, where the first message shows but its end; else `null`. */
export function longTranscript(session: HandoffSession): string | null {
  if (transcriptText(session.transcript) === transcriptWithin(session, FIRST_MESSAGE)) return null;
  return escapeText(transcriptWithin(session, WHOLE_TEXT));
}

function summaryOf({ transcript }: HandoffSession): string {
  const question = transcript.findLast(({ from, text }) => from === 'user' && text.trim() !== '');
  if (!question) return 'A customer asks for a human.';
  return `A customer asks for a human: ${escapeText(clip(question.text, 150))}`;
}

function whoOf({ user, conversationId }: HandoffSession): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ['User', user.userId ?? user.anonymousId],
    ['E-mail', user.email],
    ['Phone', user.phone],
    ['Conversation', conversationId],
  ];
  return [
    '*A customer asks for a human*',
    ...lines.flatMap(([name, value]) => (value ? [`${name}: ${escapeText(clip(value, 130))}`] : [])),
  ].join('\n');
}

function helpOf({ insidePrefix, closeWords }: Slack): string {
  const words = closeWords.map((word) => `\`${escapeText(word)}\``).join(' or ');
  const close = words === '' ? 'The button ends it.' : `The button, or ${words} as the last word, ends it.`;
  return `Answer in this thread. What begins with \`${escapeText(insidePrefix)}\` stays among you. ${close}`;
}

function closeButton(mark: string): Fields {
  const plain = (text: string): Fields => ({ type: 'plain_text', text });
  return {
    type: 'button',
    action_id: CLOSE_ACTION,
    text: plain('Close conversation'),
    value: mark,
    confirm: {
      title: plain('Close conversation?'),
      text: plain('The customer gets no more answers from here.'),
      confirm: plain('Close'),
      deny: plain('Back'),
    },
  };
}

/** Whether a message is the first one of a session's thread: by its metadata, or by the value of its button. */
export function isRootOf(message: Fields, mark: string): boolean {
  const metadata = fieldsOf(message.metadata);
  if (metadata.event_type === OPENED && fieldsOf(metadata.event_payload).session === mark) return true;
  return buttonsOf(message).some(({ action_id, value }) => action_id === CLOSE_ACTION && value === mark);
}

/** Whether a first message still has its button. */
export const isOpenRoot = (message: Fields): boolean =>
  buttonsOf(message).some(({ action_id }) => action_id === CLOSE_ACTION);

const buttonsOf = ({ blocks }: Fields): readonly Fields[] =>
  listOf(blocks).flatMap(({ elements }) => listOf(elements));

/** A first message as it looks once the conversation is over: without its button, and with the reason. */
export function closedRoot(message: Fields, reason: string): Fields {
  const kept = listOf(message.blocks).filter(
    ({ block_id, type }) => block_id !== HELP_BLOCK && block_id !== BUTTON_BLOCK && type !== 'actions',
  );
  return {
    text: message.text,
    blocks: [...kept, context('handoff_closed', closedText(reason))],
    ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
  };
}

/** What the thread is told of the end. */
export function closedNotice(reason: string): Fields {
  return {
    text: `Closed: ${escapeText(clip(reason, 300))}`,
    blocks: [context('handoff_closed', closedText(reason))],
  };
}

const closedText = (reason: string): string => `*Closed:* ${escapeText(clip(reason, 300))}`;
