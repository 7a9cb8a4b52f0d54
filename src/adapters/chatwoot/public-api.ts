import {
  type AdapterCall,
  AdapterError,
  type AdapterHttpResponse,
  asObject,
  asObjects,
  asText,
  createAdapterHttp,
  type JsonObject,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

/** A contact to create. An existing one stays as it is. */
export interface NewContact {
  /** Identifies the contact within this inbox. */
  readonly sourceId: string;
  /** Identifies the contact within the account. */
  readonly identifier: string;
  readonly identifierHash: string | null;
  readonly name: string;
  readonly customAttributes: Readonly<Record<string, string>>;
}

/** A conversation as the public API returns it, which is without its custom attributes. */
export interface RemoteConversation {
  /** The display id, which agents see and webhooks carry. */
  readonly id: string;
  readonly status: string;
  readonly accountId: string | null;
  /** Messages of the contact, oldest first. */
  readonly incoming: readonly string[];
  /** All messages but notes and activities. */
  readonly messages: readonly JsonObject[];
}

type Call = Pick<AdapterCall, 'signal'>;

/** Chatwoot's public API for contacts of an API inbox. Its only credential is the inbox identifier. */
export interface PublicApi {
  inbox(call: Call): Promise<{ readonly name: string; readonly requiresHash: boolean }>;
  saveContact(contact: NewContact, call: Call): Promise<void>;
  /** Adds custom attributes to a contact, or changes them. The others stay. */
  updateContact(contact: Omit<NewContact, 'name'>, call: Call): Promise<void>;
  /** Whether Chatwoot accepts a hash for an identifier. Creates no contact. */
  acceptsHash(identifier: string, hash: string, call: Call): Promise<boolean>;
  conversations(sourceId: string, call: Call): Promise<readonly RemoteConversation[]>;
  conversation(sourceId: string, id: string, call: Call): Promise<RemoteConversation>;
  startConversation(
    sourceId: string,
    customAttributes: Readonly<Record<string, string>>,
    call: Call,
  ): Promise<RemoteConversation>;
  /** The last 20 messages, without notes and activities. */
  latestMessages(sourceId: string, id: string, call: Call): Promise<readonly JsonObject[]>;
  /** Posts a message as the contact. Resolves to its id. */
  postMessage(
    sourceId: string,
    id: string,
    message: { text: string; key?: string },
    call: Call,
  ): Promise<string>;
  /** Resolves a conversation. A resolved one stays resolved. */
  resolve(sourceId: string, id: string, call: Call): Promise<void>;
}

/** Chatwoot returns a conversation with all of its messages: this is enough for about 10,000. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Creates the client. */
export function createPublicApi({ url, inbox, timeoutMs, fetch }: CheckedSettings): PublicApi {
  // The identifier is a credential. As part of the base URL it stays out of error messages, which hold the path.
  const http = createAdapterHttp({
    helpdesk: 'Chatwoot',
    baseUrl: `${url}/public/api/v1/inboxes/${inbox}`,
    headers: { accept: 'application/json' },
    timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    fetch: withHttpSemantics(fetch),
  });
  const conversationsPath = (sourceId: string) => `/contacts/${encodeURIComponent(sourceId)}/conversations`;
  const conversationPath = (sourceId: string, id: string) =>
    `${conversationsPath(sourceId)}/${encodeURIComponent(id)}`;
  const messagesPath = (sourceId: string, id: string) => `${conversationPath(sourceId, id)}/messages`;

  return {
    async inbox(call) {
      const { body } = await http({ method: 'GET', path: '' }, call);
      const { identifier, name, identity_validation_enabled: requiresHash } = asObject(body);
      if (identifier !== inbox) throw unexpectedResponse('the inbox');
      return { name: asText(name), requiresHash: requiresHash === true };
    },
    async saveContact({ name, ...contact }, call) {
      const { sourceId } = contact;
      const json = { source_id: sourceId, name, ...contactFields(contact) };
      const { body } = await http({ method: 'POST', path: '/contacts', json }, call);
      if (asObject(body).source_id !== sourceId) throw unexpectedResponse('a contact');
    },
    async updateContact(contact, call) {
      const path = `/contacts/${encodeURIComponent(contact.sourceId)}`;
      await http({ method: 'PATCH', path, json: contactFields(contact) }, call);
    },
    async acceptsHash(identifier, hash, call) {
      // Chatwoot checks the hash before the e-mail address. An invalid address is therefore refused with 422 when
      // the hash is right, and with 500 when it is wrong.
      const json = { identifier, identifier_hash: hash, email: 'not an address' };
      const refusal = await http({ method: 'POST', path: '/contacts', json }, call).catch(asAdapterError);
      return refusal instanceof AdapterError && refusal.kind === 'invalid';
    },
    async conversations(sourceId, call) {
      const { body } = await http({ method: 'GET', path: conversationsPath(sourceId) }, call);
      if (!Array.isArray(body)) throw unexpectedResponse('conversations');
      return body.map(toConversation);
    },
    async conversation(sourceId, id, call) {
      return readConversation(await http({ method: 'GET', path: conversationPath(sourceId, id) }, call));
    },
    async startConversation(sourceId, customAttributes, call) {
      const json = { custom_attributes: customAttributes };
      return readConversation(await http({ method: 'POST', path: conversationsPath(sourceId), json }, call));
    },
    async latestMessages(sourceId, id, call) {
      const { body } = await http({ method: 'GET', path: messagesPath(sourceId, id) }, call);
      return asObjects(body);
    },
    async postMessage(sourceId, id, { text, key }, call) {
      const path = messagesPath(sourceId, id);
      const json = { content: text, ...(key === undefined ? {} : { echo_id: key }) };
      const messageId = asId(asObject((await http({ method: 'POST', path, json }, call)).body).id);
      if (messageId === null) throw unexpectedResponse('a message');
      return messageId;
    },
    async resolve(sourceId, id, call) {
      await http({ method: 'POST', path: `${conversationPath(sourceId, id)}/toggle_status`, json: {} }, call);
    },
  };
}

const contactFields = ({ identifier, identifierHash, customAttributes }: Omit<NewContact, 'name'>) => ({
  identifier,
  ...(identifierHash === null ? {} : { identifier_hash: identifierHash }),
  custom_attributes: customAttributes,
});

const readConversation = ({ body }: AdapterHttpResponse): RemoteConversation => toConversation(body);

/** The message type of contacts. This API uses numbers, webhooks use names. */
const INCOMING = 0;

function toConversation(value: unknown): RemoteConversation {
  const { id, status, contact, messages: listed } = asObject(value);
  const messages = asObjects(listed);
  const displayId = asId(id);
  if (displayId === null) throw unexpectedResponse('a conversation');
  return {
    id: displayId,
    status: asText(status),
    accountId: asId(asObject(contact).account_id),
    messages,
    incoming: messages
      .filter(({ message_type }) => message_type === INCOMING)
      .map(({ content }) => asText(content)),
  };
}

/** Returns an `AdapterError` as a value, for `.catch`; rethrows other errors. */
export function asAdapterError(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  throw error;
}

function unexpectedResponse(what: string): AdapterError {
  return new AdapterError(
    'invalid',
    `The server did not return ${what} in the form that Chatwoot does: check CHATWOOT_URL.`,
  );
}

type Fetch = CheckedSettings['fetch'];

/** Part of Chatwoot's error message. Not translated. */
const TOO_MANY_MESSAGES = 'Too many messages';
/** Chatwoot counts the last minute, so there is room again soon. */
const FLOOD_RETRY_SECONDS = 15;

/**
 * Corrects responses in which Chatwoot deviates from HTTP.
 *
 * - More than 200 messages a minute in one conversation: 422 becomes 429.
 * - `toggle_status` returns the whole conversation. It is not needed, so the body is discarded.
 */
function withHttpSemantics(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok && url.endsWith('/toggle_status')) {
      await response.body?.cancel();
      return new Response(null, { status: 204 });
    }
    if (response.status !== 422) return response;
    const text = await response.text();
    if (!text.includes(TOO_MANY_MESSAGES)) return new Response(text, { status: 422 });
    return new Response(null, { status: 429, headers: { 'retry-after': String(FLOOD_RETRY_SECONDS) } });
  };
}

/** A Chatwoot id, which is a positive integer, as a string; `null` when the value is not one. */
export function asId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? value : null;
}
