/**
 * The Zendesk adapter: a handed-over conversation is a messaging conversation in the Agent Workspace, through the
 * Conversations API (Sunshine Conversations).
 *
 * @module
 */
import { z } from 'zod';
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  defineAdapter,
  type HandoffSession,
  keyWithin,
  nullIf,
  runCheck,
  secretResult,
  sessionText,
  undeliveredNote,
  userName,
  verifySecret,
} from '../../bridge/index.js';
import { type Conversation, type ConversationsApi, createConversationsApi, SESSION_METADATA } from './api.js';
import { checkSettings, type ZendeskSettings } from './settings.js';
import { isTicketWebhook, parseTicketWebhook, verifyTicketWebhook } from './ticket-webhook.js';
import { listedEvents, parse } from './webhook.js';

export type { ZendeskSettings } from './settings.js';

/** The limit of a text message. */
const MAX_TEXT = 4_096;

/**
 * Creates the adapter for Zendesk messaging.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: zendesk({
 *     apiUrl: 'https://example.zendesk.com/sc',
 *     appId: '…',
 *     keyId: 'app_…',
 *     keySecret: '…',
 *     webhookSecret: '…',
 *   }),
 * });
 * app.use('/zendesk', bridge.webhook);
 */
export function zendesk(settings: ZendeskSettings): Adapter {
  const checked = checkSettings(settings);
  const { agentIntegration } = checked;
  const api = createConversationsApi(checked);

  /** The conversation of an earlier `open`, complete or not. */
  const findExisting = async (session: HandoffSession, call: AdapterCall): Promise<Conversation | null> => {
    const conversations = await api.conversationsOf(userKey(session.user), call);
    return conversations.find(({ metadata }) => metadata?.[SESSION_METADATA] === session.key) ?? null;
  };

  /** Tells the agents why, and takes the conversation from them. One that another integration has is closed. */
  const release = async (id: string, text: string, call: AdapterCall): Promise<void> => {
    const { activeSwitchboardIntegration } = await api.conversation(id, call);
    if (activeSwitchboardIntegration?.name !== agentIntegration) return;
    // An earlier attempt may have told them, and not released it.
    const isTold = (await api.newestMessages(id, call)).some((message) => isNotice(message, text));
    if (!isTold) await api.postMessage(id, SYSTEM, text, call);
    await api.releaseControl(id, call);
  };

  return defineAdapter({
    name: 'zendesk',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
    },
    async open(session, call) {
      const user = userKey(session.user);
      await api.ensureUser(user, userName(session.user), call);
      const { id } =
        (await findExisting(session, call)) ?? (await api.createConversation(user, session.key, call));
      // Before the first message, which the default responder, often a bot, would answer.
      await api.passControl(id, agentIntegration, session.route, call);
      if ((await api.newestMessages(id, call)).length === 0) {
        const text = sessionText(session, { maxLength: MAX_TEXT });
        await api.postMessage(id, { type: 'user', userExternalId: user }, text, call);
      }
      return { externalId: id };
    },
    async find(session, call) {
      const existing = await findExisting(session, call).catch(nullIf('gone'));
      // Without its first message it is incomplete, and `open` completes it.
      return existing && (await api.newestMessages(existing.id, call)).length > 0
        ? { externalId: existing.id }
        : null;
    },
    async send({ externalId, user }, { text }, call) {
      const author = { type: 'user', userExternalId: userKey(user) };
      return { messageId: await api.postMessage(externalId, author, text, call) };
    },
    async close({ externalId }, { text }, call) {
      // A deleted conversation needs no close.
      await release(externalId, text, call).catch(nullIf('gone'));
    },
    async catchUp({ externalId }, since, call) {
      // First, so that no message before a close is missing from the list.
      const { activeSwitchboardIntegration: active } = await api.conversation(externalId, call);
      const replies = listedEvents(externalId, await api.messagesSince(externalId, since, call));
      if (active?.name === agentIntegration) return replies;
      // Another id than that of the webhook, which is not listed. The second of the two finds an ended conversation.
      const author = { kind: 'agent', name: null } as const;
      return [...replies, { kind: 'closed', id: `released ${externalId}`, externalId, author }];
    },
    async undelivered({ externalId }, message, reason, call) {
      const text = undeliveredNote(message, reason).slice(0, MAX_TEXT);
      await api.postMessage(externalId, SYSTEM, text, call);
    },
    verify: (request) =>
      isTicketWebhook(request)
        ? verifyTicketWebhook(checked.ticketSecrets ?? [], request)
        : verifySecret({ secrets: checked.webhookSecrets, given: request.headers['x-api-key'] }),
    parse: (request) =>
      isTicketWebhook(request) ? parseTicketWebhook(request) : parse(request, agentIntegration),
    check: async (call) => [
      ...(await checkSetup(api, agentIntegration, call)),
      checked.ticketSecrets
        ? secretResult('ticket secret')
        : { name: 'ticket secret', ok: true, detail: 'Not set. Solving a ticket does not end the handoff.' },
    ],
  });
}

/** The author of what agents are told: nobody but they reads the conversation in Zendesk. */
const SYSTEM = { type: 'business', displayName: 'handoff-kit' };

const isNotice = (message: unknown, text: string): boolean =>
  z
    .object({
      author: z.object({ displayName: z.literal(SYSTEM.displayName) }),
      content: z.object({ text: z.literal(text) }),
    })
    .safeParse(message).success;

/** Identifies a user. */
const userKey = ({ key }: HandoffSession['user']): string => keyWithin(128, key);

/** Checks address, credentials and the agents' integration. Writes nothing to Zendesk. */
async function checkSetup(
  api: ConversationsApi,
  agentIntegration: string,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  const secret = secretResult('webhook secret');
  const app = await runCheck(
    'app',
    async () => `The key is for the app ${(await api.app(call)).displayName ?? 'without a name'}.`,
    CHECK_SETTINGS,
  );
  if (!app.ok) return [app, secret];
  return [app, await checkSwitchboard(api, agentIntegration, call), secret];
}

const CHECK_SETTINGS = 'Check ZENDESK_API_URL, ZENDESK_APP_ID, ZENDESK_KEY_ID and ZENDESK_KEY_SECRET.';

async function checkSwitchboard(
  api: ConversationsApi,
  agentIntegration: string,
  call: AdapterCall,
): Promise<AdapterCheckResult> {
  const check = async () => {
    const names = await api.integrationNames(call);
    if (names.includes(agentIntegration)) return `Agents answer in ${agentIntegration}.`;
    throw new AdapterError(
      'invalid',
      `The switchboard has no integration ${agentIntegration}; it has ${names.join(', ') || 'none'}.`,
    );
  };
  return runCheck('switchboard', check, 'Set ZENDESK_AGENT_INTEGRATION to the one where agents answer.');
}
