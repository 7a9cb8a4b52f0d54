import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { basicHeader } from '../helpers/credentials.js';
import { sendRaw } from '../helpers/raw.js';
import { recordBetween } from './support.js';

const SECRET = 'Zq7-päss/wörd+44';
const TOKEN = 'hand0ff-t0ken-5f2c';
const API_KEY = 'app-Kx81LmQp0RsTuv';

const chat = (overrides: object = {}) => ({
  conversation_id: 'c-778899',
  timestamp: 1_742_265_090_895,
  body: 'Hello there',
  ...overrides,
});

/** Forms in which a secret must not be found. */
const forms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  JSON.stringify(secret).slice(1, -1),
];

function expectHidden(text: string, ...secrets: string[]): void {
  const lower = text.toLowerCase();
  for (const form of secrets.flatMap(forms)) expect(lower).not.toContain(form.toLowerCase());
}

interface Attack {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly answer?: unknown;
  readonly answerHeaders?: Readonly<Record<string, string>>;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  Bearer: { headers: { authorization: `Bearer ${TOKEN}` } },
  'Basic, repeated in the body in all forms': {
    headers: { authorization: basicHeader('acme-user', SECRET) },
    body: chat({ body: forms(SECRET).join(' and '), more: { list: [`say ${SECRET}!`] } }),
  },
  Digest: {
    headers: { authorization: `Digest username="acme", response="${TOKEN}"` },
    body: chat({ body: TOKEN }),
  },
  'an unknown scheme': { headers: { authorization: TOKEN }, body: chat({ body: `my ${TOKEN}` }) },
  'an API key in a header': { headers: { 'x-api-key': API_KEY }, body: chat({ x: API_KEY }) },
  'another header': { headers: { 'x-tenant': TOKEN }, body: chat({ body: `of ${TOKEN}` }) },
  'the token in the path': { path: `/webhook/${TOKEN}/chat`, body: chat({ body: `at /${TOKEN}/chat` }) },
  'an encoded token in the path': {
    path: `/webhook/${encodeURIComponent(SECRET)}/chat`,
    body: chat({ body: SECRET }),
  },
  'a token in the query': { path: `/webhook/chat?auth=${TOKEN}`, body: chat({ body: TOKEN }) },
  'a cookie': { headers: { cookie: `theme=dark; sid=${TOKEN}` }, body: chat({ body: TOKEN }) },
  'a cookie in the answer': {
    answerHeaders: { 'set-cookie': `sid=${TOKEN}; Path=/` },
    answer: { note: TOKEN },
  },
  'a key that the answer repeats': {
    headers: { authorization: `Bearer ${API_KEY}` },
    answer: { code: 200, message: API_KEY },
  },
  'a key that no header has, named as one': {
    body: chat({ api_key: 'hunter2', nested: { Password: 'hunter2' } }),
    answer: { token: 'hunter2' },
  },
  'a secret with an object as its value': {
    body: chat({ credentials: { user: 'hunter2' }, secrets: ['hunter2'] }),
  },
  'JSON in a string': { body: chat({ body: JSON.stringify({ a: JSON.stringify({ apiKey: 'hunter2' }) }) }) },
  'a name in a text': { body: chat({ body: 'my password: hunter2, token=hunter2' }) },
  'a name in letters that look alike': {
    body: chat({
      '\u0430pi_k\u0435y': 'hunter2',
      '\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44': 'hunter2',
    }),
  },
  'a secret as a name': {
    headers: { authorization: `Bearer ${TOKEN}` },
    body: chat({ [TOKEN]: 1, [`x${TOKEN}`]: TOKEN }),
  },
  'a secret as an id': {
    headers: { authorization: `Bearer ${TOKEN}` },
    body: chat({ conversation_id: TOKEN, user_id: TOKEN }),
  },
  'a secret as a time': {
    headers: { authorization: 'Bearer 1742265090' },
    body: chat({ timestamp: 1742265090 }),
  },
  'a secret as an enumeration': {
    headers: { authorization: `Bearer ${TOKEN}` },
    body: chat({ type: TOKEN, message_type: TOKEN }),
  },
  'a URL with a password': {
    body: chat({
      body: 'see https://ada:hunter2@db.example/x?key=hunter2 now',
      link: 'postgres://ada:hunter2@db/x',
    }),
  },
  'a token that no header has': {
    body: chat({ body: `use ${API_KEY}Zz09 or eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl` }),
  },
  'a secret in other case': {
    headers: { authorization: `Bearer ${TOKEN}` },
    body: chat({ body: TOKEN.toUpperCase() }),
  },
  'a body that is no JSON': {
    headers: { authorization: `Bearer ${TOKEN}` },
    answer: `<html>${TOKEN}</html>`,
  },
};

