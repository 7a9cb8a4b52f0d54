import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, startSimulator } from './support.js';

/** fetch sets Host and Origin itself; an attacker's browser would too, so they are sent by hand. */
function send(baseUrl: string, method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(`${baseUrl}${path}`, { method, headers }, (response) => {
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, text: '' });
        return;
      }
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const ROUTES = [
  ['GET', '/'],
  ['GET', '/simulator/state'],
  ['GET', '/simulator/events'],
  ['POST', '/simulator/close'],
] as const;

describe.each(ROUTES)('%s %s', (method, path) => {
  test.each([
    ['a rebound name', { host: 'evil.example' }],
    ['a rebound name with a port', { host: 'evil.example:8080' }],
    ['another site', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a browser that says same-site', { 'sec-fetch-site': 'same-site' }],
  ])('is refused to %s', async (_name, headers) => {
    const { baseUrl } = await startSimulator({ bots: [botAt(NOWHERE)] });
    const answer = await send(baseUrl, method, path, { ...JSON_TYPE, ...headers });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text).code).toBe('FORBIDDEN');
  });

  test.each(['localhost', '127.0.0.1:99', '[::1]:99', 'LOCALHOST:99'])('is served at %s', async (host) => {
    const { baseUrl } = await startSimulator({ bots: [botAt(NOWHERE)] });
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await send(baseUrl, method, path, { ...JSON_TYPE, ...headers })).status).toBe(200);
  });
});

test('other host names can be allowed', async () => {
  const { baseUrl } = await startSimulator({ allowedHosts: ['Simulator.test'] });
  const headers = { host: 'simulator.test:8080' };
  expect((await send(baseUrl, 'GET', '/', headers)).status).toBe(200);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
  'an action in %s is refused',
  async (type) => {
    const { baseUrl } = await startSimulator();
    const answer = await send(baseUrl, 'POST', '/simulator/close', { 'content-type': type });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).code).toBe('INVALID_ACTION');
  },
);

test('the API accepts any host name, because it requires a key', async () => {
  const { baseUrl } = await startSimulator();
  const headers = { host: 'platform.example' };
  expect((await send(baseUrl, 'GET', '/v1/webhook/service/health', headers)).status).toBe(200);
});
