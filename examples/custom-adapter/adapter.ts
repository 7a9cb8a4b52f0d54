/** An adapter with everything that the bridge can use, for a made-up helpdesk. */
import {
  AdapterError,
  asObject,
  asObjects,
  asText,
  createAdapterHttp,
  defineAdapter,
  type InboundEvent,
  type MessageAuthor,
  transcriptText,
  undeliveredNote,
  verifySignature,
} from 'handoff-kit/adapter';

export interface DeskSettings {
  readonly baseUrl: string;
  readonly token: string;
  readonly secret: string;
}

const MAX_TEXT = 2_000;
/** A list of the desk has 25 events at most; more pages than this are the sign of a mistake. */
const MAX_PAGES = 200;

export function tinyDesk({ baseUrl, token, secret }: DeskSettings) {
  const headers = { authorization: `Bearer ${token}` };
  // The kinds of errors follow from the status: 401 is auth, 404 gone, 429 rate-limited, 5xx transient, 422 invalid.
  const http = createAdapterHttp({ helpdesk: 'Tiny Desk', baseUrl, headers });
  const pathOf = (id: string) => `/cases/${encodeURIComponent(id)}`;

  return defineAdapter({
    name: 'tiny-desk',
    capabilities: {
      inbound: ['webhook'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
      // Webhooks can overtake one another, so the bridge asks catchUp for their order.
      unordered: true,
    },

    async open(session, call) {
      const text = transcriptText(session.transcript, { maxLength: MAX_TEXT });
      // The request that creates the case also stores the reference, so that find can rely on it.
      const json = { reference: session.key, customer: session.user.key, text };
      const { body } = await http({ method: 'POST', path: '/cases', json }, call);
      return { externalId: idOf(body) };
    },

    async find({ key }, call) {
      const path = `/cases?reference=${encodeURIComponent(key)}`;
      const { body } = await http({ method: 'GET', path }, call);
      const [first] = listOf(body, 'cases');
      return first === undefined ? null : { externalId: idOf(first) };
    },

    async send({ externalId }, { text }, call) {
      const path = `${pathOf(externalId)}/messages`;
      const { body } = await http({ method: 'POST', path, json: { text } }, call).catch(goneIfArchived);
      return { messageId: idOf(body) };
    },

    async catchUp({ externalId }, since, call) {
      const events = [];
      let query = `since=${since.toISOString()}`;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const path = `${pathOf(externalId)}/events?${query}`;
        const { body } = await http({ method: 'GET', path }, call);
        events.push(...listOf(body, 'events').flatMap(toInbound));
        const { next } = Object(body);
        if (typeof next !== 'string') break;
        query = `after=${encodeURIComponent(next)}`;
      }
      return events;
    },

    async undelivered({ externalId }, message, reason, call) {
      const json = { text: undeliveredNote(message, reason) };
      await http({ method: 'POST', path: `${pathOf(externalId)}/notes`, json }, call);
    },

    async close({ externalId }, _reason, call) {
      await http({ method: 'PUT', path: pathOf(externalId), json: { status: 'closed' } }, call);
    },

    verify({ headers: { 'x-tiny-time': time = '', 'x-tiny-signature': signature }, body, receivedAt }) {
      // The bytes as they came: JSON that is written again can differ.
      const payload = Buffer.concat([Buffer.from(`${time}.`), body]);
      return verifySignature({
        secrets: [secret],
        payload,
        signature,
        signedAt: Number(time) * 1_000,
        receivedAt,
      });
    },

    parse: ({ body }) => ({ events: listOf(readJson(body), 'events').flatMap(toInbound) }),

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

/** A status with a meaning of its own: an archived case takes no messages any more. */
function goneIfArchived(error: unknown): never {
  const isArchived = error instanceof AdapterError && error.status === 409;
  throw isArchived ? new AdapterError('gone', 'Tiny Desk has archived the case.', { cause: error }) : error;
}

function idOf(body: unknown): string {
  const { id } = Object(body);
  if (typeof id === 'string') return id;
  throw new AdapterError('invalid', 'Tiny Desk answered without an id. Is the address that of its API?');
}

function listOf(body: unknown, name: string): unknown[] {
  const list = Object(body)[name];
  if (Array.isArray(list)) return list;
  throw new AdapterError('invalid', `Tiny Desk sent no ${name}.`);
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new AdapterError('invalid', 'Tiny Desk sent a request that is not JSON.', { cause });
  }
}

/**
 * An event of the desk, from a webhook or a list. Notes and our own messages are reported too, and marked. Kinds of events
 * that a later version of the desk may add are left out.
 */
function toInbound(event: unknown): InboundEvent[] {
  const { case: externalId, kind, author: authorKind, agent, text, message, files } = asObject(event);
  if (typeof externalId !== 'string')
    throw new AdapterError('invalid', 'Tiny Desk sent an event of no case.');
  const author: MessageAuthor =
    authorKind === 'agent' ? { kind: 'agent', name: asText(agent) || null } : { kind: 'self', name: null };
  const base = { id: idOf(event), externalId, author };
  if (kind === 'joined' || kind === 'closed') return [{ ...base, kind }];
  if (kind !== 'message' && kind !== 'note') return [];
  const attachments = asObjects(files).map(({ name, contentType, url }) => ({
    name: asText(name),
    contentType: asText(contentType) || null,
    url: asText(url) || null,
  }));
  const internal = kind === 'note';
  const messageId = asText(message) || null;
  return [{ ...base, kind: 'message', text: asText(text), attachments, internal, messageId }];
}
