import { z } from 'zod';
import { type AdapterCall, createAdapterHttp, createAdapterReader, nullIf } from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';
import { conversationSchema } from './webhook.js';

/** The version whose requests and responses this adapter knows. Webhooks have the version of the app. */
const API_VERSION = '2.14';

/** A conversation is read with up to 500 parts. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The account of the access token, and its workspace. */
export const meSchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  app: z
    .object({ id_code: z.string().nullish(), name: z.string().nullish(), region: z.string().nullish() })
    .nullish(),
});

/** A contact: a user of ours. */
export const contactSchema = z.object({ id: z.string(), role: z.string() });

const tagSchema = z.object({ id: z.coerce.string() });

/** The answer to a new conversation is its first message. */
export const createdSchema = z.object({ conversation_id: z.string() });

/** Conversations without their parts. */
export const foundSchema = z.object({
  conversations: z
    .array(z.object({ id: z.string(), source: z.object({ body: z.string().nullish() }).nullish() }))
    .nullish(),
});

/** The requests to Intercom's REST API that the adapter makes. */
export type IntercomApi = ReturnType<typeof createIntercomApi>;

export function createIntercomApi({ accessToken, apiUrl, fetch }: CheckedSettings) {
  const http = createAdapterHttp({
    helpdesk: 'Intercom',
    baseUrl: apiUrl,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${accessToken}`,
      'intercom-version': API_VERSION,
    },
    maxResponseBytes: MAX_RESPONSE_BYTES,
    fetch: withRateLimitReset(fetch),
  });
  const read = createAdapterReader(http, 'Check INTERCOM_API_URL.');
  const partsOf = (id: string, kind: 'reply' | 'parts') => `/conversations/${encodeURIComponent(id)}/${kind}`;

  return {
    me: (call: AdapterCall) => read(meSchema, { method: 'GET', path: '/me' }, call),

    /** The contact with this external id, or `null`. */
    async findContact(externalId: string, call: AdapterCall) {
      const path = `/contacts/find_by_external_id/${encodeURIComponent(externalId)}`;
      return read(contactSchema, { method: 'GET', path }, call).catch(nullIf('gone'));
    },

    /** Creates a contact; `null` when there is one with this external id. */
    async createContact(contact: { external_id: string; name: string }, call: AdapterCall) {
      // No e-mail address: Intercom merges by it, and would mail the agents' replies to it.
      const json = { role: 'user', ...contact };
      return read(contactSchema, { method: 'POST', path: '/contacts', json }, call).catch(nullIf('invalid'));
    },

    async createConversation(from: z.output<typeof contactSchema>, body: string, call: AdapterCall) {
      const json = { from: { type: from.role === 'lead' ? 'lead' : 'user', id: from.id }, body };
      const created = await read(createdSchema, { method: 'POST', path: '/conversations', json }, call);
      return created.conversation_id;
    },

    /** The conversations of a contact since a time. */
    async conversationsSince(contactId: string, since: Date, call: AdapterCall) {
      const value = [
        { field: 'contact_ids', operator: '=', value: contactId },
        { field: 'created_at', operator: '>', value: Math.floor(since.getTime() / 1000) },
      ];
      const json = { query: { operator: 'AND', value } };
      const found = await read(foundSchema, { method: 'POST', path: '/conversations/search', json }, call);
      return found.conversations ?? [];
    },

    async replyAsContact(id: string, contactId: string, body: string, call: AdapterCall) {
      const json = { message_type: 'comment', type: 'user', intercom_user_id: contactId, body };
      await http({ method: 'POST', path: partsOf(id, 'reply'), json }, call);
    },

    /** Adds a tag, which is created when there is none of that name. */
    async tagConversation(id: string, adminId: string, name: string, call: AdapterCall) {
      const tag = await read(tagSchema, { method: 'POST', path: '/tags', json: { name } }, call);
      const json = { id: tag.id, admin_id: adminId };
      await http({ method: 'POST', path: `/conversations/${encodeURIComponent(id)}/tags`, json }, call);
    },

    async assignToTeam(id: string, adminId: string, teamId: string, call: AdapterCall) {
      const json = { message_type: 'assignment', type: 'team', admin_id: adminId, assignee_id: teamId };
      await http({ method: 'POST', path: partsOf(id, 'parts'), json }, call);
    },

    /** The conversation with its last 500 parts. */
    conversation: (id: string, call: AdapterCall) =>
      read(conversationSchema, { method: 'GET', path: `/conversations/${encodeURIComponent(id)}` }, call),

    async addNote(id: string, adminId: string, body: string, call: AdapterCall) {
      const json = { message_type: 'note', type: 'admin', admin_id: adminId, body };
      await http({ method: 'POST', path: partsOf(id, 'reply'), json }, call);
    },

    async closeConversation(id: string, adminId: string, body: string, call: AdapterCall) {
      const json = { message_type: 'close', type: 'admin', admin_id: adminId, body };
      await http({ method: 'POST', path: partsOf(id, 'parts'), json }, call);
    },
  };
}

/** Paths whose answer is the whole conversation. It is discarded: a long one would exceed the size limit. */
const ANSWERED_WITH_CONVERSATION = /\/conversations\/[^/]+\/(reply|parts)$/;

/** Corrects where Intercom deviates: it sends the time of the next window instead of `Retry-After`. */
function withRateLimitReset(fetch: CheckedSettings['fetch']): CheckedSettings['fetch'] {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok && ANSWERED_WITH_CONVERSATION.test(url)) {
      await response.body?.cancel();
      return new Response(null, { status: 204 });
    }
    const reset = Number(response.headers.get('x-ratelimit-reset'));
    if (response.status !== 429 || response.headers.has('retry-after') || !(reset > 0)) return response;
    await response.body?.cancel();
    const seconds = Math.max(1, Math.ceil(reset - Date.now() / 1000));
    return new Response(null, { status: 429, headers: { 'retry-after': String(seconds) } });
  };
}
