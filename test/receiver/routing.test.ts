import express from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { noAuth } from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { bytesOf, sendBytes } from '../helpers/raw.js';
import { inFrontOf, serve } from '../helpers/serve.js';
import { makeReceiver, start } from '../helpers/start.js';

const ENDPOINTS = [
  ['/', 'message', botMessageBody],
  ['/conversation/establish', 'handoff.requested', establishBody],
  ['/chat', 'handoff.message', chatBody],
  ['/conversation/close', 'handoff.closed', closeBody],
] as const;

describe('each endpoint', () => {
  it.each(ENDPOINTS)('POST %s is the event %s', async (path, event, body) => {
    const to = await start();
    expect((await request(to.url).post(path).send(body())).status).toBe(200);
    expect(to.seen.map((context) => context.event)).toEqual([event]);
  });

  it.each(ENDPOINTS)('%s accepts a query and a trailing slash', async (path, event, body) => {
    const to = await start();
    const slashed = path === '/' ? '//' : `${path}/`;
    for (const variant of [`${path}?a=1&b=/chat`, slashed, `${slashed}?x`]) {
      const bytes = bytesOf({
        path: variant,
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify(body()),
      });
      expect((await sendBytes(to.port, bytes)).status).toBe(200);
    }
    expect(to.seen.map((context) => context.event)).toEqual([event, event, event]);
  });

  it.each(ENDPOINTS)('%s is found in a whole address, as proxies send it', async (path, event, body) => {
    const to = await start();
    for (const target of [
      `http://receiver.example.com${path}`,
      `HTTPS://receiver.example.com:443${path}?a=1`,
    ]) {
      const bytes = bytesOf({
        path: target,
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify(body()),
      });
      expect((await sendBytes(to.port, bytes)).status).toBe(200);
    }
    expect(to.seen.map((context) => context.event)).toEqual([event, event]);
  });

  it.each(ENDPOINTS)('%s refuses other methods and names the right one', async (path, _event, body) => {
    const to = await start();
    for (const method of ['get', 'put', 'patch', 'delete', 'options'] as const) {
      const answer = await request(to.url)[method](path).send(body());
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('POST');
      expect(answer.body).toMatchObject({ code: 405 });
      expect(answer.headers['x-request-id']).toBeTruthy();
    }
    expect((await request(to.url).head(path)).status).toBe(405);
    expect(to.seen).toHaveLength(0);
    expect((await request(to.url).post(path).send(body())).status).toBe(200);
  });
});

describe('a base URL that ends in a slash', () => {
  it.each(['//conversation/establish', '//chat', '//conversation//close//', '///chat?x=//'])(
    'is the same address: %s',
    async (path) => {
      const to = await start();
      const { receiver, seen } = makeReceiver();
      const app = await serve(express().use('/webhook', receiver));
      const sent = { headers: [['Content-Type', 'application/json']] as const };
      const body = JSON.stringify({ ...establishBody(), ...(path.includes('chat') && { body: 'x' }) });
      expect((await sendBytes(to.port, bytesOf({ ...sent, path, body }))).status).toBe(200);
      const mounted = bytesOf({ ...sent, path: `/webhook${path}`, body });
      expect((await sendBytes(app.port, mounted)).status).toBe(200);
      expect(seen.map(({ event }) => event)).toEqual(to.seen.map(({ event }) => event));
    },
  );

  it('may be below basePath, or the base path itself', async () => {
    const to = await start({ basePath: '/webhook/' });
    for (const path of ['/webhook//chat', '//webhook/chat', '/webhook//chat/']) {
      const answer = await request(to.url).post(path).send(chatBody());
      expect(answer.status).toBe(200);
    }
  });
});

