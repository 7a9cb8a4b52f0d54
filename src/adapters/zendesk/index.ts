/**
 * The Zendesk adapter: a handed-over conversation is a messaging conversation in the Agent Workspace, through the
 * Conversations API (Sunshine Conversations).
 *
 * @module
 */
import { createHash } from 'node:crypto';
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  defineAdapter,
  type HandoffSession,
  sessionText,
  verifySecret,
} from '../../bridge/index.js';
import { type Conversation, type ConversationsApi, createConversationsApi, SESSION_METADATA } from './api.js';
import { checkSettings, type ZendeskSettings } from './settings.js';
import { parse } from './webhook.js';

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
    await api.postMessage(id, { type: 'business', displayName: 'handoff-kit' }, text, call);
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
      await api.ensureUser(user, session.user.userId ?? session.user.anonymousId ?? 'Visitor', call);
      const { id } =
        (await findExisting(session, call)) ?? (await api.createConversation(user, session.key, call));
      // Before the first message, which the default responder, often a bot, would answer.
      await api.passControl(id, agentIntegration, call);
      if (!(await api.hasMessages(id, call))) {
        const text = sessionText(session, { maxLength: MAX_TEXT });
        await api.postMessage(id, { type: 'user', userExternalId: user }, text, call);
      }
      return { externalId: id };
    },
    async find(session, call) {
      const existing = await findExisting(session, call).catch(nullIfGone);
      // Without its first message it is incomplete, and `open` completes it.
      return existing && (await api.hasMessages(existing.id, call)) ? { externalId: existing.id } : null;
    },
    async send({ externalId, user }, { text }, call) {
      const author = { type: 'user', userExternalId: userKey(user) };
      return { messageId: await api.postMessage(externalId, author, text, call) };
    },
    async close({ externalId }, { text }, call) {
      // A deleted conversation needs no close.
      await release(externalId, text, call).catch(nullIfGone);
    },
    verify: ({ headers }) => verifySecret({ secrets: checked.webhookSecrets, given: headers['x-api-key'] }),
    parse: (request) => parse(request, agentIntegration),
    check: (call) => checkSetup(api, agentIntegration, call),
  });
}

/** Identifies a user. Long ids are hashed. */
const userKey = ({ key }: HandoffSession['user']): string =>
  key.length <= 128 ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;

function nullIfGone(error: unknown): null {
  if (error instanceof AdapterError && error.kind === 'gone') return null;
  throw error;
}

/** Checks address, credentials and the agents' integration. Writes nothing to Zendesk. */
async function checkSetup(
  api: ConversationsApi,
  agentIntegration: string,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  const secret = {
    name: 'webhook secret',
    ok: true,
    detail: "Set. The first webhook shows whether it is the webhook's.",
  };
  try {
    const { displayName } = await api.app(call);
    const app = {
      name: 'app',
      ok: true,
      detail: `The key is for the app ${displayName ?? 'without a name'}.`,
    };
    const names = await api.integrationNames(call);
    const ok = names.includes(agentIntegration);
    const detail = ok
      ? `Agents answer in ${agentIntegration}.`
      : `The switchboard has no integration ${agentIntegration}; it has ${names.join(', ') || 'none'}. Set ZENDESK_AGENT_INTEGRATION to the one where agents answer.`;
    return [app, { name: 'switchboard', ok, detail }, secret];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const detail = `${error.message} Check ZENDESK_API_URL, ZENDESK_APP_ID, ZENDESK_KEY_ID and ZENDESK_KEY_SECRET.`;
    return [{ name: 'app', ok: false, detail }, secret];
  }
}
