// @ts-check
/**
 * A made-up human-service system with an HTTP API, for the adapter beside it: cases that agents answer, signed
 * webhooks that tell what they do. It keeps everything in memory.
 *
 *   POST /cases                { reference, customer, text }   201 { id }
 *   GET  /cases?reference=…                                    200 { cases: [{ id }] }
 *   POST /cases/<id>/messages  { text }                        201 { id }     a closed case opens again
 *   PUT  /cases/<id>           { status: 'closed' }            200
 *   GET  /me                                                   200 { name }
 */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** The longest message. */
export const MAX_TEXT = 2_000;

/**
 * @typedef {{ id: string, author: 'api' | 'agent', kind: 'message' | 'note', text: string }} Entry
 * @typedef {{ id: string, reference: string, customer: string, status: 'open' | 'closed', entries: Entry[] }} Case
 * @typedef {{ kind: 'message' | 'note' | 'joined' | 'closed', author: 'api' | 'agent', text?: string, message?: string }} Happening
 */

/**
 * Starts the desk.
 * @param {{ token: string, secret: string, webhookUrl: string }} settings
 */
export async function startTinyDesk({ token, secret, webhookUrl }) {
  /** @type {Map<string, Case>} */
  const cases = new Map();
  let webhooks = Promise.resolve();

  /** Tells the webhook, one request after another, each of what happened in one act. @param {string} id @param {Happening[]} happenings */
  const tell = (id, ...happenings) => {
    const events = happenings.map((happening) => ({
      id: randomUUID(),
      case: id,
      agent: 'Ada',
      ...happening,
    }));
    const body = JSON.stringify({ events });
    const time = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-tiny-time': time,
      'x-tiny-signature': signature,
    };
    const send = () => fetch(webhookUrl, { method: 'POST', headers, body }).then((answer) => answer.text());
    webhooks = webhooks.then(send).then(
      () => {},
      () => {},
    );
  };

  /** @param {string} id */
  const caseOf = (id) => {
    const found = cases.get(id);
    if (!found) throw new Error(`there is no case ${id}`);
    return found;
  };

  /** @param {string} id @param {Entry['author']} author @param {Entry['kind']} kind @param {string} text @returns {Happening} */
  const write = (id, author, kind, text) => {
    const entry = { id: randomUUID(), author, kind, text };
    caseOf(id).entries.push(entry);
    return { kind, author, text, message: entry.id };
  };

  /** @param {string} id @param {Entry['author']} author @returns {Happening} */
  const close = (id, author) => {
    caseOf(id).status = 'closed';
    return { kind: 'closed', author };
  };

  /** @param {string} route @param {string} id @param {any} body @param {URLSearchParams} query @returns {[number, object]} */
  const answer = (route, id, body, query) => {
    if (route === 'GET /me') return [200, { name: 'handoff' }];
    if (route === 'GET /cases') {
      const found = [...cases.values()].filter(({ reference }) => reference === query.get('reference'));
      return [200, { cases: found.map((each) => ({ id: each.id })) }];
    }
    if (route === 'POST /cases') {
      const { reference, customer, text } = body;
      const made = {
        id: `case-${randomUUID()}`,
        reference,
        customer,
        status: /** @type {const} */ ('open'),
        entries: [],
      };
      cases.set(made.id, made);
      tell(made.id, write(made.id, 'api', 'message', text));
      return [201, { id: made.id }];
    }
    if (!cases.has(id)) return [404, { error: 'there is no such case' }];
    if (route === 'POST /cases/messages') {
      if (body.text.length > MAX_TEXT) return [422, { error: `longer than ${MAX_TEXT}` }];
      caseOf(id).status = 'open';
      const happening = write(id, 'api', 'message', body.text);
      tell(id, happening);
      return [201, { id: happening.message }];
    }
    if (route === 'PUT /cases' && body.status === 'closed') {
      tell(id, close(id, 'api'));
      return [200, { id }];
    }
    return [404, { error: 'there is nothing here' }];
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
        ? answer(route, id, text === '' ? {} : JSON.parse(text), searchParams)
        : [401, { error: 'the token is not known' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();

  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    cases,
    /** What an agent does on the screen. */
    agent: {
      /** @param {string} id @param {string} text */
      reply: async (id, text) => tell(id, write(id, 'agent', 'message', text)),
      /** @param {string} id @param {string} text */
      note: async (id, text) => tell(id, write(id, 'agent', 'note', text)),
      /** @param {string} id */
      join: async (id) => tell(id, { kind: 'joined', author: 'agent' }),
      /** @param {string} id */
      close: async (id) => tell(id, close(id, 'agent')),
      /** @param {string} id @param {string} text */
      replyAndClose: async (id, text) => tell(id, write(id, 'agent', 'message', text), close(id, 'agent')),
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
