/** The smallest adapter, for a made-up helpdesk. */
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
  verifySignature,
} from 'handoff-kit/adapter';

export type DeskSettings = { readonly baseUrl: string; readonly token: string; readonly secret: string };

export function tinyDesk({ baseUrl, token, secret }: DeskSettings) {
  const headers = { authorization: `Bearer ${token}` };
  const http = createAdapterHttp({ helpdesk: 'Tiny Desk', baseUrl, headers });
  return defineAdapter({
    name: 'tiny-desk',
    capabilities: { inbound: ['webhook'], nativeClose: true, messageIds: true, maxTextLength: 2_000 },
    async open({ key, user, transcript }, call) {
      const text = transcriptText(transcript, { maxLength: 2_000 });
      const json = { reference: key, customer: user.key, text };
      const { body } = await http({ method: 'POST', path: '/cases', json }, call);
      return { externalId: idOf(body) };
    },
    async find({ key }, call) {
      const path = `/cases?reference=${encodeURIComponent(key)}`;
      const { body } = await http({ method: 'GET', path }, call);
      const [first] = Object(body).cases;
      return first === undefined ? null : { externalId: idOf(first) };
    },
    async send({ externalId }, { text }, call) {
      const path = `${pathOf(externalId)}/messages`;
      const { body } = await http({ method: 'POST', path, json: { text } }, call);
      return { messageId: idOf(body) };
    },
    async close({ externalId }, _reason, call) {
      await http({ method: 'PUT', path: pathOf(externalId), json: { status: 'closed' } }, call);
    },
    verify({ headers: { 'x-tiny-time': time = '', 'x-tiny-signature': signature }, body, receivedAt }) {
      const payload = Buffer.concat([Buffer.from(`${time}.`), body]);
      const signedAt = Number(time) * 1_000;
      return verifySignature({ secrets: [secret], payload, signature, signedAt, receivedAt });
    },
    parse: ({ body }) => ({ events: eventsIn(body.toString('utf8')) }),
    async check(call) {
      await http({ method: 'GET', path: '/me' }, call);
      return [{ name: 'token', ok: true, detail: 'accepted' }];
    },
  });
}

const pathOf = (id: string): string => `/cases/${encodeURIComponent(id)}`;
const idOf = (body: unknown): string => String(Object(body).id);

function eventsIn(text: string): InboundEvent[] {
  try {
    return JSON.parse(text).events.flatMap(toInbound);
  } catch (cause) {
    throw new AdapterError('invalid', 'Tiny Desk sent a webhook that cannot be read.', { cause });
  }
}

function toInbound(event: unknown): InboundEvent[] {
  const { id, case: externalId, kind, author: by, agent, text, message, files } = asObject(event);
  if (typeof id !== 'string' || typeof externalId !== 'string') throw new Error('an event without ids');
  const author: MessageAuthor = { kind: by === 'agent' ? 'agent' : 'self', name: asText(agent) || null };
  const base = { id, externalId, author };
  if (kind === 'joined' || kind === 'closed') return [{ ...base, kind }];
  if (kind !== 'message' && kind !== 'note') return [];
  const attachments = asObjects(files).map(({ name, url }) => ({
    name: asText(name),
    contentType: null,
    url: asText(url),
  }));
  const content = { text: asText(text), attachments, internal: kind === 'note' };
  return [{ ...base, kind: 'message', ...content, messageId: asText(message) || null }];
}
