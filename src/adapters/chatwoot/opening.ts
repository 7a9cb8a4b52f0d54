import { createHash, createHmac } from 'node:crypto';
import {
  type AdapterCall,
  AdapterError,
  type HandoffSession,
  type OpenedConversation,
} from '../../bridge/index.js';
import { firstMessage } from './first-message.js';
import type { PublicApi, RemoteConversation } from './public-api.js';
import type { CheckedSettings } from './settings.js';

/**
 * The longest message. Chatwoot takes three times as much, but its webhook about a message carries the text three
 * times: this keeps it below the limit of what is read of a webhook, in every script.
 */
export const MAX_TEXT = 50_000;
/** The longest value of a custom attribute that it takes. */
const MAX_ATTRIBUTE = 1500;

/**
 * The session of a contact in an inbox is made for one handoff, and named after it. So what belongs to a handoff
 * is found by its name; and an inbox that keeps a contact in a single conversation, which it does by session,
 * does not put the handoff into one that ended long ago.
 */
export function sourceIdOf({ key }: Pick<HandoffSession, 'key'>): string {
  return `handoff-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
}

/** Opens conversations, and finds them again. */
export interface Opening {
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;
}

/** Makes {@link Opening}. */
export function createOpening(api: PublicApi, { url, hmacToken }: CheckedSettings): Opening {
  const opened = (sourceId: string, { id, accountId }: RemoteConversation): OpenedConversation => ({
    externalId: id,
    ...(accountId === null ? {} : { url: `${url}/app/accounts/${accountId}/conversations/${id}` }),
    extra: { contact: sourceId },
  });

  const saveContact = async (session: HandoffSession, call: AdapterCall): Promise<void> => {
    const { user } = session;
    try {
      await api.saveContact(
        {
          sourceId: sourceIdOf(session),
          identifier: user.key,
          identifierHash: hmacToken === null ? null : identifierHash(hmacToken, user.key),
          name: user.userId ?? user.anonymousId ?? 'Visitor',
          // Neither e-mail nor phone as such: Chatwoot would take another contact that has the same.
          customAttributes: attributes({ handoff_email: user.email, handoff_phone: user.phone }),
        },
        call,
      );
    } catch (error) {
      throw explained(error);
    }
  };

  const conversationOf = async (session: HandoffSession, call: AdapterCall): Promise<RemoteConversation> => {
    const sourceId = sourceIdOf(session);
    const before = oldest(await api.conversations(sourceId, call));
    if (before) return before;
    const conversation = await api.startConversation(sourceId, attributesOf(session), call);
    if (conversation.status !== 'resolved') return conversation;
    throw new AdapterError(
      'invalid',
      'Chatwoot shows conversations of this contact to nobody: it is blocked.',
    );
  };

  return {
    async open(session, call) {
      await saveContact(session, call);
      const conversation = await conversationOf(session, call);
      const sourceId = sourceIdOf(session);
      if (conversation.incoming.length === 0) {
        await api.say(sourceId, conversation.id, { text: firstMessage(session, MAX_TEXT) }, call);
      }
      return opened(sourceId, conversation);
    },
    async find(session, call) {
      const sourceId = sourceIdOf(session);
      const conversation = oldest(await api.conversations(sourceId, call).catch(noneWhereGone));
      // Without its first message it is half open, and `open` goes on with it.
      return conversation && conversation.incoming.length > 0 ? opened(sourceId, conversation) : null;
    },
  };
}

/** Says what Chatwoot's answer to a new contact does not: an unknown inbox is a 404, a hash it does not like a 500. */
function explained(error: unknown): unknown {
  if (!(error instanceof AdapterError)) return error;
  if (error.kind === 'gone') {
    return new AdapterError(
      'auth',
      'Chatwoot knows no API inbox with this identifier: look at CHATWOOT_INBOX.',
    );
  }
  if (error.kind !== 'transient' || !error.message.includes('with 500')) return error;
  return new AdapterError(
    'transient',
    `${error.message} So does an inbox that enforces identity validation while CHATWOOT_HMAC_TOKEN is missing or wrong.`,
    { cause: error, retryAfterMs: error.retryAfterMs },
  );
}

/** What to do about an inbox that enforces identity validation. */
export const HASH_WANTED =
  'The Chatwoot inbox enforces user identity validation: set CHATWOOT_HMAC_TOKEN to the key of its tab Configuration.';

/** What proves to Chatwoot that an identifier comes from somebody who knows the inbox's key. */
export function identifierHash(hmacToken: string, identifier: string): string {
  return createHmac('sha256', hmacToken).update(identifier).digest('hex');
}

function attributesOf({ conversationId, botId, user }: HandoffSession): Record<string, string> {
  return attributes({
    handoff_conversation_id: conversationId,
    handoff_bot_id: botId,
    handoff_user_id: user.userId,
    handoff_anonymous_id: user.anonymousId,
    handoff_email: user.email,
    handoff_phone: user.phone,
  });
}

function attributes(values: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value.slice(0, MAX_ATTRIBUTE)]] : [])),
  );
}

function oldest(conversations: readonly RemoteConversation[]): RemoteConversation | null {
  return conversations.toSorted((one, other) => Number(one.id) - Number(other.id))[0] ?? null;
}

function noneWhereGone(error: unknown): [] {
  if (error instanceof AdapterError && error.kind === 'gone') return [];
  throw error;
}
