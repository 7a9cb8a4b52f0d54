import { humanClose, humanReply, validate } from '../protocol/index.js';
import { call } from './call.js';
import type { CallOptions, Settings } from './options.js';

/** Words of a human to the user. */
export interface ReplyInput {
  /** As the handoff request gave it. */
  readonly conversationId: string;
  /** What the user gets to read. */
  readonly text: string;
  /** When it was written, in milliseconds since 1970; now, if left out. */
  readonly timestamp?: number | undefined;
}

/** A handoff that is to end. */
export interface EndInput {
  /** As the handoff request gave it. */
  readonly conversationId: string;
  /** When it was closed, in milliseconds since 1970; now, if left out. */
  readonly timestamp?: number | undefined;
}

/** The human side of a handed-over conversation. */
export interface ConversationCalls {
  /**
   * Sends the user a message (4.9). Never sent twice: if it is not known whether it arrived, the error is
   * `OUTCOME_UNKNOWN`. Gives the service's answer as it came: its JSON, or its text where it is none.
   */
  reply(input: ReplyInput, options?: CallOptions): Promise<unknown>;
  /** Ends the handoff (4.10). Gives the service's answer as it came: its JSON, or its text where it is none. */
  end(input: EndInput, options?: CallOptions): Promise<unknown>;
}

const asItCame = (body: unknown): unknown => body;

/** Makes the calls of the human side of a conversation. */
export function createConversationCalls(settings: Settings): ConversationCalls {
  const { clock } = settings;
  return {
    async reply({ conversationId, text, timestamp = clock.now() }, options) {
      const body = validate(humanReply, { conversation_id: conversationId, timestamp, body: text });
      return call(settings, { endpoint: 'reply', body, read: asItCame }, options);
    },
    async end({ conversationId, timestamp = clock.now() }, options) {
      const body = validate(humanClose, { conversation_id: conversationId, timestamp });
      return call(settings, { endpoint: 'close', body, read: asItCame }, options);
    },
  };
}
