import { z } from 'zod';
import { isRecord } from '../internal/index.js';
import {
  asList,
  id,
  isEmpty,
  isTime,
  istest,
  lines,
  nestedList,
  optionalId,
  optionalText,
  quantity,
  recordOr,
  time,
} from './primitives.js';

/** The fields that identify and route a bot's message. The receiver validates them before it answers. */
export interface BotMessageEnvelope {
  /** The developer's id for the user; `null` if the developer has not identified them. */
  user_id: string | null;
  /** The platform's id for an unidentified user. */
  anonymous_id: string | null;
  /** The bot's conversation. A handoff has another id. */
  conversation_id: string;
  /** Unique per message: the idempotency key of a redelivered webhook. `null` where the platform sends none. */
  message_id: string | null;
  /** When the bot answered, in the platform's unit; `toDate` reads it. */
  create_time: number | null;
  /** The elements of the answer, not normalised yet. */
  output: unknown[];
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/**
 * A bot's answer, the payload of a `message` event. Every field is present: a value that was not sent is
 * `null` or an empty list.
 *
 * @example
 * receiver.on('message', ({ payload }) => {
 *   const tokens = payload.usage.tokens.total_tokens;
 * });
 */
export interface BotMessage extends Omit<BotMessageEnvelope, 'output'> {
  /** The elements of the answer, in display order. `messageText` joins their text. */
  output: OutputItem[];
  /** Tokens and credits that the answer consumed. */
  usage: MessageUsage;
}

/** One element of a bot's answer, with its flow component. */
export interface OutputItem {
  from_component_branch: string | null;
  from_component_name: string | null;
  content: OutputContent;
}

/** The output of one component. Unknown content kinds are kept at run time. */
export interface OutputContent {
  text: string | null;
  /** Speech; may be empty. */
  audio: AudioClip[];
}

export interface AudioClip {
  /** The address of the audio file. */
  audio: string | null;
  /** The spoken words. */
  transcript: string | null;
}

/** Tokens and credits that an answer consumed. Missing figures are `null`. */
export interface MessageUsage {
  tokens: TokenUsage;
  credits: CreditUsage;
}

export interface TokenUsage {
  total_tokens: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  prompt_tokens_details: TokenDetails;
  completion_tokens_details: CompletionTokenDetails;
}

export interface TokenDetails {
  audio_tokens: number | null;
  text_tokens: number | null;
}

export interface CompletionTokenDetails extends TokenDetails {
  reasoning_tokens: number | null;
}

export interface CreditUsage {
  total_credits: number | null;
  text_input_credits: number | null;
  text_output_credits: number | null;
  audio_input_credits: number | null;
  audio_output_credits: number | null;
}

const audioClip: z.ZodType<AudioClip> = z.looseObject({ audio: optionalText, transcript: optionalText });

/** A string stands for `{ text }`, and a list for its parts. */
const mergeContent = (value: unknown): Record<string, unknown> => {
  if (!Array.isArray(value)) return recordOr('text')(value);
  const parts = value.map(recordOr('text'));
  const text = parts.flatMap((part) => asList(part.text));
  return Object.assign({}, ...parts, { text, audio: parts.flatMap(({ audio }) => asList(audio)) });
};

const outputContent: z.ZodType<OutputContent> = z.preprocess(
  mergeContent,
  z.looseObject({
    text: lines,
    audio: z.preprocess((value) => asList(value).map(recordOr('audio')), z.array(audioClip)),
  }),
);

/** An element may have its text beside its content. */
const readItem = (value: unknown): Record<string, unknown> => {
  const item = recordOr('content')(value);
  if (asList(item.text).length === 0) return item;
  const content = mergeContent(item.content);
  return {
    ...item,
    content: { ...content, text: asList(content.text).length > 0 ? content.text : item.text },
  };
};

const outputItem: z.ZodType<OutputItem> = z.preprocess(
  readItem,
  z.looseObject({
    from_component_branch: optionalText,
    from_component_name: optionalText,
    content: outputContent,
  }),
);

const promptTokens = z.looseObject({ audio_tokens: quantity, text_tokens: quantity });
const completionTokens = z.looseObject({
  reasoning_tokens: quantity,
  audio_tokens: quantity,
  text_tokens: quantity,
});

/** The platform documents `tokens` as an array and sends an object; handlers always see an object. */
const mergeTokens = (value: unknown): unknown => {
  if (!Array.isArray(value)) return recordOr('total_tokens')(value);
  return Object.fromEntries(value.filter(isRecord).flatMap((part) => Object.entries(part)));
};

const tokenUsage: z.ZodType<TokenUsage> = z.preprocess(
  mergeTokens,
  z.looseObject({
    total_tokens: quantity,
    prompt_tokens: quantity,
    completion_tokens: quantity,
    prompt_tokens_details: z.preprocess(recordOr('value'), promptTokens),
    completion_tokens_details: z.preprocess(recordOr('value'), completionTokens),
  }),
);

const creditUsage: z.ZodType<CreditUsage> = z.preprocess(
  recordOr('total_credits'),
  z.looseObject({
    total_credits: quantity,
    text_input_credits: quantity,
    text_output_credits: quantity,
    audio_input_credits: quantity,
    audio_output_credits: quantity,
  }),
);

const messageUsage: z.ZodType<MessageUsage> = z.preprocess(
  recordOr('value'),
  z.looseObject({ tokens: tokenUsage, credits: creditUsage }),
);

const envelope = z.looseObject({
  user_id: optionalId,
  anonymous_id: optionalId,
  conversation_id: id,
  message_id: z.preprocess((value) => (isEmpty(value) ? null : value), id.nullable()),
  create_time: time,
  output: z.preprocess(asList, z.array(z.unknown())),
  istest,
});

/**
 * Strict about the fields that identify and route a message. `normaliseMessage` normalises the rest when a handler first
 * reads the payload.
 */
export const botMessageEnvelope: z.ZodType<BotMessageEnvelope> = envelope;

/** Accepts every body that {@link botMessageEnvelope} accepts. */
export const botMessage: z.ZodType<BotMessage> = envelope.extend({
  output: z.preprocess(nestedList, z.array(outputItem)),
  usage: messageUsage,
});

const isIdOrNull = (value: unknown): boolean => value === null || (typeof value === 'string' && value !== '');

/**
 * Whether {@link botMessageEnvelope} would return a body unchanged: true for nearly every message, at a fraction of the
 * schema's cost. A property test compares the two.
 */
export function isNormalEnvelope(body: unknown): body is BotMessageEnvelope {
  if (!isRecord(body) || Object.hasOwn(body, '__proto__')) return false;
  const { conversation_id, message_id, create_time, istest: test } = body;
  return (
    typeof conversation_id === 'string' &&
    conversation_id !== '' &&
    isIdOrNull(message_id) &&
    isIdOrNull(body.user_id) &&
    isIdOrNull(body.anonymous_id) &&
    isTime(create_time) &&
    Array.isArray(body.output) &&
    (test === undefined || typeof test === 'boolean')
  );
}

/**
 * Joins all text of an answer, one line per element. An element without text contributes its speech transcript.
 *
 * @example
 * messageText(payload) // 'Your order arrives on Thursday.'
 */
export function messageText(message: Pick<BotMessage, 'output'>): string {
  return message.output
    .map(({ content }) => content.text || content.audio.map((clip) => clip.transcript ?? '').join('\n'))
    .filter((text) => text !== '')
    .join('\n');
}

/** Collects all speech of an answer, in order. */
export function messageAudio(message: Pick<BotMessage, 'output'>): AudioClip[] {
  return message.output.flatMap(({ content }) => content.audio);
}

/** Unknown content kinds, each once. */
export function unknownContentKinds(message: Pick<BotMessage, 'output'>): string[] {
  const unknown = new Set<string>();
  for (const { content } of message.output) {
    for (const kind in content) if (kind !== 'text' && kind !== 'audio') unknown.add(kind);
  }
  return [...unknown];
}

/**
 * Whether a body has the deprecated message format (V1): no `output`, the text in `text` or `flow_output`. Only
 * the owner of the bot can switch it to the current format.
 */
export function isOldMessageFormat(body: unknown): boolean {
  if (!isRecord(body) || (body.output !== undefined && body.output !== null)) return false;
  return [body.flow_output, body.text, body.message_type].some((field) => field !== undefined);
}

/** Schema of a receiver's answer to the message webhook. */
export const messageAnswer = z.looseObject({ code: z.int(), msg: z.string() });
