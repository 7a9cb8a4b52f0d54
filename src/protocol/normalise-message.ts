import { isRecord } from '../internal/index.js';
import {
  type AudioClip,
  type BotMessage,
  type BotMessageEnvelope,
  botMessage,
  type CompletionTokenDetails,
  type CreditUsage,
  isNormalEnvelope,
  type MessageUsage,
  type OutputContent,
  type OutputItem,
  type TokenDetails,
  type TokenUsage,
} from './message.js';

/** Builds the payload of a `message` event: the `botMessage` schema's result at a quarter of its cost. */
export function normaliseMessage(body: BotMessageEnvelope): BotMessage {
  return normaliseOrdinaryMessage(body) ?? botMessage.parse(body);
}

/**
 * Normalises a body whose fields have the documented types, or are absent or `null`. Returns `null` for any other body,
 * which the schema must read. A property test compares the result with the schema's.
 *
 * Objects are literals because V8 moves zod's objects to the old generation, which costs more than building them.
 */
export function normaliseOrdinaryMessage(body: unknown): BotMessage | null {
  if (!isNormalEnvelope(body)) return null;
  const { user_id, anonymous_id, conversation_id, message_id, create_time } = body;
  const output = readList(body.output, readOutputItem);
  const usage = readUsage('usage' in body ? body.usage : null);
  if (output === null || usage === null) return null;
  // Two literals, because a spread costs 1.5 µs on Node 20 and an absent `istest` must stay absent.
  const { istest } = body;
  const message: BotMessage =
    'istest' in body
      ? { user_id, anonymous_id, conversation_id, message_id, create_time, output, istest, usage }
      : { user_id, anonymous_id, conversation_id, message_id, create_time, output, usage };
  return keepUnknownFields(body, message);
}

type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};

/** Reads a value, or returns `null`: then the schema must read the body. */
type Read<Value> = (value: unknown) => Value | null;

/** Reads an object by its known fields, and keeps the others. An absent object is read as an empty one. */
function reader<Known extends object>(readKnown: (sent: Fields) => Known | null): Read<Known> {
  return (value) => {
    const sent = value === null || value === undefined ? NO_FIELDS : value;
    const known = isRecord(sent) ? readKnown(sent) : null;
    return known && keepUnknownFields(sent, known);
  };
}

/** Copies unknown fields after the known ones, as zod does. zod drops `__proto__`. */
function keepUnknownFields<Known extends object>(sent: object, known: Known): Known | null {
  for (const name in sent) {
    if (Object.hasOwn(known, name)) continue;
    if (name === '__proto__') return null;
    (known as Record<string, unknown>)[name] = (sent as Fields)[name];
  }
  return known;
}

function readList<Item>(value: unknown, readItem: Read<Item>): Item[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const items: Item[] = [];
  for (const each of value) {
    const item = readItem(each);
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

/** Not finite: `JSON.parse` reads 1e999 as `Infinity`, which the schema turns into `null`. */
const isFigure = (value: unknown): value is number | null => value === null || Number.isFinite(value);

const readClip = reader<AudioClip>(({ audio = null, transcript = null }) =>
  isText(audio) && isText(transcript) ? { audio, transcript } : null,
);

const readContent = reader<OutputContent>(({ text = null, audio: clips }) => {
  const audio = readList(clips, readClip);
  return audio && isText(text) ? { text, audio } : null;
});

const readOutputItem = reader<OutputItem>((sent) => {
  if ('text' in sent) return null;
  const { from_component_branch = null, from_component_name = null } = sent;
  const content = readContent(sent.content);
  return content && isText(from_component_branch) && isText(from_component_name)
    ? { from_component_branch, from_component_name, content }
    : null;
});

const readPromptTokens = reader<TokenDetails>(({ audio_tokens = null, text_tokens = null }) =>
  isFigure(audio_tokens) && isFigure(text_tokens) ? { audio_tokens, text_tokens } : null,
);

const readCompletionTokens = reader<CompletionTokenDetails>(
  ({ reasoning_tokens = null, audio_tokens = null, text_tokens = null }) =>
    isFigure(reasoning_tokens) && isFigure(audio_tokens) && isFigure(text_tokens)
      ? { reasoning_tokens, audio_tokens, text_tokens }
      : null,
);

const readTokens = reader<TokenUsage>((sent) => {
  const { total_tokens = null, prompt_tokens = null, completion_tokens = null } = sent;
  const prompt_tokens_details = readPromptTokens(sent.prompt_tokens_details);
  const completion_tokens_details = readCompletionTokens(sent.completion_tokens_details);
  if (!prompt_tokens_details || !completion_tokens_details) return null;
  return isFigure(total_tokens) && isFigure(prompt_tokens) && isFigure(completion_tokens)
    ? { total_tokens, prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details }
    : null;
});

const readCredits = reader<CreditUsage>((sent) => {
  const { total_credits = null, text_input_credits = null, text_output_credits = null } = sent;
  const { audio_input_credits = null, audio_output_credits = null } = sent;
  if (!isFigure(total_credits) || !isFigure(text_input_credits) || !isFigure(text_output_credits))
    return null;
  return isFigure(audio_input_credits) && isFigure(audio_output_credits)
    ? { total_credits, text_input_credits, text_output_credits, audio_input_credits, audio_output_credits }
    : null;
});

const readUsage = reader<MessageUsage>((sent) => {
  const tokens = readTokens(sent.tokens);
  const credits = readCredits(sent.credits);
  return tokens && credits ? { tokens, credits } : null;
});