describe.each([false, true])('a recording with keepContent %s', (keepContent) => {
  it.each(Object.entries(ATTACKS))('has no secret: %s', async (_name, attack) => {
    const {
      path = '/webhook/chat',
      headers = {},
      body = chat(),
      answer = { code: 200 },
      answerHeaders = {},
    } = attack;
    const recorded = await recordBetween({
      keepContent,
      receiver(request, response) {
        request.resume().on('end', () => {
          response.writeHead(200, answerHeaders);
          response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
        });
      },
    });
    const sent = await fetch(new URL(path, recorded.url), {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await sent.text();
    const { text, lines } = await recorded.stop();
    expect(lines).toHaveLength(1);
    expectHidden(text, SECRET, TOKEN, API_KEY, 'hunter2');
    expect(text).not.toMatch(/acme-user|eyJzdWIi|authorization|cookie|webhook/i);
  });

  it('has no secret that is split over chunks, or compressed', async () => {
    const recorded = await recordBetween({
      keepContent,
      receiver(request, response) {
        request.resume().on('end', () => {
          const bytes = gzipSync(JSON.stringify({ code: 200, message: `key ${TOKEN}` }));
          response.writeHead(200, { 'content-encoding': 'gzip' });
          for (const byte of bytes) response.write(Buffer.of(byte));
          response.end();
        });
      },
    });
    const body = JSON.stringify(chat({ body: `my ${TOKEN}` }));
    const cut = body.indexOf(TOKEN) + 5;
    const parts = [body.slice(0, cut), body.slice(cut)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    );
    const answer = await sendRaw(recorded.port, {
      path: `/webhook/${TOKEN}/chat`,
      headers: [['Transfer-Encoding', 'chunked']],
      body: `${parts.join('')}0\r\n\r\n`,
    });
    expect(answer.status).toBe(200);
    const { text, lines } = await recorded.stop();
    expect(lines).toMatchObject([{ endpoint: 'chat', status: 200, answer: { code: 200 } }]);
    expectHidden(text, TOKEN);
  });

  it('has no secret of another exchange: what one side sends, the other may repeat', async () => {
    const recorded = await recordBetween({
      keepContent,
      receiver: (request, response) => void request.resume().on('end', () => response.end('{}')),
      platform: (request, response) =>
        void request.resume().on('end', () => response.end(JSON.stringify({ message: TOKEN }))),
    });
    const send = (url: string, headers: Record<string, string>, body: object) =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).then((response) => response.text());
    await send(`${recorded.url}/${TOKEN}/chat`, {}, chat());
    await send(
      `${recorded.platformUrl}/v1/human/message/receive`,
      { authorization: `Bearer ${API_KEY}` },
      chat({ body: TOKEN }),
    );
    await send(recorded.url, {}, chat({ body: API_KEY }));
    const { text, lines } = await recorded.stop();
    expect(lines.map(({ to, endpoint }) => `${to} ${endpoint}`)).toEqual([
      'receiver chat',
      'platform reply',
      'receiver message',
    ]);
    expectHidden(text, TOKEN, API_KEY);
  });
});

describe('a recording', () => {
  const record = async (keepContent: boolean, ...bodies: object[]) => {
    const recorded = await recordBetween({
      keepContent,
      receiver: (request, response) =>
        void request.resume().on('end', () => response.end('{"code":200,"message":"success"}')),
    });
    for (const body of bodies) {
      await (await fetch(`${recorded.url}/chat`, { method: 'POST', body: JSON.stringify(body) })).text();
    }
    return recorded.stop();
  };

  it('replaces words by text of the same length, and keeps what the contract says', async () => {
    const { text, lines } = await record(false, {
      ...chat({ body: 'Hello 你好' }),
      type: 'USER_CLOSED',
      email: 'ada@example.com',
      istest: false,
      phone: 4915112345678,
    });
    expect(text.split('\n')[0]).toBe('{"recording":1,"content":"masked"}');
    expect(lines).toMatchObject([
      {
        n: 1,
        to: 'receiver',
        endpoint: 'chat',
        status: 200,
        answer: { code: 200, message: 'success' },
        body: {
          conversation_id: 'conversation-1',
          timestamp: 1_742_265_090_895,
          body: 'xxxxx 字字',
          type: 'USER_CLOSED',
          email: 'xxx@xxxxxxx.xxx',
          istest: false,
          phone: 1e12,
        },
      },
    ]);
  });

  it('gives each id one pseudonym, also within texts', async () => {
    const { lines } = await record(
      false,
      chat({ user_id: 'ada-1815' }),
      chat({ conversation_id: 'c-other1', body: 'I am ada-1815, see c-778899.' }),
    );
    expect(lines.map(({ body }) => body)).toMatchObject([
      { conversation_id: 'conversation-1', user_id: 'user-1' },
      { conversation_id: 'conversation-2', body: 'x xx user-1, xxx conversation-1.' },
    ]);
  });

  it('keeps numeric ids apart that a JavaScript number cannot hold', async () => {
    const recorded = await recordBetween({
      receiver: (request, response) => void request.resume().on('end', () => response.end()),
    });
    for (const id of ['9007199254740992', '9007199254740993']) {
      await (
        await fetch(`${recorded.url}/chat`, { method: 'POST', body: `{"conversation_id":${id}}` })
      ).text();
    }
    const { lines } = await recorded.stop();
    expect(lines.map(({ body }) => body)).toEqual([
      { conversation_id: 'conversation-1' },
      { conversation_id: 'conversation-2' },
    ]);
  });

  it('keeps words if asked to', async () => {
    const { text, lines } = await record(true, chat({ body: 'Hello 你好, how is order 4711?' }));
    expect(text.split('\n')[0]).toBe('{"recording":1,"content":"kept"}');
    expect(lines).toMatchObject([
      { body: { conversation_id: 'conversation-1', body: 'Hello 你好, how is order 4711?' } },
    ]);
  });

  it('leaves out what is nested too deeply, or too large', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as object;
    const { lines } = await record(false, deep, chat({ body: 'x'.repeat(1_100_000) }));
    expect(lines).toMatchObject([
      { body: null, answer: null, withheld: true, status: 200 },
      { body: null, answer: null, withheld: true, status: 200 },
    ]);
  });

  it('hides secrets of the environment', async () => {
    process.env.TEST_PLATFORM_API_KEY = 'abc-def-ghi';
    try {
      expectHidden((await record(true, chat({ body: 'It is abc-def-ghi' }))).text, 'abc-def-ghi');
    } finally {
      delete process.env.TEST_PLATFORM_API_KEY;
    }
  });
});
