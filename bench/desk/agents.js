import { Agent, request } from 'node:http';

const keepAlive = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Sends a request and reads the whole response.
 *
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, json?: unknown }} [options]
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, body: string }>}
 */
export function fetchText(url, { method = 'GET', headers = {}, json } = {}) {
  return new Promise((resolve, reject) => {
    const body = json === undefined ? '' : JSON.stringify(json);
    const bodyHeaders =
      body === ''
        ? {}
        : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` };
    const outgoing = request(
      url,
      { method, agent: keepAlive, headers: { ...bodyHeaders, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/**
 * Logs an agent in and counts the events of its stream.
 *
 * @param {string} desk
 * @param {string} id
 */
export async function connectAgent(desk, id) {
  const { origin } = new URL(desk);
  const login = await fetchText(`${desk}/login`, {
    method: 'POST',
    headers: { 'x-agent': id, origin, 'sec-fetch-site': 'same-origin' },
    json: {},
  });
  if (login.status !== 204) throw new Error(`agent ${id} could not log in: ${login.status}`);
  const [cookie = ''] = (login.headers['set-cookie'] ?? [''])[0]?.split(';') ?? [];
  const headers = { cookie, 'x-agent': id };
  const state = JSON.parse((await fetchText(`${desk}/api/state`, { headers })).body);
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
