import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { botMessageBody } from '../fixtures/bodies.js';
import { sendRaw } from '../helpers/raw.js';
import { type Started, start } from '../helpers/start.js';

const send = (to: Started, headers: readonly (readonly [string, string])[], body?: string | Buffer) =>
  sendRaw(to.port, { headers, body: body ?? JSON.stringify(botMessageBody()) });

async function expectRefused(to: Started, headers: [string, string][], reason: string, body?: Buffer) {
  const answer = await send(to, headers, body);
  expect(answer.status).toBe(415);
  expect(JSON.parse(answer.body)).toEqual({ code: 415, msg: reason });
  expect(to.seen).toHaveLength(0);
  expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(200);
  expect(to.seen).toHaveLength(1);
}

describe('a content type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; Charset=utf8',
    'application/json ; charset=utf-8',
    'application/json; profile=x; charset=utf-8',
    'application/vnd.bot.v2+json',
    'application/problem+json; charset=utf-8',
  ])('of JSON is accepted: %s', async (type) => {
    const to = await start();
    expect((await send(to, [['Content-Type', type]])).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/octet-stream',
    'application/+json',
    'json',
    ';',
  ])('of anything else is refused: %s', async (type) => {
    await expectRefused(await start(), [['Content-Type', type]], 'content type not supported');
  });

  it('that is missing is refused', async () => {
    await expectRefused(await start(), [], 'content type missing');
  });

  it.each(['iso-8859-1', 'utf-16', 'utf-7', '"latin1"', ''])(
    'of another charset is refused: %s',
    async (charset) => {
      await expectRefused(
        await start(),
        [['Content-Type', `application/json; charset=${charset}`]],
        'charset not supported',
      );
    },
  );
});

describe('a content encoding', () => {
  it.each(['gzip', 'br', 'deflate', 'GZIP', 'gzip, identity', 'unknown'])(
    'is refused: %s',
    async (encoding) => {
      await expectRefused(
        await start(),
        [
          ['Content-Type', 'application/json'],
          ['Content-Encoding', encoding],
        ],
        'content encoding not supported',
        gzipSync(JSON.stringify(botMessageBody())),
      );
    },
  );

  it.each(['identity', 'Identity'])('of identity is accepted: %s', async (encoding) => {
    const to = await start();
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Content-Encoding', encoding],
    ];
    expect((await send(to, headers)).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });
});
