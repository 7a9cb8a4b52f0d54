import type { Conversation } from '../handoff/index.js';

/** What a function that makes a text gets. */
export interface MessageTextContext {
  readonly conversation: Conversation;
  /** Who answers, where the system tells and a name may be shown. */
  readonly agent: string | null;
}

/** A text for the user, or a function that makes one; `null` from it says nothing. */
export type MessageText = string | ((context: MessageTextContext) => string | null | Promise<string | null>);

/** What the bridge itself says to users. Each is off unless it is set. */
export interface BridgeMessages {
  /** Once a conversation is open in the system. Counts as the first reply that the service waits for. */
  readonly greeting?: MessageText;
  /** When a human takes the conversation. */
  readonly agentJoined?: MessageText;
  /** Outside business hours, with `whenClosed: 'say'`. */
  readonly outsideHours?: MessageText;
  /** When a human has ended the conversation. */
  readonly closed?: MessageText;
  /** When a conversation could not be brought to a human, or is gone from the system; then it is ended. */
  readonly unavailable?: MessageText;
}

/** The name of a text. */
export type MessageName = keyof BridgeMessages;

/** Makes a text; `null` where nothing is to be said. */
export type MakeText = (
  name: MessageName,
  conversation: Conversation,
  agent?: string | null,
) => Promise<string | null>;

/** Makes {@link MakeText} of the settings. */
export function createMakeText(messages: BridgeMessages): MakeText {
  return async (name, conversation, agent = conversation.agent) => {
    const text = messages[name];
    if (text === undefined) return null;
    const made = typeof text === 'string' ? text : await text({ conversation, agent });
    return made === null || made.trim() === '' ? null : made;
  };
}
