import { z } from 'zod';
import { id, istest, LATEST_TIME, optionalId, quantity, time } from './primitives.js';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands where an object should be is kept in it: a plain value as `field`, anything else as `value`. */
const recordOr = (field: string) => (value: unknown) => {
  if (isRecord(value)) return value;
  if (value === null || value === undefined) return {};
  return { [typeof value === 'object' ? 'value' : field]: value };
};

const asList = (value: unknown): unknown[] => {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
};

const looseText = z
  .union([z.string(), z.number().transform(String), z.boolean().transform(String)])
  .nullable()
  .default(null)
  .catch(null);

/** A piece of speech in an agent's answer. */
export const audioClip = z.looseObject({
  /** Address of the audio. */
  audio: looseText,
  /** What is said in it. */
  transcript: looseText,
});

/** What one component of an agent says. Kinds the contract does not know yet are kept as they came. */
export const outputContent = z.preprocess(
  recordOr('text'),
  z.looseObject({
    text: looseText,
    audio: z.preprocess((value) => asList(value).map(recordOr('audio')), z.array(audioClip)),
  }),
);

/** One element of an agent's answer, with the component of the flow it came from. */
export const outputItem = z.preprocess(
  recordOr('content'),
  z.looseObject({
    from_component_branch: looseText,
    from_component_name: looseText,
    content: outputContent,
  }),
);

const tokenDetails = z.preprocess(
  recordOr('value'),
  z.looseObject({ reasoning_tokens: quantity, audio_tokens: quantity, text_tokens: quantity }),
);

/** The contract lists `tokens` as an array and sends an object; both are one object to a handler. */
const mergeTokens = (value: unknown): unknown => {
  if (!Array.isArray(value)) return recordOr('total_tokens')(value);
  return Object.fromEntries(value.filter(isRecord).flatMap((part) => Object.entries(part)));
};

/** Tokens consumed by a conversation. A figure that was not sent is `null`. */
export const tokenUsage = z.preprocess(
  mergeTokens,
  z.looseObject({
    total_tokens: quantity,
    prompt_tokens: quantity,
    completion_tokens: quantity,
    prompt_tokens_details: tokenDetails,
    completion_tokens_details: tokenDetails,
  }),
);

/** Credits consumed. A figure that was not sent is `null`. */
export const creditUsage = z.preprocess(
  recordOr('total_credits'),
  z.looseObject({
    total_credits: quantity,
    text_input_credits: quantity,
    text_output_credits: quantity,
    audio_input_credits: quantity,
    audio_output_credits: quantity,
  }),
);

/** What an answer consumed. */
export const usage = z.preprocess(
  recordOr('value'),
  z.looseObject({ tokens: tokenUsage, credits: creditUsage }),
);

/**
 * The strict part of an agent's message: what identifies and routes it. The receiver holds a request against
 * this before it answers; the rest is normalised by {@link agentMessage} when a handler first looks at it.
 */
export const agentMessageEnvelope = z.looseObject({
  user_id: optionalId,
  anonymous_id: optionalId,
  conversation_id: id,
  message_id: id,
  create_time: time,
  output: z.array(z.unknown()).nullable().default([]),
  istest,
});

const isIdOrNull = (value: unknown): boolean => value === null || (typeof value === 'string' && value !== '');

/**
 * Whether a body already is what {@link agentMessageEnvelope} would make of it. Nearly every message is, and to
 * see that costs a fraction of what validating does; a property test holds the two together.
 */
export function isNormalEnvelope(body: unknown): body is z.output<typeof agentMessageEnvelope> {
  if (!isRecord(body) || Object.hasOwn(body, '__proto__')) return false;
  const { conversation_id, message_id, create_time, istest: test } = body;
  return (
    typeof conversation_id === 'string' &&
    conversation_id !== '' &&
    typeof message_id === 'string' &&
    message_id !== '' &&
    isIdOrNull(body.user_id) &&
    isIdOrNull(body.anonymous_id) &&
    typeof create_time === 'number' &&
    create_time >= 0 &&
    create_time <= LATEST_TIME &&
    Array.isArray(body.output) &&
    (test === undefined || typeof test === 'boolean')
  );
}

/**
 * An agent's answer as the message webhook receives it (2.5), in one normalised shape.
 * Every body that passes {@link agentMessageEnvelope} passes this too.
 */
export const agentMessage = agentMessageEnvelope.extend({
  output: z.preprocess(asList, z.array(outputItem)),
  usage,
});

/** An agent's answer, normalised: see {@link agentMessage}. */
export type AgentMessage = z.output<typeof agentMessage>;
/** One element of an agent's answer. */
export type OutputItem = z.output<typeof outputItem>;
/** A piece of speech in an agent's answer. */
export type AudioClip = z.output<typeof audioClip>;

/** The kinds of content the contract names. */
const KNOWN_CONTENT: ReadonlySet<string> = new Set(['text', 'audio']);

/** All text of an answer, one line an element. Speech counts with its transcript where there is no text. */
export function messageText(message: Pick<AgentMessage, 'output'>): string {
  return message.output
    .map(({ content }) => content.text || content.audio.map((clip) => clip.transcript ?? '').join('\n'))
    .filter((text) => text !== '')
    .join('\n');
}

/** All speech of an answer. */
export function messageAudio(message: Pick<AgentMessage, 'output'>): AudioClip[] {
  return message.output.flatMap(({ content }) => content.audio);
}

/** Kinds of content that the contract does not know, each once. */
export function unknownContentKinds(message: Pick<AgentMessage, 'output'>): string[] {
  const kinds = message.output.flatMap(({ content }) => Object.keys(content));
  return [...new Set(kinds)].filter((kind) => !KNOWN_CONTENT.has(kind));
}

/**
 * The deprecated message format (V1) has no `output`; its text lies in `text` or `flow_output`. An agent that
 * sends it is set to the old version, and only its owner can change that.
 */
export function isOldMessageFormat(body: unknown): boolean {
  if (!isRecord(body) || body.output !== undefined) return false;
  return body.flow_output !== undefined || (body.message_type !== undefined && body.text !== undefined);
}
