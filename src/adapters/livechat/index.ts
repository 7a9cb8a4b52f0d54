/**
 * The LiveChat adapter: a handed-over conversation is a chat of a customer.
 *
 * @module
 */
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  type ConversationRef,
  defineAdapter,
  type HandoffSession,
  keyHash,
  nullIf,
  readExtra,
  runCheck,
  secretResult,
  sessionText,
  undeliveredNote,
  userName,
} from '../../bridge/index.js';
import { createLiveChatApi, type LiveChatApi } from './api.js';
import { checkSettings, type LiveChatSettings } from './settings.js';
import { chatEvents, parse, verify } from './webhook.js';

export type { LiveChatSettings } from './settings.js';

/** A message has at most 16 kB, and a character up to 4 bytes. */
const MAX_TEXT = 4_000;
/** How many of the newest chats `find` looks at: the most that LiveChat returns at once. */
const NEWEST_CHATS = 100;

/**
 * Creates the adapter for LiveChat.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: livechat({ clientId: '…', clientSecret: '…', refreshToken: '…', webhookSecret: '…' }),
 * });
 * app.use('/livechat', bridge.webhook);
 */
export function livechat(settings: LiveChatSettings): Adapter {
  const checked = checkSettings(settings);
  const api = createLiveChatApi(checked);

  return defineAdapter({
    name: 'livechat',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
    },
    async open(session, call) {
      const group = groupOf(session);
      // A customer has one chat, so each handoff is a customer.
      const customer = await api.customer(null, call);
      await api.updateCustomer(customer, customerName(session), fieldsOf(session), call);
      const text = sessionText(session, { maxLength: MAX_TEXT });
      const externalId = await api.startChat(customer, text, group, call);
      return { externalId, extra: { customer: customer.id } };
    },
    async find(session, call) {
      const name = customerName(session);
      for (const { id, users } of await api.listChats(NEWEST_CHATS, call)) {
        const customer = users?.find((user) => user.type === 'customer' && user.name === name);
        if (customer) return { externalId: id, extra: { customer: customer.id } };
      }
      return null;
    },
    async send(ref, { text }, call) {
      const customer = await api.customer(customerOf(ref), call);
      return { messageId: await api.sendMessage(customer, ref.externalId, text, call) };
    },
    async close(ref, _reason, call) {
      const customer = await api.customer(customerOf(ref), call);
      // One that an agent closed needs no close.
      await api.deactivateChat(customer, ref.externalId, call).catch(nullIf('gone'));
    },
    async catchUp({ externalId }, since, call) {
      return chatEvents(await api.chat(externalId, call), since);
    },
    async undelivered({ externalId }, message, reason, call) {
      await api.tellAgents(externalId, undeliveredNote(message, reason).slice(0, MAX_TEXT), call);
    },
    verify: (request) => verify(checked.webhookSecrets, request),
    parse,
    check: (call) => checkSetup(api, call),
  });
}

/** The name of the customer. It ends with a part of the session's hash, by which `find` recognises the chat. */
const customerName = (session: HandoffSession): string =>
  `${userName(session.user).slice(0, 100)} #${keyHash(session, 12)}`;

/** Groups are numbered. */
function groupOf({ route }: HandoffSession): number | null {
  if (route?.department === undefined) return null;
  if (/^\d{1,9}$/.test(route.department)) return Number(route.department);
  throw new AdapterError('invalid', 'LiveChat: the department must be the id of a group, which is a number.');
}

/** What agents see beside the chat. */
function fieldsOf({ user, botId, route }: HandoffSession): Readonly<Record<string, string>>[] {
  const fields = {
    user: user.key,
    email: user.email,
    phone: user.phone,
    bot: botId,
    priority: route?.priority,
    tags: route?.tags?.join(', '),
  };
  return Object.entries(fields).flatMap(([name, value]) => (value ? [{ [name]: value.slice(0, 500) }] : []));
}

const customerOf = (ref: ConversationRef): string => readExtra('LiveChat', ref, 'customer');

/** Checks the authorization and its scopes. Writes nothing to LiveChat. */
async function checkSetup(api: LiveChatApi, call: AdapterCall): Promise<readonly AdapterCheckResult[]> {
  const secret = secretResult('webhook secret');
  const authorization = await runCheck(
    'authorization',
    async () => {
      await api.listChats(1, call);
      return 'The agent may list chats.';
    },
    'Check LIVECHAT_CLIENT_ID, LIVECHAT_CLIENT_SECRET and LIVECHAT_REFRESH_TOKEN, and the scopes customers:own, chats--all:ro and chats--all:rw.',
  );
  return [authorization, secret];
}
