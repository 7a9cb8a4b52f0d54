import { randomUUID } from 'node:crypto';

/** The user of a simulated conversation. */
export interface SimulatedUser {
  userId?: string | null;
  anonymousId?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** One line of the transcript that is sent with a handoff request. */
export interface TranscriptItem {
  text: string;
  message_type: 'QUESTION' | 'ANSWER' | (string & {});
}

/** A bot's answer to a user. */
export interface BotMessageInput {
  /** The text of a single output element. Use `output` for other shapes. */
  text?: string;
  /** The output elements in wire format. */
  output?: readonly object[];
  userId?: string | null;
  anonymousId?: string | null;
  /** The id of the bot conversation. Default: a new id. */
  conversationId?: string;
  /** Default: a new id. */
  messageId?: string;
}

/** Four characters count as a token; the exact figures do not matter. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);
const CREDITS_PER_TOKEN = 0.001;

/** The body of a bot's answer for the message webhook. `create_time` is in seconds, as in deployments. */
export function botMessageBody(input: BotMessageInput, now: number) {
  const text = input.text ?? '';
  const output = input.output ?? [
    { from_component_branch: null, from_component_name: 'Answer', content: { text } },
  ];
  const tokens = tokensOf(text);
  return {
    user_id: input.userId ?? null,
    anonymous_id: input.anonymousId ?? null,
    conversation_id: input.conversationId ?? newId('bot'),
    message_id: input.messageId ?? newId('message'),
    create_time: Math.floor(now / 1000),
    output,
    usage: {
      tokens: {
        total_tokens: tokens,
        prompt_tokens: 0,
        completion_tokens: tokens,
        prompt_tokens_details: { audio_tokens: 0, text_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, text_tokens: tokens },
      },
      credits: {
        total_credits: tokens * CREDITS_PER_TOKEN,
        text_input_credits: 0,
        text_output_credits: tokens * CREDITS_PER_TOKEN,
        audio_input_credits: 0,
        audio_output_credits: 0,
      },
    },
  };
}

/** The body of an availability test: the standard message format with `istest: true`. */
export function probeBody(now: number) {
  return { ...botMessageBody({ text: 'availability test' }, now), istest: true };
}

/** The body of `POST /conversation/establish`. */
export function establishBody(input: {
  conversationId: string;
  timestamp: number;
  botId: string;
  user: SimulatedUser;
  transcript: readonly TranscriptItem[];
}) {
  const { conversationId, timestamp, botId, user, transcript } = input;
  const email = user.email ?? null;
  return {
    conversation_id: conversationId,
    timestamp,
    email,
    bot_id: botId,
    body: transcript.map(({ text, message_type }) => ({ text, message_type })),
    user_info: {
      phone: user.phone ?? null,
      email,
      user_id: user.userId ?? null,
      anonymous_id: user.anonymousId ?? null,
    },
  };
}

/** The body of `POST /chat`. */
export function chatBody(conversationId: string, timestamp: number, text: string) {
  return { conversation_id: conversationId, timestamp, body: text };
}

/** The body of `POST /conversation/close`. */
export function closeBody(conversationId: string, timestamp: number, type: 'TIMEOUT' | 'USER_CLOSED') {
  return { conversation_id: conversationId, timestamp, type };
}

/** A new id. The prefix shows what it identifies. */
export function newId(kind: 'bot' | 'handoff' | 'message' | 'doc' | 'anonymous'): string {
  return `${kind}-${randomUUID()}`;
}
