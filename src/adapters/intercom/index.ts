/**
 * The Intercom adapter: a handed-over conversation is a conversation of a contact, in the inbox of the workspace.
 *
 * @module
 */
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  defineAdapter,
  type HandoffSession,
  keyWithin,
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
import { createIntercomApi, type IntercomApi } from './api.js';
import { checkSettings, type IntercomSettings } from './settings.js';
import { conversationEvents, NOTICE_PREFIX, parse, verify } from './webhook.js';

export type { IntercomSettings } from './settings.js';

/** Intercom documents no limit. */
const MAX_TEXT = 10_000;
/** How far Intercom's clock may be behind ours. */
const CLOCK_SKEW_MS = 300_000;

/**
 * Creates the adapter for Intercom.
 *
 * @example
 * const bridge = createBridge({ receiver, adapter: intercom({ accessToken: '…', clientSecret: '…' }) });
 * app.use('/intercom', bridge.webhook);
 */
export function intercom(settings: IntercomSettings): Adapter {
  const checked = checkSettings(settings);
  const api = createIntercomApi(checked);
  let me: Awaited<ReturnType<IntercomApi['me']>> | null = null;
  /** The account of the token. It closes conversations, and never changes. */
  const loadMe = async (call: AdapterCall) => {
    me ??= await api.me(call);
    return me;
  };

  const ensureContact = async ({ user }: HandoffSession, call: AdapterCall) => {
    const externalId = contactKey(user);
    const name = userName(user);
    const contact =
      (await api.findContact(externalId, call)) ??
      (await api.createContact({ external_id: externalId, name }, call)) ??
      // Created by another process in between.
      (await api.findContact(externalId, call));
    if (contact) return contact;
    throw new AdapterError(
      'invalid',
      'Intercom refused to create a contact: one with the same external id may be archived. Delete it permanently, or unarchive it.',
    );
  };

  /** Tags and assigns a new conversation. It is open already, so a failure is logged. */
  const applyRoute = async (id: string, { route = {} }: HandoffSession, call: AdapterCall): Promise<void> => {
    const { tags = [], department } = route;
    try {
      const { id: adminId } = await loadMe(call);
      for (const tag of tags) await api.tagConversation(id, adminId, tag, call);
      if (department !== undefined) await api.assignToTeam(id, adminId, department, call);
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      call.log.error({ err: error }, 'intercom: a conversation was not tagged or assigned as route says');
    }
  };

  const toOpened = async (
    externalId: string,
    contactId: string,
    call: AdapterCall,
  ): Promise<OpenedConversation> => {
    const { app } = await loadMe(call);
    const region = app?.region?.toLowerCase() ?? 'us';
    const host = region === 'us' ? 'app.intercom.com' : `app.${region}.intercom.com`;
    return {
      externalId,
      extra: { contact: contactId },
      ...(app?.id_code && {
        url: `https://${host}/a/inbox/${app.id_code}/inbox/conversation/${externalId}`,
      }),
    };
  };

  return defineAdapter({
    name: 'intercom',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
      // An assumption: Intercom documents no order of its webhooks.
      unordered: true,
      // 10,000 requests a minute for an app, in windows of ten seconds.
      rate: { overall: { count: 1_600, perMs: 10_000 } },
    },
    async open(session, call) {
      await loadMe(call);
      const contact = await ensureContact(session, call);
      const reference = referenceLine(session);
      const text = sessionText(session, { maxLength: MAX_TEXT - reference.length - 2 });
      const id = await api.createConversation(contact, `${text}\n\n${reference}`, call);
      await applyRoute(id, session, call);
      return toOpened(id, contact.id, call);
    },
    async find(session, call) {
      const contact = await api.findContact(contactKey(session.user), call);
      if (!contact) return null;
      const since = new Date(session.requestedAt.getTime() - CLOCK_SKEW_MS);
      const conversations = await api.conversationsSince(contact.id, since, call);
      const found = conversations.find(({ source }) => source?.body?.includes(referenceLine(session)));
      return found ? toOpened(found.id, contact.id, call) : null;
    },
    async send(ref, { text }, call) {
      await api.replyAsContact(ref.externalId, readExtra('Intercom', ref, 'contact'), text, call);
      // Not needed: whatever the contact writes is ours.
      return { messageId: null };
    },
    async close({ externalId }, { text }, call) {
      const { id } = await loadMe(call);
      // A deleted conversation needs no close.
      await api.closeConversation(externalId, id, `${NOTICE_PREFIX}${text}`, call).catch(nullIf('gone'));
    },
    async catchUp({ externalId }, since, call) {
      return conversationEvents(await api.conversation(externalId, call), since);
    },
    async undelivered({ externalId }, message, reason, call) {
      const { id } = await loadMe(call);
      await api.addNote(externalId, id, `${NOTICE_PREFIX}${undeliveredNote(message, reason)}`, call);
    },
    verify: (request) => verify(checked.clientSecrets, request),
    parse,
    check: (call) => checkSetup(api, call),
  });
}

/** Identifies a contact, within Intercom's limit of an external id. */
const contactKey = ({ key }: HandoffSession['user']): string => keyWithin(255, key);

/** Checks the token and its permissions. Writes nothing to Intercom. */
async function checkSetup(api: IntercomApi, call: AdapterCall): Promise<readonly AdapterCheckResult[]> {
  const secret = secretResult('client secret');
  const token = await runCheck(
    'access token',
    async () => {
      const { name, app } = await api.me(call);
      return `It belongs to ${name ?? 'an admin'} in ${app?.name ?? 'a workspace'}, region ${app?.region ?? 'unknown'}.`;
    },
    'Check INTERCOM_ACCESS_TOKEN, and INTERCOM_API_URL for a workspace outside the US.',
  );
  if (!token.ok) return [token, secret];
  const permissions = await runCheck(
    'permissions',
    async () => {
      await api.conversationsSince('handoff-kit-check', new Date(), call);
      return 'The app may read conversations.';
    },
    'Allow the app to read and write users and conversations.',
  );
  return [token, permissions, secret];
}
