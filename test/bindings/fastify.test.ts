import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { handoffKit } from '../../src/bindings/fastify.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { makeReceiver } from '../helpers/start.js';
import { describeHost } from './cases.js';
import { BASE, inProcess, type Mount, parser } from './host.js';

const fastify =
  (prepare: (app: FastifyInstance) => void = () => undefined, options: FastifyServerOptions = {}): Mount =>
  async (create) => {
    const app = Fastify({ requestIdHeader: 'x-request-id', ...options });
    prepare(app);
    app.register(handoffKit, { receiver: create(), prefix: BASE });
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    return { port: Number(port), end: () => app.close() };
  };

describeHost('Fastify', {
  start: inProcess(fastify()),
  parsers: {
    'the JSON parser of the app, which the plugin replaces': parser(
      true,
      fastify((app) => {
        app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
          done(null, JSON.parse(String(body))),
        );
      }),
    ),
    'a hook that replaces the stream of the body': parser(
      true,
      fastify((app) => {
        app.addHook('preParsing', (_request, _reply, payload, done) =>
          done(null, payload.pipe(new PassThrough())),
        );
      }),
    ),
  },
  notFound: '"message":"Route POST:/webhook/unknown',
});

describe('the plugin', () => {
  const start = async (options: FastifyServerOptions, mount: (app: FastifyInstance) => unknown) => {
    const app = Fastify(options);
    mount(app);
    onTestFinished(() => app.close());
    await app.ready();
    return app;
  };

  it("does not affect the app's parsers and other routes", async () => {
    const { receiver } = makeReceiver();
    const app = await start({}, (to) => {
      to.register(handoffKit, { receiver, prefix: BASE });
      to.post('/webhook/own', async ({ body }) => ({ got: body }));
    });
    const answer = await app.inject({ method: 'POST', url: '/webhook/own', payload: { a: 1 } });
    expect(answer.json()).toEqual({ got: { a: 1 } });
  });

  it('is mounted below outer prefixes, which may have parameters', async () => {
    const { receiver, seen } = makeReceiver();
    const app = await start({}, (to) => {
      to.register(
        (tenants, _options, done) => {
          tenants.register(handoffKit, { receiver, prefix: '/webhook' });
          done();
        },
        { prefix: '/tenants/:tenant' },
      );
    });
    for (const url of [
      '/tenants/a/webhook/chat',
      '/tenants/b/webhook//chat?x=1',
      '/tenants/c/webhook/chat/',
    ]) {
      const { statusCode } = await app.inject({ method: 'POST', url, payload: chatBody() });
      expect(statusCode).toBe(200);
    }
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/tenants/d/webhook',
      payload: botMessageBody(),
    });
    expect(statusCode).toBe(200);
    expect(seen.map(({ event }) => event)).toEqual([
      ...Array.from({ length: 3 }, () => 'handoff.message'),
      'message',
    ]);
  });

  it('may be the root of the app', async () => {
    const { receiver, seen } = makeReceiver();
    const app = await start({}, (to) => to.register(handoffKit, { receiver }));
    await app.inject({ method: 'POST', url: '/', payload: botMessageBody() });
    await app.inject({ method: 'POST', url: '/chat', payload: chatBody() });
    expect(seen.map(({ event }) => event)).toEqual(['message', 'handoff.message']);
  });

  it("uses Fastify's request ids, so that both logs agree", async () => {
    const { receiver, seen } = makeReceiver();
    const app = await start({ genReqId: () => 'id-of-fastify' }, (to) =>
      to.register(handoffKit, { receiver }),
    );
    const answer = await app.inject({ method: 'POST', url: '/', payload: botMessageBody() });
    expect(answer.headers['x-request-id']).toBe('id-of-fastify');
    expect(seen[0]?.requestId).toBe('id-of-fastify');
  });

  it("sends headers from the app's hooks", async () => {
    const { receiver } = makeReceiver();
    const app = await start({}, (to) => {
      to.addHook('onSend', async (_request, reply) => void reply.header('x-served-by', 'fastify'));
      to.register(handoffKit, { receiver });
    });
    const answer = await app.inject({ method: 'POST', url: '/', payload: botMessageBody() });
    expect(answer.headers['x-served-by']).toBe('fastify');
  });
});
