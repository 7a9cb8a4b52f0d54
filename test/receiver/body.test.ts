import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { bytesOf, dial, parseAnswer, readAll, sendRaw } from '../helpers/raw.js';
import { type Started, start } from '../helpers/start.js';

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;

/** A chat message in raw bytes that no JSON library would write. */
const chatText = (fields: string): string => `{"conversation_id":"c-1","timestamp":1,"body":"x"${fields}}`;

const send = (to: Started, body: string | Buffer, path = '/chat') =>
  sendRaw(to.port, { path, headers: [JSON_TYPE], body });

async function expectGoesOn(to: Started): Promise<void> {
  const before = to.seen.length;
  expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(200);
  expect(to.seen).toHaveLength(before + 1);
}

async function expectRefused(to: Started, body: string | Buffer, reason: string): Promise<void> {
  const answer = await send(to, body);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toEqual({ code: 400, message: reason });
  expect(to.seen).toHaveLength(0);
  expect(to.logged.about('request refused')).toHaveLength(1);
  await expectGoesOn(to);
}

const utf8 = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** A message of a given number of bytes, not all of them ASCII. */
const exactly = (bytes: number): string => {
  const text = JSON.stringify(chatBody({ conversation_id: 'c', padding: 'ä'.repeat(500) }));
  return text + ' '.repeat(bytes - Buffer.byteLength(text));
};
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const BRACKETS = 100_000;

