import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { RequestListener } from '../../src/public/bindings.js';
import { basic, type Receiver } from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader, SECRET, USERNAME } from '../helpers/credentials.js';
import { sendRaw } from '../helpers/raw.js';
import { inFrontOf, serve } from '../helpers/serve.js';
import { makeReceiver } from '../helpers/start.js';

const GOOD = basicHeader(USERNAME, SECRET);
const BASE = '/webhook';

/** A way to mount a receiver whose endpoints are below `/webhook`. */
interface Mounting {
  readonly basePath?: string;
  readonly bring: (receiver: Receiver) => RequestListener;
}

const behind =
  (make: () => Express, ...parsers: RequestHandler[]) =>
  (receiver: Receiver): RequestListener => {
    const app = make();
    for (const parser of parsers) app.use(parser);
    return app.use(BASE, receiver);
  };

/** Reads the body and keeps only `rawBody`, as some hosting platforms do. */
const keepRawBody: RequestHandler = (req, _res, next) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    Object.assign(req, { rawBody: Buffer.concat(chunks) });
    next();
  });
};

/** Reads the body and drops it. */
const consume: RequestHandler = (req, _res, next) => {
  req.resume().on('end', () => next());
};

const parsersOf = (kit: typeof express): [string, RequestHandler[]][] => [
  ['nothing', []],
  ['express.json()', [kit.json()]],
  ['express.text()', [kit.text({ type: '*/*' })]],
  ['express.raw()', [kit.raw({ type: '*/*' })]],
  [
    'express.text() and express.urlencoded(), which pass it by',
    [kit.text(), kit.urlencoded({ extended: false })],
  ],
  [
    'express.json() that keeps rawBody',
    [kit.json({ verify: (req, _res, buffer) => Object.assign(req, { rawBody: buffer }) })],
  ],
  ['a reader that leaves only rawBody', [keepRawBody]],
];

const MOUNTINGS: [string, Mounting][] = [
  ['bare http', { basePath: BASE, bring: (receiver) => receiver }],
  ['http, in front of an app', { basePath: BASE, bring: (receiver) => inFrontOf(receiver, express()) }],
  [
    'http, in front of an app with a parser',
    { basePath: BASE, bring: (receiver) => inFrontOf(receiver, express().use(express.json())) },
  ],
  ...parsersOf(express).map(([name, parsers]): [string, Mounting] => [
    `Express 5 after ${name}`,
    { bring: behind(express, ...parsers) },
  ]),
  ...parsersOf(express4).map(([name, parsers]): [string, Mounting] => [
    `Express 4 after ${name}`,
    { bring: behind(express4, ...parsers) },
  ]),
];

async function mount({ basePath, bring }: Mounting) {
  const scheme = basic({ username: USERNAME, password: SECRET });
  const made = makeReceiver({ auth: { message: scheme, handoff: scheme }, ...(basePath && { basePath }) });
  return { ...made, ...(await serve(bring(made.receiver))) };
}

