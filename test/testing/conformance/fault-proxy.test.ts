import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createFaultProxy } from '../../../src/testing/index.js';

/** A server that echoes its requests, behind a proxy. */
async function proxied() {
  const got: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString();
    got.push(`${request.method} ${request.url} ${body}`);
    response.writeHead(201, { 'x-answer': 'yes' }).end(`got ${body}, host ${request.headers.host}`);
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await createFaultProxy(`http://127.0.0.1:${port}/api`);
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  const post = (body: string) => fetch(`${proxy.url}/things?all=1`, { method: 'POST', body });
  return { got, proxy, post, port };
}

it('forwards requests and answers unchanged', async () => {
  const { got, proxy, post, port } = await proxied();
  const answer = await post('a');
  expect([answer.status, answer.headers.get('x-answer')]).toEqual([201, 'yes']);
  expect(await answer.text()).toBe(`got a, host 127.0.0.1:${port}`);
  expect(got).toEqual(['POST /api/things?all=1 a']);
  expect(proxy.requests).toMatchObject([{ method: 'POST', path: '/api/things?all=1', writes: true }]);
});

it('answers instead of the helpdesk, as many times as configured', async () => {
  const { got, proxy, post } = await proxied();
  proxy.answer({ status: 429, headers: { 'retry-after': '3' }, body: 'slowly' }, { times: 2 });
  const first = await post('a');
  expect([first.status, first.headers.get('retry-after'), await first.text()]).toEqual([429, '3', 'slowly']);
  expect([(await post('b')).status, (await post('c')).status]).toEqual([429, 201]);
  expect(got).toEqual(['POST /api/things?all=1 c']);
});

it('loses an answer after the helpdesk has handled the request', async () => {
  const { got, proxy, post } = await proxied();
  proxy.loseAnswer();
  await expect(post('a')).rejects.toThrow('fetch failed');
  expect(got).toHaveLength(1);
  expect((await post('b')).status).toBe(201);
});

it('breaks the connection before the helpdesk gets the request', async () => {
  const { got, proxy, post } = await proxied();
  proxy.refuse();
  await expect(post('a')).rejects.toThrow('fetch failed');
  expect(got).toHaveLength(0);
});

it('applies to matching requests after a configured number has passed', async () => {
  const { proxy, post } = await proxied();
  proxy.answer({ status: 503 }, { after: 1, match: ({ writes }) => writes });
  expect((await fetch(`${proxy.url}/things`)).status).toBe(201);
  expect([(await post('a')).status, (await post('b')).status]).toEqual([201, 503]);
});

it('holds requests until they are released, and delays them', async () => {
  const { got, proxy, post } = await proxied();
  const release = proxy.hold();
  const held = post('a');
  expect((await post('b')).status).toBe(201);
  expect(got).toEqual(['POST /api/things?all=1 b']);
  release();
  expect((await held).status).toBe(201);
  proxy.delay(1);
  expect((await post('c')).status).toBe(201);
  expect(got).toHaveLength(3);
});

it('clears all faults at once', async () => {
  const { proxy, post } = await proxied();
  proxy.answer({ status: 503 }, { times: Number.POSITIVE_INFINITY });
  expect((await post('a')).status).toBe(503);
  proxy.clear();
  expect((await post('b')).status).toBe(201);
});

it('breaks the connection if the helpdesk is down', async () => {
  const proxy = await createFaultProxy('http://127.0.0.1:9');
  onTestFinished(() => proxy.stop());
  await expect(fetch(proxy.url)).rejects.toThrow('fetch failed');
});