describe('a body is refused', () => {
  it.each<[string, string | Buffer, string]>([
    ['is empty', '', 'body is empty'],
    ['is white space', '  \n', 'body is not JSON'],
    ['is cut short', chatText('').slice(0, -5), 'body is not JSON'],
    ['is not JSON', 'conversation_id=c-1', 'body is not JSON'],
    ['has trailing text', `${chatText('')}{}`, 'body is not JSON'],
    ['has comments', `/* hi */${chatText('')}`, 'body is not JSON'],
    ['contains NaN', chatText(',"n":NaN'), 'body is not JSON'],
    ['is a list', `[${chatText('')}]`, 'body is not a JSON object'],
    ['is a string', '"hello"', 'body is not a JSON object'],
    ['is null', 'null', 'body is not a JSON object'],
    ['is a number', '5', 'body is not a JSON object'],
    ['is not UTF-8', utf8('{"body":"', [0xc3, 0x28], '"}'), 'body is not UTF-8'],
    ['is UTF-16', Buffer.from(`\uFEFF${chatText('')}`, 'utf16le'), 'body is not UTF-8'],
    ['has an encoded lone surrogate', utf8('{"body":"', [0xed, 0xa0, 0x80], '"}'), 'body is not UTF-8'],
    ['has __proto__', chatText(',"__proto__":{"admin":true}'), 'body has a forbidden key'],
    ['has __proto__ deep within', chatText(',"a":[{"b":{"__proto__":1}}]'), 'body has a forbidden key'],
    ['has __proto__ in escapes', chatText(',"\\u005f_proto__":{}'), 'body has a forbidden key'],
    ['has constructor.prototype', chatText(',"constructor":{"prototype":{}}'), 'body has a forbidden key'],
    ['is 65 levels deep', chatText(`,"a":${'['.repeat(64)}${']'.repeat(64)}`), 'body is nested too deeply'],
    [
      'is 100,000 lists deep',
      chatText(`,"a":${'['.repeat(BRACKETS)}${']'.repeat(BRACKETS)}`),
      'body is nested too deeply',
    ],
    [
      'is 40,000 objects deep',
      `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
      'body is nested too deeply',
    ],
    ['is 100,000 brackets', '['.repeat(BRACKETS), 'body is not JSON'],
  ])('because it %s', async (_what, body, reason) => {
    await expectRefused(await start(), body, reason);
  });

  it('without changing a prototype', async () => {
    const to = await start();
    await send(to, chatText(',"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'));
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('an unusual body that is accepted', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['a key twice: the last counts', chatText(',"body":"second"'), { body: 'second' }],
    ['NUL', '{"conversation_id":"c\\u0000","body":"\\u0000"}', { conversation_id: 'c\0', body: '\0' }],
    ['a lone surrogate', '{"conversation_id":"c","body":"\\ud800"}', { body: '\ud800' }],
    ['the replacement character', chatText(',"body":"\ufffd"'), { body: '\ufffd' }],
    ['white space around it', `\n\t ${chatText('')} \r\n`, { body: 'x' }],
    ['a key named constructor', chatText(',"constructor":"x"'), { constructor: 'x' }],
    ['a key named prototype', chatText(',"prototype":{}'), { prototype: {} }],
    ['64 levels', chatText(`,"a":${'['.repeat(63)}${']'.repeat(63)}`), { body: 'x' }],
    ['an empty text', '{"conversation_id":"c","body":""}', { body: '' }],
  ])('%s', async (_what, body, payload) => {
    const to = await start();
    expect((await send(to, body)).status).toBe(200);
    expect(to.seen[0]?.payload).toMatchObject(payload);
    await expectGoesOn(to);
  });

  it('may have the configured depth', async () => {
    const to = await start({ limits: { depth: 2 } });
    expect((await send(to, chatText(',"a":{}'))).status).toBe(200);
    expect((await send(to, chatText(',"a":{"b":{}}'))).status).toBe(400);
  });
});

describe('the size of a body', () => {
  const LIMIT = 2_000;
  it.each([
    ['announced', [JSON_TYPE], (text: string) => text],
    ['not announced', [JSON_TYPE, CHUNKED], chunked],
  ])('may reach the limit, but not exceed it: %s', async (_how, headers, framed) => {
    const to = await start({ limits: { bodyBytes: LIMIT } });
    expect(Buffer.byteLength(exactly(LIMIT))).toBe(LIMIT);
    const fits = await sendRaw(to.port, { path: '/chat', headers, body: framed(exactly(LIMIT)) });
    expect(fits.status).toBe(200);
    const over = await sendRaw(to.port, { path: '/chat', headers, body: framed(exactly(LIMIT + 1)) });
    expect(over.status).toBe(413);
    expect(JSON.parse(over.body)).toEqual({ code: 413, message: 'body too large' });
    expect(over.headers.get('connection')).toEqual(['close']);
    expect(to.seen).toHaveLength(1);
    await expectGoesOn(to);
  });

  it('is limited to 256 KiB by default', async () => {
    const to = await start();
    expect((await send(to, exactly(262_144))).status).toBe(200);
    const socket = await dial(to.port);
    socket.write(bytesOf({ path: '/chat', headers: [JSON_TYPE, ['Content-Length', '262145']] }));
    expect(parseAnswer(await readAll(socket)).status).toBe(413);
  });

  it('is checked before the body is read, and before credentials', async () => {
    const to = await start({ auth: { message: () => false, handoff: () => false } });
    const socket = await dial(to.port);
    socket.write(bytesOf({ path: '/chat', headers: [JSON_TYPE, ['Content-Length', '999999999']] }));
    expect(parseAnswer(await readAll(socket)).status).toBe(413);
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(401);
  });
});

describe('an incomplete body', () => {
  const head = bytesOf({
    path: '/chat',
    headers: [JSON_TYPE, ['Content-Length', '100']],
    body: '{"conversation_id":',
  });

  it('is answered 408 after the time limit', async () => {
    const to = await start({ limits: { readTimeoutMs: 30 } });
    const socket = await dial(to.port);
    socket.write(head);
    const answer = parseAnswer(await readAll(socket));
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toEqual({ code: 408, message: 'body took too long' });
    expect(answer.headers.get('connection')).toEqual(['close']);
    expect(to.seen).toHaveLength(0);
    expect(to.logged.about('request refused')[0]?.detail).toContain('limits.readTimeoutMs');
    await expectGoesOn(to);
  });

  it('of a sender that hung up is not logged as an error', async () => {
    const to = await start();
    const socket = await dial(to.port);
    socket.write(head);
    await once(to.server, 'request');
    socket.destroy();
    expect(await to.logged.until('request refused')).toMatchObject({ status: 499, level: 20 });
    expect(to.seen).toHaveLength(0);
    await expectGoesOn(to);
  });

  it('of a sender that waited and then hung up blocks nothing', async () => {
    const to = await start({ limits: { readTimeoutMs: 1_000_000 } });
    const socket = await dial(to.port);
    socket.write(head);
    const [incoming] = (await once(to.server, 'request')) as [IncomingMessage];
    // A connection is watched only while the receiver waits for it.
    await vi.waitFor(() => expect(incoming.listenerCount('close')).toBeGreaterThan(0));
    socket.destroy();
    expect(await to.logged.until('request refused')).toMatchObject({ status: 499 });
    await expectGoesOn(to);
  });

  it('of a sender that hung up during authentication blocks nothing', async () => {
    const asked = deferred();
    const judged = deferred<boolean>();
    const to = await start({
      auth: {
        message: () => true,
        handoff: () => {
          asked.resolve();
          return judged.promise;
        },
      },
      limits: { readTimeoutMs: 1_000_000 },
    });
    const socket = await dial(to.port);
    const gone = new Promise((resolve) => {
      to.server.once('request', (incoming) => incoming.once('close', resolve));
    });
    socket.write(head);
    await asked.promise;
    socket.destroy();
    await gone;
    judged.resolve(true);
    expect(await to.logged.until('request refused')).toMatchObject({ status: 499 });
    await expectGoesOn(to);
  });

  it('in several pieces is put together', async () => {
    const to = await start();
    const bytes = bytesOf({
      path: '/chat',
      headers: [JSON_TYPE],
      body: '{"conversation_id":"c","body":"zwölf 🙂"}',
    });
    const socket = await dial(to.port);
    socket.setNoDelay(true);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect(parseAnswer(await readAll(socket)).status).toBe(200);
    expect(to.seen[0]?.payload).toMatchObject({ body: 'zwölf 🙂' });
  });
});
