// @ts-check
/** An adapter for your own helpdesk, here the one in tiny-desk.js. docs/adapters.md explains each method. */
import {
  AdapterError,
  createAdapterHttp,
  defineAdapter,
  transcriptText,
  undeliveredNote,
  verifySignature,
} from 'handoff-kit/adapter';

/**
 * @typedef {{ name: string, contentType: string, url: string }[]} DeskFiles
 * @typedef {{ id: string, case: string, kind: string, author: string, agent: string, text?: string, message?: string, files?: DeskFiles }} DeskEvent
 * @param {{ baseUrl: string, token: string, secret: string }} settings
 */
export function tinyDesk({ baseUrl, token, secret }) {
  const headers = { authorization: `Bearer ${token}` };
  const http = createAdapterHttp({ helpdesk: 'Tiny Desk', baseUrl, headers });
  const pathOf = (/** @type {string} */ id) => `/cases/${encodeURIComponent(id)}`;

  return defineAdapter({
    name: 'tiny-desk',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: 2_000,
      // Webhooks can overtake one another, so the bridge asks catchUp for their order.
      unordered: true,
    },

    async open(session, call) {
      const text = transcriptText(session.transcript, { maxLength: 2_000 });
      // The request that creates the case also stores the reference, so that find can rely on it.
      const json = { reference: session.key, customer: session.user.key, text };
      const { body } = await http({ method: 'POST', path: '/cases', json }, call);
      return { externalId: idOf(body) };
    },

    async find({ key }, call) {
      const path = `/cases?reference=${encodeURIComponent(key)}`;
      const { body } = await http({ method: 'GET', path }, call);
      const [first] = /** @type {{ cases: unknown[] }} */ (body).cases;
      return first === undefined ? null : { externalId: idOf(first) };
    },

    async send({ externalId }, { text }, call) {
      const path = `${pathOf(externalId)}/messages`;
      const { body } = await http({ method: 'POST', path, json: { text } }, call);
      return { messageId: idOf(body) };
    },

    async catchUp({ externalId }, since, call) {
      const path = `${pathOf(externalId)}/events?since=${since.toISOString()}`;
      const { body } = await http({ method: 'GET', path }, call);
      return /** @type {{ events: DeskEvent[] }} */ (body).events.map(toInbound);
    },

    async undelivered({ externalId }, message, reason, call) {
      const json = { text: undeliveredNote(message, reason) };
      await http({ method: 'POST', path: `${pathOf(externalId)}/notes`, json }, call);
    },

    async close({ externalId }, _reason, call) {
      await http({ method: 'PUT', path: pathOf(externalId), json: { status: 'closed' } }, call);
    },

    verify: ({ headers: { 'x-tiny-time': time = '', 'x-tiny-signature': signature }, body, receivedAt }) =>
      verifySignature({
        secrets: [secret],
        payload: `${time}.${body.toString('utf8')}`,
        signature,
        signedAt: Number(time) * 1_000,
        receivedAt,
      }),

    parse: ({ body }) => ({ events: readEvents(body).map(toInbound) }),

    async check(call) {
      try {
        await http({ method: 'GET', path: '/me' }, call);
        return [{ name: 'token', ok: true, detail: 'accepted' }];
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        return [{ name: 'token', ok: false, detail: `${error.message} Check the token and the address.` }];
      }
    },
  });
}

/** @param {unknown} body */
function idOf(body) {
  if (typeof body === 'object' && body !== null && 'id' in body) return String(body.id);
  throw new AdapterError('invalid', 'Tiny Desk answered without an id. Is the address that of its API?');
}

/** @param {Buffer} body @returns {DeskEvent[]} */
function readEvents(body) {
  try {
    const { events } = JSON.parse(body.toString('utf8'));
    if (Array.isArray(events)) return events;
  } catch {}
  throw new AdapterError('invalid', 'Tiny Desk sent a request without events.');
}

/** @param {DeskEvent} event @returns {import('handoff-kit/adapter').InboundEvent} */
function toInbound({ id, case: externalId, kind, author: authorType, agent, ...rest }) {
  /** @type {import('handoff-kit/adapter').InboundEvent['author']} */
  const author = authorType === 'agent' ? { kind: 'agent', name: agent } : { kind: 'self', name: null };
  const base = { id, externalId, author };
  if (kind === 'joined' || kind === 'closed') return { ...base, kind };
  const { text = '', message: messageId = null, files: attachments = [] } = rest;
  return { ...base, kind: 'message', text, attachments, internal: kind === 'note', messageId };
}