describe.each(MOUNTINGS)('%s', (_name, mounting) => {
  it('delivers every kind of event to its handler', async () => {
    const to = await mount(mounting);
    const send = (path: string, body: object) =>
      request(to.url).post(`${BASE}${path}`).set('Authorization', GOOD).send(body);
    const message = botMessageBody();
    const establish = establishBody();
    const answers = [
      await send('', message),
      await send('/conversation/establish', establish),
      await send('/chat', chatBody()),
      await send('/conversation/close', closeBody()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[0]?.text).toBe('{"code":200,"msg":"success"}');
    expect(answers[1]?.text).toBe('{"code":200,"message":"success"}');
    expect(to.seen.map(({ event }) => event)).toEqual([
      'message',
      'handoff.requested',
      'handoff.message',
      'handoff.closed',
    ]);
    expect(to.seen[0]?.payload).toMatchObject(message);
    expect(to.seen[1]?.payload).toMatchObject(establish);
  });

  it.each([
    ['without credentials', undefined, JSON.stringify(botMessageBody()), 401],
    ['with an empty body', GOOD, '', 400],
    ['with a body of the wrong shape', GOOD, '{"conversation_id":{}}', 400],
    ['with a list', GOOD, '[]', 400],
  ])('refuses a request %s, and handles the next', async (_what, authorization, body, status) => {
    const to = await mount(mounting);
    const refused = await sendRaw(to.port, {
      path: BASE,
      headers: [
        ['Content-Type', 'application/json'],
        ...(authorization ? [['Authorization', authorization] as const] : []),
      ],
      body,
    });
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toMatchObject({ code: status });
    expect(to.seen).toHaveLength(0);
    const good = await request(to.url).post(BASE).set('Authorization', GOOD).send(botMessageBody());
    expect(good.status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it('answers probes', async () => {
    const to = await mount(mounting);
    for (const path of [BASE, `${BASE}/chat`]) {
      const sent = request(to.url).post(path).send({ istest: true });
      expect((await sent.set('Authorization', GOOD)).status).toBe(200);
    }
    expect(to.seen.map(({ event }) => event)).toEqual(['probe', 'probe']);
  });

  it('logs a refused probe, whether or not a body parser read it', async () => {
    const to = await mount(mounting);
    expect((await request(to.url).post(BASE).send({ istest: true })).status).toBe(401);
    expect(await to.logged.until('probe was refused')).toBeTruthy();
  });
});

describe('a body that other middleware has read', () => {
  it.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('is answered 500 at once, and the log gives the remedy: %s', async (_name, kit) => {
    const { receiver, seen, logged } = makeReceiver();
    const { url } = await serve(kit().use(consume).use(receiver));
    const answer = await request(url).post('/').send(botMessageBody());
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ code: 500, msg: 'body not available' });
    expect(seen).toHaveLength(0);
    expect(logged.about('request refused')[0]?.detail).toContain('Mount the receiver before that middleware');
  });

  it('is taken from req.body if the stream is empty', async () => {
    const { receiver, seen } = makeReceiver();
    const body = botMessageBody();
    const { url } = await serve((req, res) => receiver(Object.assign(req, { body }), res));
    const answer = await request(url)
      .post('/')
      .set('Content-Type', 'application/json')
      .set('Content-Length', '0');
    expect(answer.status).toBe(200);
    expect(seen[0]?.payload).toMatchObject(body);
  });

  it('is limited in size as Buffer and as rawBody', async () => {
    for (const parser of [express.raw({ type: '*/*', limit: '1mb' }), keepRawBody]) {
      const { receiver, seen } = makeReceiver({ limits: { bodyBytes: 1024 } });
      const { port } = await serve(express().use(parser).use(receiver));
      const text = JSON.stringify(botMessageBody({ padding: 'x'.repeat(1024) }));
      const answer = await sendRaw(port, {
        headers: [
          ['Content-Type', 'application/json'],
          ['Transfer-Encoding', 'chunked'],
        ],
        body: `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      });
      expect(answer.status).toBe(413);
      expect(seen).toHaveLength(0);
    }
  });

  it.each<[string, string | Buffer, string | undefined, number]>([
    ['null', 'null', undefined, 400],
    ['with a byte-order mark', `\ufeff${JSON.stringify(botMessageBody())}`, undefined, 200],
    ['compressed', gzipSync(JSON.stringify(botMessageBody())), 'gzip', 415],
  ])('is answered as if it were read here: %s', async (_what, body, encoding, status) => {
    const none: RequestHandler = (_req, _res, next) => next();
    const parsers = [none, express.json({ strict: false }), keepRawBody, express.raw({ type: '*/*' })];
    for (const parser of parsers) {
      const { receiver } = makeReceiver();
      const { port } = await serve(express().use(parser).use(receiver));
      const headers: [string, string][] = [['Content-Type', 'application/json']];
      if (encoding) headers.push(['Content-Encoding', encoding]);
      expect((await sendRaw(port, { headers, body })).status).toBe(status);
    }
  });

  it('is checked for forbidden keys and depth as a parsed object too', async () => {
    const { receiver, seen } = makeReceiver();
    const { url } = await serve(express().use(express.json()).use(receiver));
    const send = (text: string) => request(url).post('/').set('Content-Type', 'application/json').send(text);
    expect((await send('{"a":{"__proto__":{"b":1}}}')).text).toContain('forbidden key');
    expect((await send(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).text).toContain('nested too deeply');
    expect(seen).toHaveLength(0);
  });
});

describe('a receiver that no request reaches', () => {
  it.each<[string, (receiver: Receiver) => Express, object]>([
    ['app.post', (receiver) => express().post(BASE, receiver), {}],
    ['app.use and basePath', (receiver) => express().use(BASE, receiver), { basePath: BASE }],
  ])('says once how to mount it: %s', async (_what, mounted, options) => {
    const { receiver, logged } = makeReceiver(options);
    const { url } = await serve(mounted(receiver));
    for (const path of [BASE, BASE])
      expect((await request(url).post(path).send(botMessageBody())).status).toBe(404);
    expect(logged.about('Mount it with app.use')).toHaveLength(1);
  });

  it('says nothing once a request has reached it', async () => {
    const { receiver, logged } = makeReceiver();
    const { url } = await serve(express().use(receiver));
    await request(url).post('/').send(botMessageBody()).expect(200);
    await request(url).post('/elsewhere').send({}).expect(404);
    expect(logged.about('Mount it with app.use')).toHaveLength(0);
  });
});

describe('one receiver', () => {
  it('may be mounted twice, and beside another', async () => {
    const first = makeReceiver();
    const second = makeReceiver();
    const app = express().use('/a', first.receiver).use('/b', second.receiver).use('/c', first.receiver);
    const { url } = await serve(app);
    for (const prefix of ['/a', '/b', '/c']) {
      expect((await request(url).post(prefix).send(botMessageBody())).status).toBe(200);
    }
    expect([first.seen.length, second.seen.length]).toEqual([2, 1]);
  });

  it('can be passed to http.createServer', async () => {
    const { receiver, seen } = makeReceiver();
    const answer = await request(createServer(receiver)).post('/').send(botMessageBody());
    expect(answer.status).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it('runs handlers in the async context of the middleware before it', async () => {
    const { receiver } = makeReceiver();
    const tenants = new AsyncLocalStorage<string>();
    const found: (string | undefined)[] = [];
    receiver.on('message', () => {
      found.push(tenants.getStore());
    });
    receiver.on('message', async () => {
      await Promise.resolve();
      found.push(tenants.getStore());
    });
    const app = express().use((req, _res, next) => tenants.run(String(req.get('x-tenant')), next), receiver);
    const { url } = await serve(app);
    for (const tenant of ['one', 'two']) {
      await request(url).post('/').set('x-tenant', tenant).send(botMessageBody());
    }
    expect(found).toEqual(['one', 'one', 'two', 'two']);
  });
});
