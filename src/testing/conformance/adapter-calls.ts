import { randomUUID } from 'node:crypto';
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  type ConversationRef,
  type HandoffSession,
  type OpenedConversation,
  type OutgoingMessage,
} from '../../bridge/index.js';
import { describeError, fail } from './failures.js';

/** A session with a new user, as the bridge passes it to `open`. */
export function newSession(): HandoffSession & { readonly question: string } {
  const id = randomUUID();
  const question = `Where is parcel ${id.slice(0, 8)}?`;
  return {
    key: `kit-${id}`,
    conversationId: `handoff-${id}`,
    bot: 'default',
    user: {
      key: `user:${id}`,
      userId: id,
      anonymousId: `anonymous-${id}`,
      email: 'support@example.com',
      phone: null,
    },
    botId: 'kit-bot',
    transcript: [
      { from: 'user', text: question },
      { from: 'bot', text: '' },
      { from: 'bot', text: 'An agent will know.' },
    ],
    requestedAt: new Date(),
    replyBy: new Date(Date.now() + 60_000),
    question,
  };
}

/** The reference that the bridge passes to `send` and `close`. */
export function refOf(
  { conversationId, bot, user }: HandoffSession,
  opened: OpenedConversation,
): ConversationRef {
  const { externalId, url = null, extra = {} } = opened;
  return { conversationId, bot, externalId, url, extra, user };
}

export const newMessage = (text: string): OutgoingMessage => ({
  key: `kit-${randomUUID()}`,
  text,
  sentAt: new Date(),
});

/** The error of an adapter call; `null` if it succeeds. Any error but an AdapterError fails the check. */
export async function adapterErrorOf(what: string, task: Promise<unknown>): Promise<AdapterError | null> {
  try {
    await task;
    return null;
  } catch (error) {
    if (error instanceof AdapterError) return error;
    return fail(`${what} failed with an error that is not an AdapterError: ${describeError(error)}`, error);
  }
}

/** The results of `adapter.check`. An AdapterError counts as a failed result, as in the bridge. */
export async function runAdapterCheck(
  adapter: Adapter,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  try {
    return await adapter.check(call);
  } catch (error) {
    if (!(error instanceof AdapterError)) return fail(`check failed with ${describeError(error)}`, error);
    return [{ name: 'check', ok: false, detail: error.message }];
  }
}
