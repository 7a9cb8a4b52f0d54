/**
 * A made-up helpdesk with an HTTP API and signed webhooks, which keeps everything in memory.
 *
 *   POST /cases                { reference, customer, text }   201 { id }
 *   GET  /cases?reference=…                                    200 { cases: [{ id }] }
 *   GET  /cases/<id>                                           200 { id, status, entries }
 *   GET  /cases/<id>/events?since=<time>, or ?after=<event>    200 { events, next }, in pages
 *   POST /cases/<id>/messages  { text }                        201 { id }     reopens a closed case; 409 if archived
 *   POST /cases/<id>/notes     { text }                        201 { id }
 *   PUT  /cases/<id>           { status: 'closed' }            200
 *   GET  /me                                                   200 { name }
 */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const AGENT = 'Ada';

export const MAX_TEXT = 2_000;
/** The most events that a list has. */
export const PAGE_SIZE = 25;

interface DeskOptions {
  readonly token: string;
  readonly secret: string;
  readonly webhookUrl: string;
}

interface Entry {
  readonly id: string;
  readonly author: Author;
  readonly kind: 'message' | 'note';
  readonly text: string;
}

interface Case {
  readonly id: string;
  readonly reference: string;
  readonly customer: string;
  status: 'open' | 'closed' | 'archived';
  readonly entries: Entry[];
}

interface DeskAction {
  readonly kind: 'message' | 'note' | 'joined' | 'closed';
  readonly author: Author;
  readonly text?: string;
  readonly message?: string;
  readonly files?: DeskFile[];
}

interface DeskFile {
  readonly name: string;
  readonly contentType: string;
  readonly url: string;
}

type Author = 'api' | 'agent';
type DeskEvent = DeskAction & { id: string; case: string; agent: string; at: number };
type Answer = [status: number, body: object];
type SentFile = { name: string; contentType: string; text: string };

export async function startTinyDesk({ token, secret, webhookUrl }: DeskOptions) {
  const cases = new Map<string, Case>();
  const history: DeskEvent[] = [];
  let webhooks: Promise<unknown> = Promise.resolve();

  /** Sends the actions to the webhook in one request, after all earlier requests. */
  const sendWebhook = (id: string, ...actions: DeskAction[]) => {
    const at = Date.now();
    const events = actions.map((action) => ({ id: randomUUID(), case: id, agent: AGENT, at, ...action }));
    history.push(...events);
    const body = JSON.stringify({ events });
    const time = String(Math.floor(at / 1000));
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-tiny-time': time,
      'x-tiny-signature': signature,
    };
    const send = async () => (await fetch(webhookUrl, { method: 'POST', headers, body })).text();
    webhooks = webhooks.then(send).catch(() => {});
  };

  const getCase = (id: string) => {
    const found = cases.get(id);
    if (!found) throw new Error(`there is no case ${id}`);
    return found;
  };

  const write = (id: string, author: Author, kind: 'message' | 'note', text: string) => {
    const message = randomUUID();
    getCase(id).entries.push({ id: message, author, kind, text });
    return { kind, author, text, message };
  };

  const close = (id: string, author: Author): DeskAction => {
    getCase(id).status = 'closed';
    return { kind: 'closed', author };
  };

  const listEvents = (id: string, query: URLSearchParams): Answer => {
    const all = history.filter((event) => event.case === id);
    const after = all.findIndex((event) => event.id === query.get('after'));
    const since = Date.parse(query.get('since') ?? '');
    const rest = after < 0 ? all.filter(({ at }) => at >= since) : all.slice(after + 1);
    const events = rest.slice(0, PAGE_SIZE);
    return [200, { events, next: rest.length > events.length ? events.at(-1)?.id : null }];
  };

  const respond = (
    route: string,
    id: string,
    body: Record<string, string>,
    query: URLSearchParams,
  ): Answer => {
    const { reference = '', customer = '', text = '', status } = body;
    if (route === 'GET /me') return [200, { name: 'handoff' }];
    if (route === 'GET /cases' && id === '') {
      const found = [...cases.values()].filter((each) => each.reference === query.get('reference'));
      return [200, { cases: found.map((each) => ({ id: each.id })) }];
    }
    if (route === 'POST /cases') {
      const created: Case = { id: `case-${randomUUID()}`, reference, customer, status: 'open', entries: [] };
      cases.set(created.id, created);
      sendWebhook(created.id, write(created.id, 'api', 'message', text));
      return [201, { id: created.id }];
    }
    if (!cases.has(id)) return [404, { error: 'there is no such case' }];
    if (route === 'GET /cases') return [200, { ...getCase(id) }];
    if (route === 'GET /cases/events') return listEvents(id, query);
    if (route === 'POST /cases/notes' || route === 'POST /cases/messages') {
      const isNote = route === 'POST /cases/notes';
      if (text.length > MAX_TEXT) return [422, { error: `longer than ${MAX_TEXT}` }];
      if (!isNote && getCase(id).status === 'archived') return [409, { error: 'the case is archived' }];
      if (!isNote) getCase(id).status = 'open';
      const action = write(id, 'api', isNote ? 'note' : 'message', text);
      sendWebhook(id, action);
      return [201, { id: action.message }];
    }
    if (route === 'PUT /cases' && status === 'closed') {
      sendWebhook(id, close(id, 'api'));
      return [200, { id }];
    }
    return [404, { error: 'not found' }];
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();

  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    cases,
    /** An agent's actions in the user interface. */
    agent: {
      name: AGENT,
      reply: async (id: string, text: string) => sendWebhook(id, write(id, 'agent', 'message', text)),
      note: async (id: string, text: string) => sendWebhook(id, write(id, 'agent', 'note', text)),
      attach: async (id: string, { name, contentType, text }: SentFile) => {
        const url = `https://files.tiny-desk.example/${name}`;
        const files = [{ name, contentType, url }];
        sendWebhook(id, { ...write(id, 'agent', 'message', text), files });
        return url;
      },
      join: async (id: string) => sendWebhook(id, { kind: 'joined', author: 'agent' }),
      close: async (id: string) => sendWebhook(id, close(id, 'agent')),
      replyAndClose: async (id: string, text: string) =>
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
