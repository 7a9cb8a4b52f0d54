import { z } from 'zod';
import {
  type AdapterCall,
  AdapterError,
  type AdapterHttp,
  type AdapterHttpRequest,
  createAdapterHttp,
  createAdapterReader,
  createTokenAuthorization,
  refreshTokenForm,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

const VERSION = 'v3.5';

/** An access token of an agent or a customer. */
export const tokenSchema = z.object({
  access_token: z.string(),
  expires_in: z.number(),
  organization_id: z.string(),
  /** With the token of a customer: the customer. */
  entity_id: z.string().nullish(),
});
export const startedSchema = z.object({ chat_id: z.string(), thread_id: z.string() });
export const resumedSchema = z.object({ thread_id: z.string() });
export const sentSchema = z.object({ event_id: z.string() });

/** The newest chats, with the customers in them. */
export const chatsSchema = z.object({
  chats_summary: z.array(
    z.object({
      id: z.string(),
      users: z.array(z.object({ id: z.string(), type: z.string(), name: z.string().nullish() })).nullish(),
    }),
  ),
});

/** A chat with one of its threads. */
export const chatSchema = z.object({
  id: z.string(),
  thread: z.object({ id: z.string(), active: z.boolean(), events: z.array(z.unknown()).nullish() }).nullish(),
});

/** A chat is answered with all events of its thread, of up to 16 kB each. */
const MAX_RESPONSE_BYTES = 8 * 1_048_576;

/** A customer, and the token to act as this customer. */
export interface Customer {
  readonly id: string;
  readonly token: string;
  readonly organizationId: string;
}

/** A customer has one chat; each handoff is a thread of it. */
export interface ChatThread {
  readonly chatId: string;
  readonly threadId: string;
}

/** The requests to LiveChat that the adapter makes. */
export type LiveChatApi = ReturnType<typeof createLiveChatApi>;

export function createLiveChatApi(settings: CheckedSettings) {
  const { clientId, apiUrl, accountsUrl } = settings;
  const options = { helpdesk: 'LiveChat', headers: {}, fetch: withInactiveAsGone(settings.fetch) };
  const readerOf = (http: AdapterHttp) =>
    createAdapterReader(http, 'Check that no proxy answers in the place of LiveChat.');
  const readAccounts = readerOf(createAdapterHttp({ ...options, baseUrl: accountsUrl }));
  const chats = createAdapterHttp({ ...options, baseUrl: apiUrl });
  const readChats = readerOf(chats);

  /** The tokens of the agent who authorized the app. */
  const agent = createTokenAuthorization(async (call) => {
    const form = refreshTokenForm(settings);
    const request = { method: 'POST', path: '/v2/token', form } as const;
    const token = await readAccounts(tokenSchema, request, call).catch(asAuth);
    return { value: token.access_token, expiresInSeconds: token.expires_in };
  }, tokenHeaders);
  const asAgent = { ...options, authorization: agent, maxResponseBytes: MAX_RESPONSE_BYTES };
  const readAccountsAsAgent = readerOf(createAdapterHttp({ ...asAgent, baseUrl: accountsUrl }));
  const chatsAsAgent = createAdapterHttp({ ...asAgent, baseUrl: apiUrl });
  const readChatsAsAgent = readerOf(chatsAsAgent);

  const customerAction = (action: string, json: object, { token, organizationId }: Customer) => ({
    ...post(
      `/${VERSION}/customer/action/${action}?organization_id=${encodeURIComponent(organizationId)}`,
      json,
    ),
    headers: tokenHeaders(token),
  });

  return {
    /** A token to act as a customer: an existing one, or a new one without an id. */
    async customer(id: string | null, call: AdapterCall): Promise<Customer> {
      const json = {
        grant_type: 'agent_token',
        client_id: clientId,
        response_type: 'token',
        ...(id !== null && { entity_id: id }),
      };
      const request = post('/v2/customer/token', json);
      const token = await readAccountsAsAgent(tokenSchema, request, call);
      const customerId = token.entity_id ?? id;
      if (customerId === null)
        throw new AdapterError('invalid', 'LiveChat created a customer without an id.');
      return { id: customerId, token: token.access_token, organizationId: token.organization_id };
    },

    async updateCustomer(
      customer: Customer,
      name: string,
      fields: Readonly<Record<string, string>>[],
      call: AdapterCall,
    ) {
      await chats(customerAction('update_customer', { name, session_fields: fields }, customer), call);
    },

    /** Starts the chat of a new customer, in a group of agents or in the default one. */
    async startChat(customer: Customer, text: string, group: number | null, call: AdapterCall) {
      const json = { chat: firstThread(text, group) };
      const started = await readChats(startedSchema, customerAction('start_chat', json, customer), call);
      return { chatId: started.chat_id, threadId: started.thread_id };
    },

    /** Starts another thread of a chat that was closed. */
    async resumeChat(
      customer: Customer,
      chatId: string,
      text: string,
      group: number | null,
      call: AdapterCall,
    ) {
      const json = { chat: { id: chatId, ...firstThread(text, group) } };
      const resumed = await readChats(resumedSchema, customerAction('resume_chat', json, customer), call);
      return { chatId, threadId: resumed.thread_id };
    },

    async sendMessage(customer: Customer, chatId: string, text: string, call: AdapterCall) {
      const json = { chat_id: chatId, event: { type: 'message', text } };
      return (await readChats(sentSchema, customerAction('send_event', json, customer), call)).event_id;
    },

    async deactivateChat(customer: Customer, chatId: string, call: AdapterCall) {
      await chats(customerAction('deactivate_chat', { id: chatId }, customer), call);
    },

    /** Writes a message that only agents see, also to a chat that is closed, which stays so. */
    async tellAgents(chatId: string, text: string, call: AdapterCall) {
      const event = { type: 'message', text, visibility: 'agents' };
      const json = { chat_id: chatId, event, attach_to_last_thread: true };
      await chatsAsAgent(post(`/${VERSION}/agent/action/send_event`, json), call);
    },

    /** The newest chats. */
    async listChats(limit: number, call: AdapterCall) {
      const request = post(`/${VERSION}/agent/action/list_chats`, { limit });
      return (await readChatsAsAgent(chatsSchema, request, call)).chats_summary;
    },

    /** A chat, with what happened in a thread, or in its newest. */
    async chat({ chatId, threadId }: Pick<ChatThread, 'chatId'> & Partial<ChatThread>, call: AdapterCall) {
      const json = { chat_id: chatId, ...(threadId !== undefined && { thread_id: threadId }) };
      return readChatsAsAgent(chatSchema, post(`/${VERSION}/agent/action/get_chat`, json), call);
    },
  };
}

const firstThread = (text: string, group: number | null): object => ({
  ...(group !== null && { access: { group_ids: [group] } }),
  thread: { events: [{ type: 'message', text }] },
});

const post = (path: string, json: object): AdapterHttpRequest => ({ method: 'POST', path, json });

/** The prefix of a token names the data center that answers it. */
function tokenHeaders(token: string): Readonly<Record<string, string>> {
  const [, region] = /^([a-z]+)[\w-]*:/.exec(token) ?? [];
  return { authorization: `Bearer ${token}`, ...(region !== undefined && { 'x-region': region }) };
}

/** A refused refresh token is answered 400. */
function asAuth(error: unknown): never {
  if (!(error instanceof AdapterError) || error.kind !== 'invalid') throw error;
  throw new AdapterError('auth', `${error.message} The refresh token was revoked, or is of another app.`);
}

/** A chat that was closed, archived or deleted takes no messages; LiveChat says so in the body. */
function withInactiveAsGone(fetch: CheckedSettings['fetch']): CheckedSettings['fetch'] {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status < 400 || response.status >= 500 || response.status === 429) return response;
    const text = await response.text();
    const status = text.includes('"chat_inactive"') ? 410 : response.status;
    return new Response(null, { status });
  };
}
