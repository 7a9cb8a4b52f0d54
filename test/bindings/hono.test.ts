import { serve } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { describe, expect, it } from 'vitest';
import { handoffKit } from '../../src/bindings/hono.js';
import { type AuthRequest, noAuth } from '../../src/public/index.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { makeReceiver } from '../helpers/start.js';
import { describeHost } from './cases.js';
import { BASE, inProcess, type Mount, parser } from './host.js';

/** Serves a Fetch handler with Hono's server for Node. */
function serveFetch(fetch: (request: Request) => Response | Promise<Response>) {
  return new Promise<{ port: number; end(): Promise<unknown> }>((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({ port, end: () => new Promise((done) => server.close(done)) }),
    );
  });
}

const hono =
  (...before: MiddlewareHandler[]): Mount =>
  (create) => {
    const app = new Hono();
    for (const middleware of before) app.use(middleware);
    app.use(`${BASE}/*`, handoffKit(create()));
    app.all('*', (c) => c.text('Hono has no such page', 404));
    return serveFetch(app.fetch);
  };

describeHost('Hono', {
  start: inProcess(hono()),
  parsers: {
    'c.req.json()': parser(
      true,
      hono(async (c, next) => {
        await c.req.json();
        await next();
      }),
    ),
    'c.req.text()': parser(
      true,
      hono(async (c, next) => {
        await c.req.text();
        await next();
      }),
    ),
  },
  notFound: 'Hono has no such page',
});

describeHost('Fetch (SvelteKit, Deno, Bun)', {
  start: inProcess((create) => serveFetch(create(BASE).fetch)),
  notFound: '{"code":404,"msg":"not found"}',
});

describe('the middleware', () => {
  const post = (body: object): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  it("is mounted at its route's path, which may have parameters or belong to another app", async () => {
    const { receiver, seen } = makeReceiver();
    const inner = new Hono().use(handoffKit(receiver));
    const app = new Hono()
      .use('/tenants/:tenant/webhook/*', handoffKit(receiver))
      .basePath('/api')
      .route('/hooks', inner);
    for (const path of ['/tenants/a/webhook', '/api/hooks']) {
      expect((await app.request(path, post(botMessageBody()))).status).toBe(200);
      expect((await app.request(`${path}/chat?x=1`, post(chatBody()))).status).toBe(200);
    }
    expect(seen.map(({ event }) => event)).toEqual([
      'message',
      'handoff.message',
      'message',
      'handoff.message',
    ]);
  });

  it('passes work after the answer to waitUntil, if the runtime has it', async () => {
    const { receiver, seen } = makeReceiver();
    const app = new Hono().use(handoffKit(receiver));
    const work: Promise<unknown>[] = [];
    const context = {
      waitUntil: (promise: Promise<unknown>) => void work.push(promise),
      passThroughOnException() {},
      props: {},
    };
    await app.request('/', post({ istest: true }), {}, context);
    await Promise.all(work);
    expect(seen.map(({ event }) => event)).toEqual(['probe']);
  });

  it("asks the runtime for the sender's address", async () => {
    const addresses: unknown[] = [];
    const check = ({ remoteAddress }: AuthRequest): boolean => addresses.push(remoteAddress) > 0;
    const { receiver } = makeReceiver({ auth: { message: check, handoff: noAuth() } });
    const getConnInfo = () => ({ remote: { address: '203.0.113.7' } });
    const app = new Hono().use(handoffKit(receiver, { getConnInfo }));
    await app.request('/', post(botMessageBody()));
    expect(addresses).toEqual(['203.0.113.7']);
  });

  it('reports a body that was read and not kept', async () => {
    const { receiver, logged } = makeReceiver();
    const app = new Hono()
      .use(async (c, next) => {
        await c.req.raw.text();
        await next();
      })
      .use(handoffKit(receiver));
    const answer = await app.request('/', post(botMessageBody()));
    expect([answer.status, await answer.json()]).toEqual([500, { code: 500, msg: 'body not available' }]);
    expect(logged.about('request refused')[0]?.detail).toContain('Mount the receiver before that middleware');
  });
});
