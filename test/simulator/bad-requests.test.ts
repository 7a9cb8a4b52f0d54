import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, startSimulator } from './support.js';

const start = () => startSimulator({ bots: [botAt(NOWHERE)] });
const REPLY = '/v1/human/message/receive';

describe('a request that cannot be read', () => {
  test.each([
    ['no JSON', '{"conversation_id":', 400],
    ['an empty body', '', 400],
    ['an array', '[]', 400],
    ['null', 'null', 400],
    ['more than 2 MiB', JSON.stringify({ body: 'x'.repeat(2 * 1024 * 1024) }), 413],
  ])('%s is answered with 40000', async (_name, body, status) => {
    const { call } = await start();
    const answer = await call('POST', REPLY, body);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(40000);
    expect(answer.body.message).toMatch(/^Parameter error: /);
  });

  test('another content type is answered with 40000', async () => {
    const { call } = await start();
    const headers = { authorization: 'Bearer the-key-of-bot-1', 'content-type': 'text/plain' };
    const answer = await call('POST', REPLY, '{}', headers);
    expect([answer.status, answer.body.code]).toEqual([415, 40000]);
  });

  test('a compressed body is answered with 40000', async () => {
    const { call } = await start();
    const headers = { authorization: 'Bearer the-key-of-bot-1', 'content-encoding': 'gzip' };
    const answer = await call('POST', REPLY, '{}', headers);
    expect([answer.status, answer.body.code]).toEqual([415, 40000]);
  });

  test('bytes that are not UTF-8 are answered with 40000', async () => {
    const { baseUrl } = await start();
    const response = await fetch(`${baseUrl}${REPLY}`, {
      method: 'POST',
      headers: { authorization: 'Bearer the-key-of-bot-1', 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: 40000, message: 'Parameter error: body: expected UTF-8' });
  });
});

test('a wrong method is answered 405 with Allow', async () => {
  const { call } = await start();
  const answer = await call('POST', '/v1/bot/doc/qa/update', {});
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('PUT');
});

test('an unknown path is answered 404 with a failure body', async () => {
  const { call } = await start();
  expect(await call('GET', '/v1/nothing')).toMatchObject({ status: 404, body: { code: 40000 } });
});

test('a path that cannot be decoded is refused without harm', async () => {
  const { call } = await start();
  expect((await call('GET', '/%E0%A4%A')).status).toBeLessThan(500);
  expect((await call('GET', '/v1/webhook/service/health')).text).toBe('service is normal');
});

test('a connection that breaks in the middle of a body does no harm', async () => {
  const { baseUrl, call, simulator } = await start();
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => {
      socket.write(
        `POST ${REPLY} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer the-key-of-bot-1\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"conv`,
        () => socket.destroy(),
      );
    });
    socket.on('close', () => resolve());
  });
  await expect.poll(() => simulator.traffic.exchanges()[0]?.error).toBe('not answered: the caller gave up');
  expect((await call('GET', '/v1/webhook/service/health')).status).toBe(200);
});
