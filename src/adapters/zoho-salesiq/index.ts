/**
 * The Zoho SalesIQ adapter: a handed-over conversation is a chat of a visitor, in a department.
 *
 * @module
 */
import {
  type Adapter,
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  defineAdapter,
  keyWithin,
  nullIf,
  referenceLine,
  runCheck,
  secretResult,
  sessionText,
  undeliveredNote,
  userName,
  verifyRsaSignature,
} from '../../bridge/index.js';
import { CLOCK_SKEW_MS, createSalesIqApi, type SalesIqApi } from './api.js';
import { checkSettings, type ZohoSalesIqSettings } from './settings.js';
import { listedEvents, parse } from './webhook.js';

export type { ZohoSalesIqSettings } from './settings.js';

/** Zoho documents no limit. */
const MAX_TEXT = 2_000;
/** How many conversations `find` looks at: the most that Zoho returns at once. */
const NEWEST = 99;

/**
 * Creates the adapter for Zoho SalesIQ.
 *
 * @example
 * const bridge = createBridge({
 *   receiver,
 *   adapter: zohoSalesIq({
 *     screenName: 'example',
 *     appId: '…',
 *     departmentId: '…',
 *     clientId: '1000.…',
 *     clientSecret: '…',
 *     refreshToken: '1000.…',
 *     publicKey: '…',
 *   }),
 * });
 * app.use('/zoho-salesiq', bridge.webhook);
 */
export function zohoSalesIq(settings: ZohoSalesIqSettings): Adapter {
  const { publicKeys, ...checked } = checkSettings(settings);
  const api = createSalesIqApi({ ...checked, publicKeys });

  return defineAdapter({
    name: 'zoho-salesiq',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
    },
    async open(session, call) {
      const { user } = session;
      const reference = referenceLine(session);
      const text = sessionText(session, { maxLength: MAX_TEXT - reference.length - 2 });
      const externalId = await api.open(
        {
          userId: keyWithin(100, user.key),
          name: userName(user),
          department: session.route?.department,
          // First, where nothing cuts it off.
          question: `${reference}\n\n${text}`,
        },
        call,
      );
      return { externalId };
    },
    async find(session, call) {
      const since = session.requestedAt.getTime() - CLOCK_SKEW_MS;
      const conversations = await api.since(since, NEWEST, call);
      const found = conversations.find(({ question }) => question?.includes(referenceLine(session)));
      return found ? { externalId: found.id } : null;
    },
    async send({ externalId }, { text }, call) {
      await api.postMessage(externalId, text, call).catch(async (error: unknown) => {
        // Other statuses are about the message.
        const mayHaveEnded = error instanceof AdapterError && error.status === 400;
        if (!mayHaveEnded || !(await isOfEnded(api, externalId, error, call))) throw error;
        throw new AdapterError('gone', 'Zoho SalesIQ: the conversation has ended.', { cause: error });
      });
      // Not needed: what visitors write is not read from webhooks.
      return { messageId: null };
    },
    close: ({ externalId }, _reason, call) => close(api, externalId, call),
    async catchUp({ externalId }, since, call) {
      // First, so that no message before the end is missing from the list.
      const endTime = await api.endTime(externalId, call);
      const messages = await api.messagesSince(externalId, since.getTime(), call);
      return listedEvents(externalId, messages, endTime);
    },
    async undelivered({ externalId }, message, reason, call) {
      await api.addNote(externalId, undeliveredNote(message, reason).slice(0, MAX_TEXT), call);
    },
    verify: ({ headers, body }) =>
      verifyRsaSignature({ publicKeys, payload: body, signature: headers['x-siqsignature'] }),
    parse,
    check: (call) => checkSetup(api, call),
  });
}

/** One that has ended or was deleted needs no close. */
async function close(api: SalesIqApi, id: string, call: AdapterCall): Promise<void> {
  await api
    .close(id, call)
    .catch(nullIf('gone'))
    .catch(async (error: unknown) => {
      if (!(await isOfEnded(api, id, error, call))) throw error;
    });
}

/** Whether a request was refused because the conversation has ended: the answer itself does not say. */
const isOfEnded = async (api: SalesIqApi, id: string, error: unknown, call: AdapterCall): Promise<boolean> =>
  error instanceof AdapterError && error.kind === 'invalid' && (await api.endTime(id, call)) !== null;

/** Checks the authorization and the ids. Writes nothing to Zoho. */
async function checkSetup(api: SalesIqApi, call: AdapterCall): Promise<readonly AdapterCheckResult[]> {
  const authorization = await runCheck(
    'authorization',
    async () => {
      await api.since(Date.now(), 1, call);
      return 'The client may list conversations.';
    },
    'Check the ids, the client, the refresh token, the data center of ZOHO_SALESIQ_API_URL and ZOHO_ACCOUNTS_URL, and the scopes.',
  );
  return [authorization, secretResult('public key')];
}
