import { z } from 'zod';
import {
  type AdapterCall,
  type AdapterHttpRequest,
  createAdapterHttp,
  type HandoffRoute,
  nullIf,
  readAs,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

/** The key of the metadata by which `find` recognises a conversation. */
export const SESSION_METADATA = 'handoffSession';

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
  conversations: z.object({ conversations: z.array(conversationSchema) }),
  messages: z.object({ messages: z.array(z.object({ id: z.string() })) }),
  switchboards: z.object({ switchboards: z.array(z.object({ id: z.string() })) }),
  integrations: z.object({ switchboardIntegrations: z.array(z.object({ name: z.string() })) }),
} as const;

/** The requests to the Conversations API that the adapter makes. */
export type ConversationsApi = ReturnType<typeof createConversationsApi>;

/** Creates a {@link ConversationsApi}. */
export function createConversationsApi({ apiUrl, appId, credentials, fetch }: CheckedSettings) {
  const http = createAdapterHttp({
    system: 'Zendesk',
    baseUrl: `${apiUrl.replace(/\/+$/, '')}/v2/apps/${appId}`,
    headers: { accept: 'application/json', authorization: `Basic ${credentials}` },
    fetch,
  });
  const read = async <Schema extends z.ZodType>(
    schema: Schema,
    request: AdapterHttpRequest,
    call: AdapterCall,
  ): Promise<z.output<Schema>> => {
    const { body } = await http(request, call);
    return readAs(schema, body, 'The answer is not one of Zendesk: check ZENDESK_API_URL.');
  };
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

    async conversationsOf(userExternalId: string, call: AdapterCall) {
      const query = new URLSearchParams({ 'filter[userExternalId]': userExternalId, 'page[size]': '100' });
      return (await read(RESPONSES.conversations, get(`/conversations?${query.toString()}`), call))
        .conversations;
    },

    async conversation(id: string, call: AdapterCall) {
      return (await read(RESPONSES.conversation, get(pathOf(id)), call)).conversation;
    },

    async createConversation(userExternalId: string, session: string, call: AdapterCall) {
      const participants = [{ userExternalId, subscribeSDKClient: false }];
      const json = { type: 'personal', participants, metadata: { [SESSION_METADATA]: session } };
      return (await read(RESPONSES.conversation, post('/conversations', json), call)).conversation;
    },

    async hasMessages(id: string, call: AdapterCall) {
      // One is enough: a long conversation would exceed the size limit.
      const query = new URLSearchParams({ 'page[size]': '1' });
      const path = pathOf(id, `/messages?${query.toString()}`);
      return (await read(RESPONSES.messages, get(path), call)).messages.length > 0;
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
      const json = { switchboardIntegration, ...(route && { metadata: ticketFields(route) }) };
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

/** The names of system fields of a ticket. A tag has no spaces. */
const ticketFields = ({
  tags = [],
  priority,
  department,
}: HandoffRoute): Readonly<Record<string, string>> => ({
  ...(tags.length > 0 && {
    'dataCapture.systemField.tags': tags.map((tag) => tag.replace(/[\s,]+/g, '_')).join(','),
  }),
  ...(priority && { 'dataCapture.systemField.priority': priority }),
  ...(department && { 'dataCapture.systemField.group_id': department }),
});