describe('an unknown path', () => {
  it.each(['/other', '/chat/more', '/Chat', '/conversation', '/conversation/establish/x', '/%63hat', '*'])(
    'is 404 in JSON without a next handler: %s',
    async (path) => {
      const to = await start();
      for (const method of ['POST', 'GET', 'OPTIONS']) {
        const answer = await sendBytes(to.port, bytesOf({ method, path, body: '{}' }));
        expect(answer.status).toBe(404);
        expect(JSON.parse(answer.body)).toEqual({ code: 404, msg: 'not found' });
        expect(answer.headers.get('content-type')).toEqual(['application/json']);
        expect(answer.headers.get('x-request-id')).toHaveLength(1);
      }
      expect(to.seen).toHaveLength(0);
    },
  );

  it('is passed to the app’s next handler, with its body unread', async () => {
    const { receiver, seen } = makeReceiver();
    const app = express();
    app.use('/webhook', receiver);
    app.use(express.json());
    app.post('/webhook/other', (req, res) => {
      res.status(201).json({ got: req.body as unknown });
    });
    app.get('/webhook/other', (_req, res) => {
      res.send('a page');
    });
    const { url } = await serve(app);
    const posted = await request(url).post('/webhook/other').send({ a: 1 });
    expect([posted.status, posted.body]).toEqual([201, { got: { a: 1 } }]);
    expect((await request(url).get('/webhook/other')).text).toBe('a page');
    expect((await request(url).post('/webhook/missing').send({})).status).toBe(404);
    expect(seen).toHaveLength(0);
  });

  it('leaves other methods of the mount to the app without a message webhook', async () => {
    const { receiver } = makeReceiver({ auth: { message: false, handoff: noAuth() } });
    const app = express();
    app.use(receiver);
    app.get('/', (_req, res) => {
      res.send('home');
    });
    const { url } = await serve(app);
    expect((await request(url).get('/')).text).toBe('home');
    expect((await request(url).get('/chat')).status).toBe(405);
  });

  it('includes the paths of a group that is not mounted', async () => {
    const to = await start({ auth: { message: noAuth(), handoff: false } });
    expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(404);
    const other = await start({ auth: { message: false, handoff: noAuth() } });
    expect((await request(other.url).post('/').send(botMessageBody())).status).toBe(404);
    expect([...to.seen, ...other.seen]).toHaveLength(0);
  });
});

describe('the path of the endpoints', () => {
  it.each(['/webhook', '/human/service', '/a/b/c'])('may be any Express prefix: %s', async (prefix) => {
    const { receiver, seen } = makeReceiver();
    const { url } = await serve(express().use(prefix, receiver));
    for (const [path, , body] of ENDPOINTS) {
      expect((await request(url).post(`${prefix}${path}`).send(body())).status).toBe(200);
    }
    expect((await request(url).post(`${prefix}?x=1`).send(botMessageBody())).status).toBe(200);
    expect(seen).toHaveLength(5);
  });

  it.each(['/webhook', '/webhook/', '/human/service'])(
    'may be set by basePath on bare http: %s',
    async (basePath) => {
      const to = await start({ basePath });
      const prefix = basePath.replace(/\/$/, '');
      for (const [path, , body] of ENDPOINTS) {
        expect((await request(to.url).post(`${prefix}${path}`).send(body())).status).toBe(200);
      }
      for (const path of ['/', '/chat', `${prefix}x`, `${prefix}chat`, `${prefix}x/chat`]) {
        expect((await request(to.url).post(path).send(chatBody())).status).toBe(404);
      }
      expect(to.seen).toHaveLength(4);
    },
  );

  it('changes with paths', async () => {
    const to = await start({ basePath: '/in', paths: { message: '/messages', handoff: '/human/' } });
    expect((await request(to.url).post('/in/messages').send(botMessageBody())).status).toBe(200);
    expect((await request(to.url).post('/in/human/chat').send(chatBody())).status).toBe(200);
    expect((await request(to.url).post('/in/human/conversation/close').send(closeBody())).status).toBe(200);
    expect((await request(to.url).post('/in/chat').send(chatBody())).status).toBe(404);
    expect((await request(to.url).post('/in').send(botMessageBody())).status).toBe(404);
    expect(to.seen.map(({ event }) => event)).toEqual(['message', 'handoff.message', 'handoff.closed']);
  });

  it('can be in front of an app, which gets all other requests', async () => {
    const { receiver, seen } = makeReceiver({ basePath: '/webhook' });
    const app = express();
    app.get('/page', (_req, res) => {
      res.send('a page');
    });
    app.post('/webhook/other', (_req, res) => {
      res.send('the app’s');
    });
    const { url } = await serve(inFrontOf(receiver, app));
    for (const [path, , body] of ENDPOINTS) {
      const answer = await request(url).post(`/webhook${path}`).send(body());
      expect(answer.status).toBe(200);
      expect(answer.headers['x-powered-by']).toBeUndefined();
    }
    expect((await request(url).get('/page')).text).toBe('a page');
    expect((await request(url).post('/webhook/other')).text).toBe('the app’s');
    expect((await request(url).get('/nowhere')).headers['x-powered-by']).toBe('Express');
    expect(seen).toHaveLength(4);
  });
});
