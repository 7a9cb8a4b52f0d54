import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { basic, noAuth, pathToken, type ReceiverOptions, webhookUser } from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { BEARER_TOKEN, basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { deferred } from '../helpers/deferred.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { sendRaw } from '../helpers/raw.js';
import { type Started, start } from '../helpers/start.js';

const SHAPES = [
  ['message', botMessageBody],
  ['establish', establishBody],
  ['chat', chatBody],
  ['close', closeBody],
  ['nothing but istest', () => ({})],
  ['no known', () => ({ conversation_id: [], body: 5, output: 'x' })],
] as const;

const MESSAGE = basicHeader('message-user', SECRET);
const HANDOFF = basicHeader('handoff-user', SECRET);

const HEADER_AUTH = {
  message: basic({ username: 'message-user', password: SECRET }),
  handoff: basic({ username: 'handoff-user', password: SECRET }),
};

const TOKEN_AUTH = { message: webhookUser({ username: BEARER_TOKEN }), handoff: pathToken(PATH_TOKEN) };

const probe = (to: Started, path: string, authorization?: string, body: object = botMessageBody()) => {
  const sending = request(to.url)
    .post(path)
    .send({ ...body, istest: true });
  return authorization === undefined ? sending : sending.set('Authorization', authorization);
};

/** A receiver with everything that probes must not trigger. */
async function startWatched(options: Partial<ReceiverOptions>) {
  const platform = await fakePlatform();
  const asked: string[] = [];
  const to = await start({ platform: platform.options, greeting: 'Hello', ...options });
  to.receiver.admit(({ conversationId }) => {
    asked.push(conversationId);
    return true;
  });
  const expectNothingDone = async (): Promise<void> => {
    await to.receiver.close();
    expect(to.seen.filter(({ event }) => event !== 'probe')).toHaveLength(0);
    expect(asked).toHaveLength(0);
    expect(platform.calls).toHaveLength(0);
    expect(await to.receiver.stats()).toEqual({ pending: 0, remembered: 0 });
  };
  return { ...to, expectNothingDone };
}

describe('a probe with valid credentials', () => {
  it.each(SHAPES)('in the shape of %s is answered on every path, without effects', async (_name, shape) => {
    const to = await startWatched({ auth: HEADER_AUTH });
    const sent = [
      ['/', MESSAGE, 'message'],
      ['/', HANDOFF, 'root'],
      ['/conversation/establish', HANDOFF, 'establish'],
      ['/chat', HANDOFF, 'chat'],
      ['/conversation/close', HANDOFF, 'close'],
    ] as const;
    for (const [path, authorization] of sent) {
      expect((await probe(to, path, authorization, shape())).status).toBe(200);
    }
    expect(to.seen.map(({ payload }) => payload)).toEqual(sent.map(([, , endpoint]) => ({ endpoint })));
    await to.expectNothingDone();
  });

  it.each([['true'], ['True'], ['TRUE'], [1], ['1']])('may have %j as istest', async (istest) => {
    const to = await startWatched({ auth: TOKEN_AUTH });
    const sent = [
      [`/${PATH_TOKEN}`, botMessageBody],
      [`/${PATH_TOKEN}/conversation/establish`, establishBody],
      [`/${PATH_TOKEN}/chat`, chatBody],
      [`/${PATH_TOKEN}/conversation/close`, closeBody],
    ] as const;
    for (const [path, make] of sent) {
      expect((await request(to.url).post(path).send(make({ istest }))).status).toBe(200);
    }
    expect(to.seen.map(({ event }) => event)).toEqual(sent.map(() => 'probe'));
    await to.expectNothingDone();
  });

  it.each(SHAPES)('in the shape of %s passes with the path token', async (_name, shape) => {
    const to = await startWatched({ auth: TOKEN_AUTH });
    for (const path of ['', '/conversation/establish', '/chat', '/conversation/close']) {
      expect((await probe(to, `/${PATH_TOKEN}${path}`, undefined, shape())).status).toBe(200);
    }
    expect((await probe(to, '/', `Bearer ${BEARER_TOKEN}`, shape())).status).toBe(200);
    expect(to.seen.map(({ payload }) => payload)).toEqual(
      ['root', 'establish', 'chat', 'close', 'message'].map((endpoint) => ({ endpoint })),
    );
    expect(to.logged.about('probe answered').map(({ endpoint }) => endpoint)).toContain('root');
    await to.expectNothingDone();
  });
});

describe('a probe without credentials', () => {
  it.each(SHAPES)('in the shape of %s is 401 on every path', async (_name, shape) => {
    const to = await startWatched({ auth: HEADER_AUTH });
    for (const path of ['/', '/conversation/establish', '/chat', '/conversation/close']) {
      expect((await probe(to, path, undefined, shape())).status).toBe(401);
      expect((await probe(to, path, basicHeader(USERNAME, 'wrong'), shape())).status).toBe(401);
    }
    expect((await probe(to, '/chat', MESSAGE, shape())).status).toBe(401);
    expect(to.seen).toHaveLength(0);
    await to.expectNothingDone();
  });

  it.each(SHAPES)('in the shape of %s passes if probes need none', async (_name, shape) => {
    const to = await startWatched({ auth: HEADER_AUTH, probes: { auth: 'none' } });
    for (const path of ['/', '/conversation/establish', '/chat', '/conversation/close']) {
      expect((await probe(to, path, undefined, shape())).status).toBe(200);
      expect((await probe(to, path, 'Basic !!!', shape())).status).toBe(200);
    }
    expect(to.seen).toHaveLength(8);
    await to.expectNothingDone();
  });

  it('is 401 with credentials of the other group, except at the mount root', async () => {
    const to = await start({ auth: HEADER_AUTH, paths: { message: '/messages' } });
    expect((await probe(to, '/messages', HANDOFF)).status).toBe(401);
    expect((await probe(to, '/chat', MESSAGE)).status).toBe(401);
    expect((await probe(to, '/messages', MESSAGE)).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it('passes at the mount root if the handoff endpoints are open, unless it has wrong credentials', async () => {
    const to = await start({ auth: { message: HEADER_AUTH.message, handoff: noAuth() } });
    expect((await probe(to, '/')).status).toBe(200);
    expect((await probe(to, '/', MESSAGE)).status).toBe(200);
    // The platform would show the message webhook as reachable, and every message would be refused.
    expect((await probe(to, '/', HANDOFF)).status).toBe(401);
    expect((await to.logged.until('probe was refused')).detail).toBe(
      'the credentials are wrong: the request has Authorization: Basic, as expected, with other values',
    );
    expect((await probe(to, '/chat', HANDOFF)).status).toBe(200);
  });

  it('is logged with the option that would accept it', async () => {
    const to = await start({ auth: HEADER_AUTH });
    const answer = await probe(to, '/chat');
    expect(answer.body).toEqual({ code: 401, message: 'unauthorized' });
    const line = await to.logged.until('probe was refused');
    expect(line.msg).toContain('probes: { auth: "none" }');
    expect(line).toMatchObject({ endpoint: 'chat', status: 401, requestId: answer.headers['x-request-id'] });
  });

  it('is distinguished in the log from other requests without credentials', async () => {
    const to = await start({ auth: HEADER_AUTH });
    for (const body of [chatBody(), chatBody({ istest: 'no' }), { a: { istest: true } }]) {
      expect((await request(to.url).post('/chat').send(body)).status).toBe(401);
    }
    expect(
      (
        await request(to.url)
          .post('/chat')
          .send({ istest: true, padding: 'x'.repeat(20_000) })
      ).status,
    ).toBe(401);
    await to.logged.until('request refused');
    await to.receiver.close();
    expect(to.logged.about('probe was refused')).toHaveLength(0);
    expect(to.logged.about('request refused')).toHaveLength(4);
  });
});

describe('a body that is not a probe', () => {
  it.each([['false'], [0], [false], [null], [{}], ['']])('is an event if istest is %j', async (istest) => {
    const to = await start();
    expect((await request(to.url).post('/').send(botMessageBody({ istest }))).status).toBe(200);
    expect(to.seen.map(({ event }) => event)).toEqual(['message']);
  });

  it('needs the message webhook’s own scheme at the mount root', async () => {
    const to = await start({ auth: HEADER_AUTH });
    const send = (authorization: string) =>
      request(to.url).post('/').set('Authorization', authorization).send(botMessageBody());
    expect((await send(HANDOFF)).status).toBe(401);
    expect(to.seen).toHaveLength(0);
    expect((await send(MESSAGE)).status).toBe(200);
  });

  it('needs it even if the handoff endpoints are open', async () => {
    const to = await start({ auth: { message: HEADER_AUTH.message, handoff: noAuth() } });
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(401);
    expect((await probe(to, '/')).status).toBe(200);
    expect(to.seen.map(({ event }) => event)).toEqual(['probe']);
  });

  it.each(['required', 'none'] as const)('is refused without details: %s', async (auth) => {
    const to = await start({ auth: { message: HEADER_AUTH.message, handoff: noAuth() }, probes: { auth } });
    for (const text of ['', '{', '[]', '{"__proto__":{}}', JSON.stringify(botMessageBody())]) {
      const answer = await request(to.url).post('/').set('Content-Type', 'application/json').send(text);
      expect(answer.body).toEqual({ code: 401, msg: 'unauthorized' });
    }
    expect(to.seen).toHaveLength(0);
  });

  it.each([
    ['wrong credentials, a length and no body', 'Basic d3Jvbmc6d3Jvbmc=', ['Content-Length', '50']],
    ['wrong credentials and endless chunks', 'Basic d3Jvbmc6d3Jvbmc=', ['Transfer-Encoding', 'chunked']],
    ['no credentials, a length and no body', undefined, ['Content-Length', '50']],
  ] as const)('is refused without reading it: %s', async (_how, authorization, framing) => {
    const to = await start({
      auth: { message: HEADER_AUTH.message, handoff: noAuth() },
      limits: { readTimeoutMs: 600_000 },
    });
    const answer = await sendRaw(to.port, {
      headers: [
        ['Content-Type', 'application/json'],
        framing,
        ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
      ],
    });
    expect(answer.status).toBe(401);
    expect(to.seen).toHaveLength(0);
  });

  it('is not found at a mount root without an endpoint', async () => {
    const to = await start({ auth: HEADER_AUTH, paths: { message: '/messages' } });
    const send = (body: object, authorization: string) =>
      request(to.url).post('/').set('Authorization', authorization).send(body);
    expect((await send(botMessageBody(), MESSAGE)).status).toBe(404);
    expect((await send({ istest: true }, MESSAGE)).status).toBe(200);
    expect((await send({ istest: true }, HANDOFF)).status).toBe(200);
    expect((await send({ istest: true }, 'Basic x')).status).toBe(401);
    expect(to.seen.map(({ payload }) => payload)).toEqual([{ endpoint: 'root' }, { endpoint: 'root' }]);
  });
});

describe('the base URL of moved handoff endpoints', () => {
  it('answers probes, and nothing else', async () => {
    const to = await startWatched({ auth: HEADER_AUTH, paths: { handoff: '/human' } });
    expect((await probe(to, '/human', HANDOFF)).status).toBe(200);
    expect((await probe(to, '/human/', HANDOFF)).status).toBe(200);
    expect((await probe(to, '/human', MESSAGE)).status).toBe(401);
    expect((await probe(to, '/human')).status).toBe(401);
    const chat = request(to.url).post('/human').set('Authorization', HANDOFF).send(chatBody());
    expect((await chat).status).toBe(404);
    expect((await request(to.url).get('/human')).status).toBe(404);
    expect(to.seen.map(({ payload }) => payload)).toEqual([{ endpoint: 'root' }, { endpoint: 'root' }]);
    await to.expectNothingDone();
  });

  it('answers the probes of both groups if it is the message webhook, too', async () => {
    const to = await startWatched({ auth: HEADER_AUTH, paths: { message: '/a', handoff: '/a' } });
    expect((await probe(to, '/a', MESSAGE)).status).toBe(200);
    expect((await probe(to, '/a', HANDOFF)).status).toBe(200);
    expect((await probe(to, '/a', 'Basic x')).status).toBe(401);
    await to.expectNothingDone();
  });

  it('needs the token in its path', async () => {
    const to = await startWatched({ auth: TOKEN_AUTH, paths: { handoff: '/human' } });
    expect((await probe(to, `/${PATH_TOKEN}/human`)).status).toBe(200);
    expect((await probe(to, '/human')).status).toBe(401);
    await to.expectNothingDone();
  });

  it('is 401 and not 404 without credentials where messages are not mounted', async () => {
    const to = await start({ auth: { message: false, handoff: HEADER_AUTH.handoff } });
    expect((await probe(to, '/', HANDOFF)).status).toBe(200);
    expect((await probe(to, '/')).status).toBe(401);
    expect((await to.logged.until('probe was refused')).status).toBe(401);
  });
});

describe('observers of probes', () => {
  it('get the endpoint and no actions', async () => {
    const to = await start();
    const answer = await probe(to, '/chat');
    const [context] = to.seen;
    expect(context).toMatchObject({ event: 'probe', payload: { endpoint: 'chat' } });
    expect(context?.requestId).toBe(answer.headers['x-request-id']);
    expect(context?.receivedAt).toBeInstanceOf(Date);
    for (const name of ['reply', 'close', 'conversationId']) expect(context).not.toHaveProperty(name);
  });

  it('cannot change the answer by failing', async () => {
    const to = await start();
    const errors: unknown[] = [];
    to.receiver.on('probe', () => {
      throw new Error('observer broke');
    });
    to.receiver.onError(({ event, error }) => errors.push([event, String(error)]));
    expect((await probe(to, '/')).status).toBe(200);
    await to.receiver.close();
    expect(errors).toEqual([['probe', 'Error: observer broke']]);
  });

  it('run after the answer, and their failures are still reported', async () => {
    const to = await start();
    const answered = deferred();
    const errors: unknown[] = [];
    to.receiver.on('probe', () => answered.promise);
    to.receiver.onError(({ event, error }) => errors.push([event, String(error)]));
    expect((await probe(to, '/')).status).toBe(200);
    answered.reject(new Error('observer broke later'));
    await to.receiver.close();
    expect(errors).toEqual([['probe', 'Error: observer broke later']]);
  });

  it('may hang: further probes and events are answered', async () => {
    const to = await start();
    to.receiver.on('probe', () => new Promise(() => {}));
    expect((await probe(to, '/')).status).toBe(200);
    expect((await probe(to, '/chat')).status).toBe(200);
    expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(200);
    expect(to.seen.map(({ event }) => event)).toEqual(['probe', 'probe', 'handoff.message']);
    await to.receiver.close({ timeoutMs: 1 });
  });

  it('are registered by name: onAny gets no probes', async () => {
    const to = await start();
    const events: string[] = [];
    to.receiver.onAny(({ event }) => events.push(event));
    expect((await probe(to, '/')).status).toBe(200);
    expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(200);
    await to.receiver.close();
    expect(to.seen.map(({ event }) => event)).toEqual(['probe', 'handoff.message']);
    expect(events).toEqual(['handoff.message']);
  });
});
