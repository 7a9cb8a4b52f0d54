import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, json?: unknown }} [options]
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, body: string }>}
 */
export function ask(url, { method = 'GET', headers = {}, json } = {}) {
  return new Promise((resolve, reject) => {
    const body = json === undefined ? '' : JSON.stringify(json);
    const more =
      body === ''
        ? {}
        : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` };
    const sent = request(url, { method, agent, headers: { ...more, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * An agent who looks on: a session, and a stream of events that is read and counted.
 *
 * @param {string} desk
 * @param {string} id
 */
export async function connectAgent(desk, id) {
  const { origin } = new URL(desk);
  const login = await ask(`${desk}/login`, {
    method: 'POST',
    headers: { 'x-agent': id, origin, 'sec-fetch-site': 'same-origin' },
    json: {},
  });
  if (login.status !== 204) throw new Error(`agent ${id} could not log in: ${login.status}`);
  const [cookie = ''] = (login.headers['set-cookie'] ?? [''])[0]?.split(';') ?? [];
  const headers = { cookie, 'x-agent': id };
  const state = JSON.parse((await ask(`${desk}/api/state`, { headers })).body);
  let events = 0;
  const stream = request(`${desk}/api/events?after=${state.seq}`, { headers, agent: false }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      events += chunk.split('\ndata: ').length - 1;
    });
  });
  stream.on('error', () => undefined);
  stream.end();
  return { cookie, events: () => events, close: () => stream.destroy() };
}
