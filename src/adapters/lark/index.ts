/**
 * The Lark (Feishu) adapter: a handed-over conversation is a thread of a group chat.
 *
 * @module
 */
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  createAgentNames,
  defineAdapter,
  runCheck,
  secretResult,
  undeliveredNote,
} from '../../bridge/index.js';
import { createLarkApi, type LarkApi } from './api.js';
import { createCatchUp, createClose, createOpening, MAX_TEXT, reply } from './conversation.js';
import { type CheckedSettings, checkSettings, type LarkSettings } from './settings.js';
import { parse, verify } from './webhook.js';

export type { LarkSettings } from './settings.js';

/**
 * Creates the adapter for Lark and Feishu.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: lark({
 *     appId: 'cli_…',
 *     appSecret: '…',
 *     encryptKey: '…',
 *     verificationToken: '…',
 *     chat: 'oc_…',
 *     domain: 'https://open.larksuite.com',
 *   }),
 * });
 * app.post('/lark', bridge.webhook);
 */
export function lark(settings: LarkSettings): Adapter {
  const checked = checkSettings(settings);
  const api = createLarkApi(checked);
  return defineAdapter({
    name: 'lark',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: false,
      messageIds: true,
      maxTextLength: MAX_TEXT,
      // All bots of a chat may send 5 messages a second together.
      rate: { overall: { count: 4, perMs: 1_000 } },
      unordered: true,
    },
    ...createOpening(api, checked),
    async send(ref, { key, text }, call) {
      return { messageId: await reply(api, ref, text, ['message', key], call) };
    },
    catchUp: createCatchUp(api, checked),
    agentName: createAgentNames('lark', (id, call) => api.userName(id, call)),
    async undelivered(ref, message, reason, call) {
      const key = ['undelivered', ref.externalId, message.messageId ?? message.text];
      await reply(api, ref, undeliveredNote(message, reason), key, call);
    },
    close: createClose(api),
    verify: (request) => verify(checked, request),
    parse: (request) => parse(checked, request),
    check: (call) => checkSetup(api, checked, call),
  });
}

/** Checks the app, its bot, the chat and the permission to read it. Writes nothing to Lark. */
async function checkSetup(
  api: LarkApi,
  { chat, domain }: CheckedSettings,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  const bot = await runCheck(
    'bot',
    async () => {
      const { app_name, open_id } = await api.bot(call);
      return `The app is ${app_name ?? 'without a name'}; the open id of its bot is ${open_id ?? 'unknown'}.`;
    },
    `Check LARK_APP_ID and LARK_APP_SECRET, and that the app is one of ${new URL(domain).host}.`,
  );
  const secret = secretResult('encrypt key');
  if (!bot.ok) return [bot, secret];
  const group = await runCheck(
    'chat',
    async () => {
      const { name, external } = await api.chat(chat, call);
      const shared = external ? ' It has members of other companies, who can reply too.' : '';
      return `The bot is in ${name || 'the chat'}.${shared}`;
    },
    'Check LARK_CHAT, and that the bot is in this group.',
  );
  const messages = await runCheck(
    'messages',
    async () => {
      const sinceSeconds = Math.floor(Date.now() / 1_000) - 3_600;
      await api.list({ chat, sinceSeconds }, 1, call).next();
      return 'The app may read the messages of the chat.';
    },
    'Add the permission im:message.group_msg, and publish a version.',
  );
  return [bot, group, messages, secret];
}
