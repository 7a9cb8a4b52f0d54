import { randomUUID } from 'node:crypto';

/** Who the user is, as a developer of a test names it. */
export interface SimulatedUser {
  userId?: string | null;
  anonymousId?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** An item of the transcript that goes with a handoff request. */
export interface TranscriptItem {
  text: string;
  message_type: 'QUESTION' | 'ANSWER' | (string & {});
}

/** What an agent says, and to whom. */
export interface AgentMessageInput {
  /** The text of a single output element; `output` says more. */
  text?: string;
  /** The elements of the answer as they go over the wire. */
  output?: readonly object[];
  userId?: string | null;
  anonymousId?: string | null;
  /** The agent conversation's id. Default: a new one. */
  conversationId?: string;
  /** Default: a new one. */
  messageId?: string;
}

/** Roughly four characters make a token; only the shape of these figures matters. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);
const CREDITS_PER_TOKEN = 0.001;

/** The body of 4.5. `create_time` counts seconds, as deployments do. */
export function agentMessageBody(input: AgentMessageInput, now: number) {
  const text = input.text ?? '';
  const output = input.output ?? [
    { from_component_branch: null, from_component_name: 'Answer', content: { text } },
  ];
  const tokens = tokensOf(text);
  return {
    user_id: input.userId ?? null,
    anonymous_id: input.anonymousId ?? null,
    conversation_id: input.conversationId ?? newId('agent'),
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

/** The body of an availability test: the standard message format with `istest` (4.3). */
export function probeBody(now: number) {
  return { ...agentMessageBody({ text: 'availability test' }, now), istest: true };
}

/** The body of 4.6. */
export function establishBody(input: {
  conversationId: string;
  timestamp: number;
  agentId: string;
  user: SimulatedUser;
  transcript: readonly TranscriptItem[];
}) {
  const { conversationId, timestamp, agentId, user, transcript } = input;
  const email = user.email ?? null;
  return {
    conversation_id: conversationId,
    timestamp,
    email,
    bot_id: agentId,
    body: transcript.map(({ text, message_type }) => ({ text, message_type })),
    user_info: {
      phone: user.phone ?? null,
      email,
      user_id: user.userId ?? null,
      anonymous_id: user.anonymousId ?? null,
    },
  };
}

/** The body of 4.7. */
export function chatBody(conversationId: string, timestamp: number, text: string) {
  return { conversation_id: conversationId, timestamp, body: text };
}

/** The body of 4.8. */
export function closeBody(conversationId: string, timestamp: number, type: 'TIMEOUT' | 'USER_CLOSED') {
  return { conversation_id: conversationId, timestamp, type };
}

/** A new id; the prefix tells the two kinds of conversation apart at a glance. */
export function newId(kind: 'agent' | 'handoff' | 'message' | 'doc' | 'anonymous'): string {
  return `${kind}-${randomUUID()}`;
}
