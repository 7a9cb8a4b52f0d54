// @ts-check
/**
 * A made-up helpdesk with an HTTP API and signed webhooks, which keeps everything in memory.
 *
 *   POST /cases                { reference, customer, text }   201 { id }
 *   GET  /cases?reference=…                                    200 { cases: [{ id }] }
 *   GET  /cases/<id>                                           200 { id, status, entries }
 *   GET  /cases/<id>/events?since=<time>                       200 { events }
 *   POST /cases/<id>/messages  { text }                        201 { id }     reopens a closed case
 *   POST /cases/<id>/notes     { text }                        201 { id }
 *   PUT  /cases/<id>           { status: 'closed' }            200
 *   GET  /me                                                   200 { name }
 */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const AGENT = 'Ada';

export const MAX_TEXT = 2_000;

/**
 * @typedef {{ id: string, author: 'api' | 'agent', kind: 'message' | 'note', text: string }} Entry
 * @typedef {{ id: string, reference: string, customer: string, status: 'open' | 'closed', entries: Entry[] }} Case
 * @typedef {{ name: string, contentType: string, url: string }} DeskFile
 * @typedef {{ id: string, case: string, agent: string, at: number } & DeskAction} DeskEvent
 * @typedef {{ kind: 'message' | 'note' | 'joined' | 'closed', author: 'api' | 'agent', text?: string, message?: string, files?: DeskFile[] }} DeskAction
 */

/** @param {{ token: string, secret: string, webhookUrl: string }} settings */
export async function startTinyDesk({ token, secret, webhookUrl }) {
  /** @type {Map<string, Case>} */
  const cases = new Map();
  /** @type {DeskEvent[]} */
  const history = [];
  let webhooks = Promise.resolve();

  /** Sends the actions to the webhook in one request, after all earlier requests. @param {string} id @param {DeskAction[]} actions */
  const sendWebhook = (id, ...actions) => {
    const events = actions.map((action) => ({
      id: randomUUID(),
      case: id,
      agent: AGENT,
      at: Date.now(),
      ...action,
    }));
    history.push(...events);
    const body = JSON.stringify({ events });
    const time = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-tiny-time': time,
      'x-tiny-signature': signature,
    };
    const send = () =>
      fetch(webhookUrl, { method: 'POST', headers, body }).then((response) => response.text());
    webhooks = webhooks.then(send).then(
      () => {},
      () => {},
    );
  };

  /** @param {string} id */
  const getCase = (id) => {
    const found = cases.get(id);
    if (!found) throw new Error(`there is no case ${id}`);
    return found;
  };

  /** @param {string} id @param {Entry['author']} author @param {Entry['kind']} kind @param {string} text @returns {DeskAction} */
  const write = (id, author, kind, text) => {
    const entry = { id: randomUUID(), author, kind, text };
    getCase(id).entries.push(entry);
    return { kind, author, text, message: entry.id };
  };

  /** @param {string} id @param {Entry['author']} author @returns {DeskAction} */
  const close = (id, author) => {
    getCase(id).status = 'closed';
    return { kind: 'closed', author };
  };

  /** @param {string} route @param {string} id @param {any} body @param {URLSearchParams} query @returns {[number, object]} */
  const respond = (route, id, body, query) => {
    if (route === 'GET /me') return [200, { name: 'handoff' }];
    if (route === 'GET /cases' && id === '') {
      const found = [...cases.values()].filter(({ reference }) => reference === query.get('reference'));
      return [200, { cases: found.map((each) => ({ id: each.id })) }];
    }
    if (route === 'POST /cases') {
      const { reference, customer, text } = body;
      const created = {
        id: `case-${randomUUID()}`,
        reference,
        customer,
        status: /** @type {const} */ ('open'),
        entries: [],
      };
      cases.set(created.id, created);
      sendWebhook(created.id, write(created.id, 'api', 'message', text));
      return [201, { id: created.id }];
    }
    if (!cases.has(id)) return [404, { error: 'there is no such case' }];
    if (route === 'GET /cases') return [200, { ...getCase(id) }];
    if (route === 'GET /cases/events') {
      const since = Date.parse(query.get('since') ?? '');
      return [200, { events: history.filter((event) => event.case === id && event.at >= since) }];
    }
    if (route === 'POST /cases/notes') {
      const action = write(id, 'api', 'note', body.text);
      sendWebhook(id, action);
      return [201, { id: action.message }];
    }
    if (route === 'POST /cases/messages') {
      if (body.text.length > MAX_TEXT) return [422, { error: `longer than ${MAX_TEXT}` }];
      getCase(id).status = 'open';
      const action = write(id, 'api', 'message', body.text);
      sendWebhook(id, action);
      return [201, { id: action.message }];
    }
    if (route === 'PUT /cases' && body.status === 'closed') {
      sendWebhook(id, close(id, 'api'));
      return [200, { id }];
    }
    return [404, { error: 'not found' }];
  };

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const serve = async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://desk');
    const [, kind = '', id = '', below = ''] = pathname.split('/');
    const route = `${request.method} /${kind}${below && `/${below}`}`;
    const [status, body] =
      request.headers.authorization === `Bearer ${token}`
        ? respond(route, id, text === '' ? {} : JSON.parse(text), searchParams)
        : [401, { error: 'invalid token' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();

  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    cases,
    /** An agent's actions in the user interface. */
    agent: {
      name: AGENT,
      /** @param {string} id @param {string} text */
      reply: async (id, text) => sendWebhook(id, write(id, 'agent', 'message', text)),
      /** @param {string} id @param {string} text */
      note: async (id, text) => sendWebhook(id, write(id, 'agent', 'note', text)),
      /** @param {string} id @param {{ name: string, contentType: string, text: string }} file */
      attach: async (id, { name, contentType, text }) => {
        const url = `https://files.tiny-desk.example/${name}`;
        const files = [{ name, contentType, url }];
        sendWebhook(id, { ...write(id, 'agent', 'message', text), files });
        return url;
      },
      /** @param {string} id */
      join: async (id) => sendWebhook(id, { kind: 'joined', author: 'agent' }),
      /** @param {string} id */
      close: async (id) => sendWebhook(id, close(id, 'agent')),
      /** @param {string} id @param {string} text */
      replyAndClose: async (id, text) =>
        sendWebhook(id, write(id, 'agent', 'message', text), close(id, 'agent')),
    },
    async stop() {
      await webhooks;
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
