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
  type OpenedConversation,
  readExtra,
  referenceLine,
  runCheck,
  secretResult,
  sessionText,
  undeliveredNote,
  userName,
} from '../../bridge/index.js';
import { type ChatThread, createLiveChatApi, type LiveChatApi } from './api.js';
import { checkSettings, type LiveChatSettings } from './settings.js';
import { chatEvents, hasText, parse, threadKey, verify } from './webhook.js';

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

  const prepare = async (id: string | null, session: HandoffSession, call: AdapterCall) => {
    const customer = await api.customer(id, call);
    await api.updateCustomer(customer, customerName(session), fieldsOf(session), call);
    return customer;
  };

  const openNew = async (...[session, text, group, call]: OpenArguments): Promise<OpenedConversation> => {
    const customer = await prepare(null, session, call);
    return toOpened(await api.startChat(customer, text, group, call), customer.id);
  };

  /**
   * Opens the conversation in the chat of an earlier one, so that agents see what was said there. `null` if there is
   * none, if it was deleted, or if it is open: a customer has one chat, so a handoff beside another gets a new customer.
   */
  const openReturning = async (...[session, text, group, call]: OpenArguments) => {
    const earlier = session.previous?.find(({ extra }) => extra?.customer !== undefined);
    if (!earlier?.extra?.customer) return null;
    try {
      const customer = await prepare(earlier.extra.customer, session, call);
      return toOpened(await api.resumeChat(customer, chatOf(earlier), text, group, call), customer.id);
    } catch (error) {
      if (!(error instanceof AdapterError) || !['gone', 'invalid'].includes(error.kind)) throw error;
      return null;
    }
  };

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
      const reference = referenceLine(session);
      const text = `${sessionText(session, { maxLength: MAX_TEXT - reference.length - 2 })}\n\n${reference}`;
      return (await openReturning(session, text, group, call)) ?? openNew(session, text, group, call);
    },
    async find(session, call) {
      const name = customerName(session);
      for (const { id, users } of await api.listChats(NEWEST_CHATS, call)) {
        const customer = users?.find((user) => user.type === 'customer' && user.name === name);
        const chat = customer ? await api.chat({ chatId: id }, call) : null;
        if (customer && chat?.thread && hasText(chat, referenceLine(session)))
          return toOpened({ chatId: id, threadId: chat.thread.id }, customer.id);
      }
      return null;
    },
    async send(ref, { text }, call) {
      const customer = await api.customer(customerOf(ref), call);
      return { messageId: await api.sendMessage(customer, chatOf(ref), text, call) };
    },
    async close(ref, _reason, call) {
      const customer = await api.customer(customerOf(ref), call);
      // One that an agent closed needs no close.
      await api.deactivateChat(customer, chatOf(ref), call).catch(nullIf('gone'));
    },
    async catchUp({ externalId }, since, call) {
      const [chatId = '', threadId = ''] = externalId.split('/');
      return chatEvents(await api.chat({ chatId, threadId }, call), since);
    },
    async undelivered(ref, message, reason, call) {
      await api.tellAgents(chatOf(ref), undeliveredNote(message, reason).slice(0, MAX_TEXT), call);
    },
    verify: (request) => verify(checked.webhookSecrets, request),
    parse,
    check: (call) => checkSetup(api, call),
  });
}

type OpenArguments = [session: HandoffSession, text: string, group: number | null, call: AdapterCall];

const toOpened = ({ chatId, threadId }: ChatThread, customer: string): OpenedConversation => ({
  externalId: threadKey(chatId, threadId),
  extra: { customer },
});

const chatOf = ({ externalId }: Pick<OpenedConversation, 'externalId'>): string =>
  externalId.split('/')[0] ?? '';

/** The name of the customer. It ends with a part of the user's hash, by which `find` recognises the customer. */
const customerName = ({ user }: HandoffSession): string =>
  `${userName(user).slice(0, 100)} #${keyHash(user, 12)}`;

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
