import { z } from 'zod';
import {
  type AdapterCall,
  type AdapterHttpRequest,
  createAdapterHttp,
  createAdapterReader,
  type HandoffRoute,
  nullIf,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

/** The key of the metadata by which `find` recognises a conversation. */
export const SESSION_METADATA = 'handoffSession';

/** Begins the tag of a ticket that names its conversation: the webhooks of tickets name it no other way. */
export const TICKET_TAG = 'handoff_conversation_';

/** A conversation, with the integration that has control of it. */
export const conversationSchema = z.object({
  id: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  activeSwitchboardIntegration: z.object({ name: z.string().nullish() }).nullish(),
});
export type Conversation = z.output<typeof conversationSchema>;

const RESPONSES = {
  app: z.object({ app: z.object({ displayName: z.string().nullish() }) }),
  conversation: z.object({ conversation: conversationSchema }),
  conversations: z.object({
    conversations: z.array(conversationSchema),
    meta: z.object({ hasMore: z.boolean().nullish(), afterCursor: z.string().nullish() }).nullish(),
  }),
  messages: z.object({ messages: z.array(z.object({ id: z.string() })) }),
  messageList: z.object({
    messages: z.array(z.object({ id: z.string(), received: z.string() }).loose()),
    meta: z.object({ hasMore: z.boolean().nullish(), beforeCursor: z.string().nullish() }).nullish(),
  }),
  switchboards: z.object({ switchboards: z.array(z.object({ id: z.string() })) }),
  integrations: z.object({ switchboardIntegrations: z.array(z.object({ name: z.string() })) }),
} as const;

/** A list has up to 100 messages of up to 4,096 characters, whatever size is asked for. */
const MAX_RESPONSE_BYTES = 4 * 1_048_576;
/** At most 5,000 messages of a conversation are listed. */
const MAX_PAGES = 50;

/** The requests to the Conversations API that the adapter makes. */
export type ConversationsApi = ReturnType<typeof createConversationsApi>;

export function createConversationsApi({
  apiUrl,
  appId,
  credentials,
  ticketSecrets,
  fetch,
}: CheckedSettings) {
  const http = createAdapterHttp({
    helpdesk: 'Zendesk',
    baseUrl: `${apiUrl.replace(/\/+$/, '')}/v2/apps/${appId}`,
    headers: { accept: 'application/json', authorization: `Basic ${credentials}` },
    maxResponseBytes: MAX_RESPONSE_BYTES,
    fetch,
  });
  const read = createAdapterReader(http, 'Check ZENDESK_API_URL.');
  const pathOf = (id: string, below = '') => `/conversations/${encodeURIComponent(id)}${below}`;
  const get = (path: string): AdapterHttpRequest => ({ method: 'GET', path });
  const post = (path: string, json?: object): AdapterHttpRequest => ({ method: 'POST', path, json });

  return {
    app: async (call: AdapterCall) => (await read(RESPONSES.app, get(''), call)).app,

    /** Creates the user, unless there is one with this external id. */
    async ensureUser(externalId: string, name: string, call: AdapterCall) {
      // No e-mail address: it may be a placeholder that many users share.
      const json = { externalId, profile: { givenName: name } };
      // 409: there is one. Any other refusal repeats with the conversation.
      await http(post('/users', json), call).catch(nullIf('invalid'));
    },

    /** All conversations of a user. */
    async conversationsOf(userExternalId: string, call: AdapterCall) {
      const conversations: z.output<typeof conversationSchema>[] = [];
      const query = new URLSearchParams({ 'filter[userExternalId]': userExternalId, 'page[size]': '100' });
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const list = await read(RESPONSES.conversations, get(`/conversations?${query.toString()}`), call);
        conversations.push(...list.conversations);
        const after = list.meta?.hasMore ? list.meta.afterCursor : null;
        if (!after) break;
        query.set('page[after]', after);
      }
      return conversations;
    },

    async conversation(id: string, call: AdapterCall) {
      return (await read(RESPONSES.conversation, get(pathOf(id)), call)).conversation;
    },

    async createConversation(userExternalId: string, session: string, call: AdapterCall) {
      const participants = [{ userExternalId, subscribeSDKClient: false }];
      const json = { type: 'personal', participants, metadata: { [SESSION_METADATA]: session } };
      return (await read(RESPONSES.conversation, post('/conversations', json), call)).conversation;
    },

    /** The newest messages, up to 100. */
    async newestMessages(id: string, call: AdapterCall) {
      return (await read(RESPONSES.messageList, get(pathOf(id, '/messages')), call)).messages;
    },

    /** The messages since a time, the oldest first. Zendesk returns the newest page first. */
    async messagesSince(id: string, since: Date, call: AdapterCall) {
      const receivedAt = ({ received }: { received: string }): number => Date.parse(received);
      const messages: z.output<typeof RESPONSES.messageList>['messages'] = [];
      let query = '';
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const list = await read(RESPONSES.messageList, get(pathOf(id, `/messages${query}`)), call);
        messages.unshift(...list.messages);
        const before = list.meta?.hasMore ? list.meta.beforeCursor : null;
        if (!before || list.messages.some((message) => receivedAt(message) < since.getTime())) break;
        query = `?${new URLSearchParams({ 'page[before]': before }).toString()}`;
      }
      return messages
        .filter((message) => receivedAt(message) >= since.getTime())
        .toSorted((one, other) => receivedAt(one) - receivedAt(other));
    },

    /** Posts a text, as the user or as the business. Returns the id of the message. */
    async postMessage(id: string, author: object, text: string, call: AdapterCall) {
      const json = { author, content: { type: 'text', text } };
      const { messages } = await read(RESPONSES.messages, post(pathOf(id, '/messages'), json), call);
      return messages[0]?.id ?? null;
    },

    /** Gives a conversation to an integration. The ticket of the agents takes its fields from the route. */
    async passControl(
      id: string,
      switchboardIntegration: string,
      route: HandoffRoute | undefined,
      call: AdapterCall,
    ) {
      const own = ticketSecrets ? [`${TICKET_TAG}${id}`] : [];
      const metadata = ticketFields(route ?? {}, own);
      const json = { switchboardIntegration, ...(Object.keys(metadata).length > 0 && { metadata }) };
      await http(post(pathOf(id, '/passControl'), json), call);
    },

    async releaseControl(id: string, call: AdapterCall) {
      await http(post(pathOf(id, '/releaseControl')), call);
    },

    /** The names of all switchboard integrations. */
    async integrationNames(call: AdapterCall) {
      const { switchboards } = await read(RESPONSES.switchboards, get('/switchboards'), call);
      const names: string[] = [];
      for (const { id } of switchboards) {
        const path = `/switchboards/${encodeURIComponent(id)}/switchboardIntegrations`;
        const { switchboardIntegrations } = await read(RESPONSES.integrations, get(path), call);
        names.push(...switchboardIntegrations.map(({ name }) => name));
      }
      return names;
    },
  };
}

/**
 * Tags and priority of a ticket, by the names that public integrations of others use: Zendesk's reference has none. No
 * name is known for the group, so the department is a tag, which a trigger can act on. A tag has no spaces.
 */
function ticketFields(
  { tags = [], priority, department }: HandoffRoute,
  own: readonly string[],
): Readonly<Record<string, string>> {
  const all = [...tags, ...(department ? [`department_${department}`] : []), ...own];
  return {
    ...(all.length > 0 && {
      'dataCapture.systemField.tags': all.map((tag) => tag.replace(/[\s,]+/g, '_')).join(','),
    }),
    ...(priority && { 'dataCapture.systemField.priority': priority }),
  };
}
