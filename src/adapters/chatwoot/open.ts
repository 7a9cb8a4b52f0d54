import { createHmac } from 'node:crypto';
import {
  type AdapterCall,
  AdapterError,
  type HandoffSession,
  keyHash,
  keyWithin,
  nullIf,
  type OpenedConversation,
  sessionText,
  userName,
} from '../../bridge/index.js';
import type { NewContact, PublicApi, RemoteConversation } from './public-api.js';
import type { CheckedSettings } from './settings.js';

/**
 * The longest message. Chatwoot accepts 150,000 characters, but its webhook carries the text three times: this keeps
 * the request below the bridge's limit of 1 MiB in every script.
 */
export const MAX_TEXT = 50_000;
/** Chatwoot's limit for the value of a custom attribute. */
const MAX_ATTRIBUTE = 1500;
/** Chatwoot's limit for names and identifiers. */
const MAX_COLUMN = 255;

/**
 * The source id of the contact in this inbox. It is derived from the session key, so that `find` can look it up, and
 * so that an inbox set to "reopen same conversation", which goes by source id, starts a new conversation per handoff.
 */
export const sourceIdOf = (session: Pick<HandoffSession, 'key'>): string => `handoff-${keyHash(session, 40)}`;

/** The source id through which a contact is updated. */
const profileIdOf = (user: HandoffSession['user']): string => `profile-${keyHash(user)}`;

/** The `open` and `find` of the adapter. */
export interface Opening {
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;
}

/** Creates `open` and `find`. */
export function createOpening(api: PublicApi, { url, hmacToken }: CheckedSettings): Opening {
  const toOpened = (sourceId: string, { id, accountId }: RemoteConversation): OpenedConversation => ({
    externalId: id,
    ...(accountId === null ? {} : { url: `${url}/app/accounts/${accountId}/conversations/${id}` }),
    extra: { contact: sourceId },
  });

  const contactOf = ({ user }: HandoffSession, sourceId: string): NewContact => {
    const identifier = keyWithin(MAX_COLUMN, user.key);
    return {
      sourceId,
      identifier,
      identifierHash: hmacToken === null ? null : identifierHash(hmacToken, identifier),
      name: userName(user).slice(0, MAX_COLUMN),
      // Not in the contact's own fields: Chatwoot merges contacts with the same e-mail address or phone number.
      customAttributes: attributes({ handoff_email: user.email, handoff_phone: user.phone }),
    };
  };

  const saveContact = async (session: HandoffSession, call: AdapterCall): Promise<void> => {
    try {
      await api.saveContact(contactOf(session, sourceIdOf(session)), call);
    } catch (error) {
      throw explainContactError(error);
    }
  };

  /**
   * Chatwoot leaves a contact that exists as it is, so its attributes are sent again. The name stays: agents may have
   * changed it. Optional: a failure is logged.
   */
  const refreshContact = async (session: HandoffSession, call: AdapterCall): Promise<void> => {
    // After an update with a hash, a source id lists all conversations of its contact, and `find` could no longer
    // tell handoffs apart. Such an update has a source id of its own.
    const sourceId = hmacToken === null ? sourceIdOf(session) : profileIdOf(session.user);
    const contact = contactOf(session, sourceId);
    if (Object.keys(contact.customAttributes).length === 0) return;
    try {
      if (hmacToken !== null) await api.saveContact(contact, call);
      await api.updateContact(contact, call);
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      call.log.warn({ err: error }, 'chatwoot: the attributes of the contact were not refreshed');
    }
  };

  const findOrStart = async (session: HandoffSession, call: AdapterCall): Promise<RemoteConversation> => {
    const sourceId = sourceIdOf(session);
    const existing = oldest(await api.conversations(sourceId, call));
    if (existing) return existing;
    const conversation = await api.startConversation(sourceId, attributesOf(session), call);
    if (conversation.status !== 'resolved') return conversation;
    throw new AdapterError(
      'invalid',
      'Chatwoot hides conversations of this contact from agents: the contact is blocked. Unblock it in Chatwoot.',
    );
  };

  return {
    async open(session, call) {
      await saveContact(session, call);
      await refreshContact(session, call);
      const conversation = await findOrStart(session, call);
      const sourceId = sourceIdOf(session);
      if (conversation.incoming.length === 0) {
        // A message, because the public API has no private notes and shows custom attributes only when an
        // administrator has defined them.
        const text = sessionText(session, { maxLength: MAX_TEXT });
        await api.postMessage(sourceId, conversation.id, { text }, call);
      }
      return toOpened(sourceId, conversation);
    },
    async find(session, call) {
      const sourceId = sourceIdOf(session);
      const conversations = await api.conversations(sourceId, call).catch(nullIf('gone'));
      const conversation = oldest(conversations ?? []);
      // Without its first message it is incomplete, and `open` completes it.
      return conversation && conversation.incoming.length > 0 ? toOpened(sourceId, conversation) : null;
    },
  };
}

/** Adds the likely cause: Chatwoot answers 404 for an unknown inbox, and 500 for a wrong identifier hash. */
function explainContactError(error: unknown): unknown {
  if (!(error instanceof AdapterError)) return error;
  if (error.kind === 'gone') {
    return new AdapterError('auth', 'Chatwoot has no API inbox with this identifier: check CHATWOOT_INBOX.');
  }
  if (error.kind !== 'transient' || !error.message.includes('with 500')) return error;
  return new AdapterError(
    'transient',
    `${error.message} An inbox that enforces identity validation answers so when CHATWOOT_HMAC_TOKEN is missing or wrong.`,
    { cause: error, retryAfterMs: error.retryAfterMs },
  );
}

/** Shown when the inbox enforces identity validation and no token is set. */
export const HMAC_TOKEN_MISSING =
  'The Chatwoot inbox enforces user identity validation: set CHATWOOT_HMAC_TOKEN to the key of its tab Configuration.';

/** Chatwoot's proof that the identifier comes from a holder of the inbox's key. */
export function identifierHash(hmacToken: string, identifier: string): string {
  return createHmac('sha256', hmacToken).update(identifier).digest('hex');
}

function attributesOf({ conversationId, botId, user, route = {} }: HandoffSession): Record<string, string> {
  return attributes({
    handoff_conversation_id: conversationId,
    handoff_bot_id: botId,
    handoff_user_id: user.userId,
    handoff_anonymous_id: user.anonymousId,
    handoff_email: user.email,
    handoff_phone: user.phone,
    // Automation rules of the account can turn these into labels, a priority and a team.
    handoff_tags: route.tags?.join(', ') ?? null,
    handoff_priority: route.priority ?? null,
    handoff_department: route.department ?? null,
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

const NOTICE_PREFIX = '[handoff]';

/** The public API can only write as the contact; the prefix tells agents that the user did not write this. */
export const asNotice = (text: string): string => `${NOTICE_PREFIX} ${text}`;
