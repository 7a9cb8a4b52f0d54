import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../helpers/serve.js';

interface Case {
  readonly reference: string;
  readonly customer: string;
  status: string;
  readonly fromUser: string[];
}

/** The helpdesk of docs/adapters.md, in memory. */
export async function startFakeDesk(settings: { token: string; secret: string; webhookUrl: string }) {
  const cases = new Map<string, Case>();

  const answer = async ({
    method,
    url = '',
    headers,
    body,
  }: Asked): Promise<[status: number, body: unknown]> => {
    if (headers.authorization !== `Bearer ${settings.token}`) return [401, {}];
    const [, , id = '', more] = url.split('/');
    const { text: words = '', ...fields } = body === '' ? {} : JSON.parse(body);
    if (url === '/me') return [200, { name: 'Our Desk' }];
    if (url === '/cases' && method === 'POST') {
      const created = randomUUID();
      cases.set(created, { ...fields, status: 'open', fromUser: [words] });
      return [201, { id: created }];
    }
    if (id === 'by-reference') {
      const found = [...cases].find(([, { reference }]) => reference === decodeURIComponent(more ?? ''));
      return found ? [200, { id: found[0] }] : [404, {}];
    }
    const known = cases.get(id);
    if (!known) return [404, {}];
    if (more === 'messages') known.fromUser.push(words);
    else known.status = fields.status;
    return [200, { id: randomUUID() }];
  };

  const served = await listen(async (request, response) => {
    const [status, body] = await answer(Object.assign(request, { body: await text(request) }));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  return {
    url: served.url,
    cases,
    async act(externalId: string, act: 'reply' | 'note' | 'close', words = ''): Promise<void> {
      const id = randomUUID();
      const event = { id, externalId, author: { kind: 'agent', name: 'Ada' } };
      const said = { kind: 'message', text: words, internal: act === 'note', messageId: id };
      const body = JSON.stringify({
        events: [{ ...event, ...(act === 'close' ? { kind: 'closed' } : said) }],
      });
      if (act === 'close') Object.assign(cases.get(externalId) ?? {}, { status: 'closed' });
      const time = String(Math.floor(Date.now() / 1_000));
      const signature = createHmac('sha256', settings.secret).update(`${time}.${body}`).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-time': time, 'x-signature': signature };
      await (await fetch(settings.webhookUrl, { method: 'POST', headers, body })).text();
    },
    stop: () => served.end(),
  };
}

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string };
