import {
  type AdapterCall,
  AdapterError,
  type AdapterHttpResponse,
  createAdapterHttp,
} from '../../bridge/index.js';
import { understood } from './answers.js';
import { idOf, objectOf, objectsOf, textOf } from './json.js';
import type { CheckedSettings } from './settings.js';

/** A contact to make, or to leave as it is where it exists. */
export interface NewContact {
  /** Names one session of the contact in this inbox. */
  readonly sourceId: string;
  /** Names the person in the whole account. */
  readonly identifier: string;
  readonly identifierHash: string | null;
  readonly name: string;
  readonly customAttributes: Readonly<Record<string, string>>;
}

/** A conversation as the public API shows it. Its custom attributes are not in there. */
export interface RemoteConversation {
  /** The one that agents see and webhooks carry. */
  readonly id: string;
  readonly status: string;
  readonly accountId: string | null;
  /** What was said as the contact, oldest first. */
  readonly incoming: readonly string[];
}

type Asked = Pick<AdapterCall, 'signal'>;

/** The part of Chatwoot's public API that brings conversations in. The inbox identifier is all it asks for. */
export interface PublicApi {
  inbox(call: Asked): Promise<{ readonly name: string; readonly wantsHash: boolean }>;
  saveContact(contact: NewContact, call: Asked): Promise<void>;
  /** Whether Chatwoot takes a hash for an identifier. Makes no contact. */
  takesHash(identifier: string, hash: string, call: Asked): Promise<boolean>;
  conversations(sourceId: string, call: Asked): Promise<readonly RemoteConversation[]>;
  conversation(sourceId: string, id: string, call: Asked): Promise<RemoteConversation>;
  startConversation(
    sourceId: string,
    customAttributes: Readonly<Record<string, string>>,
    call: Asked,
  ): Promise<RemoteConversation>;
  /** Says something as the contact. Gives the message's id. */
  say(sourceId: string, id: string, said: { text: string; key?: string }, call: Asked): Promise<string>;
  /** Resolves a conversation. One that is resolved stays so. */
  resolve(sourceId: string, id: string, call: Asked): Promise<void>;
}

/** Makes a client of the public API. */
export function createPublicApi({ url, inbox, timeoutMs, fetch }: CheckedSettings): PublicApi {
  // The identifier is a credential: in the base it stays out of messages, which name the rest of the path.
  const http = createAdapterHttp({
    system: 'Chatwoot',
    baseUrl: `${url}/public/api/v1/inboxes/${inbox}`,
    headers: { accept: 'application/json' },
    timeoutMs,
    fetch: understood(fetch),
  });
  const ofContact = (sourceId: string) => `/contacts/${encodeURIComponent(sourceId)}/conversations`;
  const ofConversation = (sourceId: string, id: string) => `${ofContact(sourceId)}/${encodeURIComponent(id)}`;

  return {
    async inbox(call) {
      const { body } = await http({ method: 'GET', path: '' }, call);
      const { identifier, name, identity_validation_enabled: wantsHash } = objectOf(body);
      if (identifier !== inbox) throw notChatwoot('the inbox');
      return { name: textOf(name), wantsHash: wantsHash === true };
    },
    async saveContact({ sourceId, identifier, identifierHash, name, customAttributes }, call) {
      const json = {
        source_id: sourceId,
        identifier,
        ...(identifierHash === null ? {} : { identifier_hash: identifierHash }),
        name,
        custom_attributes: customAttributes,
      };
      const { body } = await http({ method: 'POST', path: '/contacts', json }, call);
      if (objectOf(body).source_id !== sourceId) throw notChatwoot('a contact');
    },
    async takesHash(identifier, hash, call) {
      // The hash is looked at first. So a contact that cannot be is refused as invalid when the hash is right,
      // and with a server error when it is wrong.
      const json = { identifier, identifier_hash: hash, email: 'not an address' };
      const refusal = await http({ method: 'POST', path: '/contacts', json }, call).catch(asAdapterError);
      return refusal instanceof AdapterError && refusal.kind === 'invalid';
    },
    async conversations(sourceId, call) {
      const { body } = await http({ method: 'GET', path: ofContact(sourceId) }, call);
      if (!Array.isArray(body)) throw notChatwoot('conversations');
      return body.map(conversationOf);
    },
    async conversation(sourceId, id, call) {
      return readConversation(await http({ method: 'GET', path: ofConversation(sourceId, id) }, call));
    },
    async startConversation(sourceId, customAttributes, call) {
      const json = { custom_attributes: customAttributes };
      return readConversation(await http({ method: 'POST', path: ofContact(sourceId), json }, call));
    },
    async say(sourceId, id, { text, key }, call) {
      const path = `${ofConversation(sourceId, id)}/messages`;
      const json = { content: text, ...(key === undefined ? {} : { echo_id: key }) };
      const messageId = idOf(objectOf((await http({ method: 'POST', path, json }, call)).body).id);
      if (messageId === null) throw notChatwoot('a message');
      return messageId;
    },
    async resolve(sourceId, id, call) {
      await http({ method: 'POST', path: `${ofConversation(sourceId, id)}/toggle_status`, json: {} }, call);
    },
  };
}

const readConversation = ({ body }: AdapterHttpResponse): RemoteConversation => conversationOf(body);

/** The number by which this API writes the type of a message; webhooks write its name. */
const INCOMING = 0;

function conversationOf(value: unknown): RemoteConversation {
  const { id, status, contact, messages } = objectOf(value);
  const displayId = idOf(id);
  if (displayId === null) throw notChatwoot('a conversation');
  return {
    id: displayId,
    status: textOf(status),
    accountId: idOf(objectOf(contact).account_id),
    incoming: objectsOf(messages)
      .filter(({ message_type }) => message_type === INCOMING)
      .map(({ content }) => textOf(content)),
  };
}

/** An `AdapterError` as a value. */
export function asAdapterError(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  throw error;
}

function notChatwoot(what: string): AdapterError {
  return new AdapterError(
    'invalid',
    `What answers in Chatwoot's place does not show ${what} as Chatwoot does: look at its address.`,
  );
}
