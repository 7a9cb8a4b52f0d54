import {
  asObject,
  asObjects,
  type HandoffSession,
  type JsonObject,
  keyHash,
  sessionFacts,
  transcriptText,
} from '../../bridge/index.js';
import { escapedChunks, escapeText, POST_OPTIONS, truncate } from './outgoing-text.js';
import type { CheckedSettings } from './settings.js';

/** The action id of the close button, as it comes back when an agent clicks it. */
export const CLOSE_ACTION = 'handoff_close';

const HELP_BLOCK = 'handoff_help';
const BUTTON_BLOCK = 'handoff_actions';
const CLOSED_BLOCK = 'handoff_closed';
const METADATA_TYPE = 'handoff_opened';

/** Slack's limit for a section is 3,000 characters. */
const MAX_SECTION = 2_900;
/** All blocks of a message may have about 10,000 characters; Slack does not document the exact limit. */
const MAX_FIRST_MESSAGE = 8_000;

/** A text in Slack's markup. Callers escape what users wrote. */
const mrkdwn = (text: string): JsonObject => ({ type: 'mrkdwn', text, verbatim: true });

/** Small grey text. Texts of users never look like this. */
const contextBlock = (blockId: string, text: string): JsonObject => ({
  type: 'context',
  block_id: blockId,
  elements: [mrkdwn(text)],
});

/** The first message of a thread: the user, the transcript or its beginning, and the close button. */
export function rootMessage(session: HandoffSession, settings: CheckedSettings): JsonObject {
  const hash = keyHash(session);
  const transcript = transcriptWithin(session, MAX_FIRST_MESSAGE);
  return {
    channel: settings.channel,
    text: notificationText(session),
    blocks: [
      { type: 'section', text: mrkdwn(userText(session)) },
      ...escapedChunks(transcript, MAX_SECTION).map((chunk) => ({ type: 'section', text: mrkdwn(chunk) })),
      contextBlock(HELP_BLOCK, helpText(settings)),
      { type: 'actions', block_id: BUTTON_BLOCK, elements: [closeButton(hash)] },
    ],
    metadata: { event_type: METADATA_TYPE, event_payload: { session: hash } },
    ...POST_OPTIONS,
  };
}

/** As much of the transcript as fits once escaped: escaping can make a text five times as long. */
function transcriptWithin({ transcript }: HandoffSession, maxLength: number): string {
  let text = transcriptText(transcript, { maxLength });
  for (let length = maxLength; escapeText(text).length > maxLength; ) {
    length = Math.floor(length * 0.8);
    text = transcriptText(transcript, { maxLength: length });
  }
  return text;
}

function notificationText({ transcript, later = [] }: HandoffSession): string {
  const question = [...transcript, ...later].findLast(
    ({ from, text }) => from === 'user' && text.trim() !== '',
  );
  if (!question) return 'A customer asks for a human.';
  return `A customer asks for a human: ${escapeText(truncate(question.text, 150))}`;
}

function userText(session: HandoffSession): string {
  const lines = sessionFacts(session).map(([name, value]) => `${name}: ${escapeText(truncate(value, 130))}`);
  return ['*A customer asks for a human*', ...lines].join('\n');
}

function helpText({ insidePrefix, closeWords }: CheckedSettings): string {
  const closeHint = closeWords.map((word) => `\`${escapeText(word)}\``).join(' or ');
  const close =
    closeHint === ''
      ? 'The button closes the conversation.'
      : `The button, or ${closeHint} as the last word, closes the conversation.`;
  return `Reply in this thread. Messages that begin with \`${escapeText(insidePrefix)}\` are internal. ${close}`;
}

function closeButton(hash: string): JsonObject {
  const plain = (text: string): JsonObject => ({ type: 'plain_text', text });
  return {
    type: 'button',
    action_id: CLOSE_ACTION,
    text: plain('Close conversation'),
    value: hash,
    confirm: {
      title: plain('Close conversation?'),
      text: plain('The customer gets no more answers from here.'),
      confirm: plain('Close'),
      deny: plain('Back'),
    },
  };
}

/** Whether a message starts the thread of a session, by its metadata or the value of its button. */
export function isRootOf(message: JsonObject, hash: string): boolean {
  const metadata = asObject(message.metadata);
  if (metadata.event_type === METADATA_TYPE && asObject(metadata.event_payload).session === hash) return true;
  return buttonsOf(message).some(({ action_id, value }) => action_id === CLOSE_ACTION && value === hash);
}

/** Whether the first message of a thread still has its button. */
export const isOpenRoot = (message: JsonObject): boolean =>
  buttonsOf(message).some(({ action_id }) => action_id === CLOSE_ACTION);

const buttonsOf = ({ blocks }: JsonObject): readonly JsonObject[] =>
  asObjects(blocks).flatMap(({ elements }) => asObjects(elements));

/** The first message of a closed thread: without its button, and with the reason. */
export function closedRoot(message: JsonObject, reason: string): JsonObject {
  const kept = asObjects(message.blocks).filter(
    ({ block_id, type }) => block_id !== HELP_BLOCK && block_id !== BUTTON_BLOCK && type !== 'actions',
  );
  return {
    text: message.text,
    blocks: [...kept, contextBlock(CLOSED_BLOCK, closedText(reason))],
    ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
  };
}

/** The notice posted in the thread when it is closed. */
export function closedNotice(reason: string): JsonObject {
  return {
    text: `Closed: ${escapeText(truncate(reason, 300))}`,
    blocks: [contextBlock(CLOSED_BLOCK, closedText(reason))],
  };
}

/** Whether a message is a {@link closedNotice}. */
export const isClosedNotice = ({ blocks }: JsonObject): boolean =>
  asObjects(blocks).some(({ block_id }) => block_id === CLOSED_BLOCK);

const closedText = (reason: string): string => `*Closed:* ${escapeText(truncate(reason, 300))}`;
