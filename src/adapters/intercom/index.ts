/**
 * The Intercom adapter: a handed-over conversation is a conversation of a contact, in the inbox of the workspace.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  type ConversationRef,
  defineAdapter,
  type HandoffSession,
  type OpenedConversation,
  sessionText,
} from '../../bridge/index.js';
import { createIntercomApi, type IntercomApi } from './api.js';
import { checkSettings, type IntercomSettings } from './settings.js';
import { NOTICE_PREFIX, parse, verify } from './webhook.js';

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
    const externalId = contactKey(user.key);
    const name = user.userId ?? user.anonymousId ?? 'Visitor';
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
      // 10,000 requests a minute for an app, in windows of ten seconds.
      rate: { overall: { count: 1_600, perMs: 10_000 } },
    },
    async open(session, call) {
      await loadMe(call);
      const contact = await ensureContact(session, call);
      const reference = referenceOf(session);
      const text = sessionText(session, { maxLength: MAX_TEXT - reference.length - 2 });
      const id = await api.createConversation(contact, `${text}\n\n${reference}`, call);
      return toOpened(id, contact.id, call);
    },
    async find(session, call) {
      const contact = await api.findContact(contactKey(session.user.key), call);
      if (!contact) return null;
      const since = new Date(session.requestedAt.getTime() - CLOCK_SKEW_MS);
      const conversations = await api.conversationsSince(contact.id, since, call);
      const found = conversations.find(({ source }) => source?.body?.includes(referenceOf(session)));
      return found ? toOpened(found.id, contact.id, call) : null;
    },
    async send(ref, { text }, call) {
      await api.replyAsContact(ref.externalId, contactOf(ref), text, call);
      // Not needed: whatever the contact writes is ours.
      return { messageId: null };
    },
    async close({ externalId }, { text }, call) {
      const { id } = await loadMe(call);
      try {
        await api.closeConversation(externalId, id, `${NOTICE_PREFIX}${text}`, call);
      } catch (error) {
        // A deleted conversation needs no close.
        if (!(error instanceof AdapterError) || error.kind !== 'gone') throw error;
      }
    },
    verify: (request) => verify(checked.clientSecrets, request),
    parse,
    check: (call) => checkSetup(api, call),
  });
}

/** Identifies a contact. Long ids are hashed: Intercom limits an external id to 255 characters. */
const contactKey = (key: string): string => (key.length <= 255 ? key : `sha256:${sha256(key)}`);

/** Ends the first message. `find` recognises a conversation by it, since a new one cannot carry attributes. */
const referenceOf = ({ key }: HandoffSession): string => `Reference: ${sha256(key).slice(0, 20)}`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The contact of `open`, in whose name messages are written. */
function contactOf({ extra: { contact } }: ConversationRef): string {
  if (contact) return contact;
  throw new AdapterError('invalid', 'This conversation was not opened by the Intercom adapter.');
}

/** Checks the token and its permissions. Writes nothing to Intercom. */
async function checkSetup(api: IntercomApi, call: AdapterCall): Promise<readonly AdapterCheckResult[]> {
  const secret = {
    name: 'client secret',
    ok: true,
    detail: "Set. The first webhook shows whether it is the app's.",
  };
  try {
    const { name, app } = await api.me(call);
    const owner = `${name ?? 'an admin'} in ${app?.name ?? 'a workspace'}, region ${app?.region ?? 'unknown'}`;
    const token = { name: 'access token', ok: true, detail: `It belongs to ${owner}.` };
    return [token, await checkPermission(api, call), secret];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const detail = `${error.message} Check INTERCOM_ACCESS_TOKEN, and INTERCOM_API_URL for a workspace outside the US.`;
    return [{ name: 'access token', ok: false, detail }, secret];
  }
}

async function checkPermission(api: IntercomApi, call: AdapterCall): Promise<AdapterCheckResult> {
  const name = 'permissions';
  try {
    await api.conversationsSince('handoff-kit-check', new Date(), call);
    return { name, ok: true, detail: 'The app may read conversations.' };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const detail = `${error.message} Allow the app to read and write users and conversations.`;
    return { name, ok: false, detail };
  }
}
