import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { noAuth, pathToken, webhookUser } from '../../src/public/index.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { sendRaw } from '../helpers/raw.js';
import { type Started, start } from '../helpers/start.js';

const startWithToken = (): Promise<Started> =>
  start({
    auth: { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) },
  });

const chat = (to: Started, path: string) => request(to.url).post(path).send(chatBody());

/** Every byte of the token as `%xx`. */
const encodedWhole = Buffer.from(PATH_TOKEN).toString('hex').replaceAll(/../g, '%$&');

describe('the path token', () => {
  it.each([
    ['in its place', `/${PATH_TOKEN}/chat`],
    ['with a slash at the end', `/${PATH_TOKEN}/chat/`],
    ['with a query', `/${PATH_TOKEN}/chat?from=platform`],
    ['encoded', `/${encodedWhole}/chat`],
    ['partly encoded', `/%70${PATH_TOKEN.slice(1)}/chat`],
    ['in a base URL that ends in a slash', `/${PATH_TOKEN}//chat`],
  ])('is accepted %s', async (_where, path) => {
    const to = await startWithToken();
    const answer = await chat(to, path);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"code":200,"message":"success"}');
    expect(to.seen).toMatchObject([{ event: 'handoff.message' }]);
  });

  it('is required by each handoff endpoint, and is sufficient', async () => {
    const to = await startWithToken();
    for (const path of ['/conversation/establish', '/chat', '/conversation/close']) {
      expect((await request(to.url).post(path).send(establishBody())).status).toBe(401);
      const answer = await request(to.url)
        .post(`/${PATH_TOKEN}${path}`)
        .send({ conversation_id: 'c', body: path === '/chat' ? 'x' : [] });
      expect(answer.status).toBe(200);
    }
    expect(to.seen.map(({ event }) => event)).toEqual([
      'handoff.requested',
      'handoff.message',
      'handoff.closed',
    ]);
  });

  it.each([
    ['missing', '/chat', 401],
    ['wrong', `/${PATH_TOKEN.replace('p', 'q')}/chat`, 401],
    ['plus one byte', `/${PATH_TOKEN}0/chat`, 401],
    ['minus one byte', `/${PATH_TOKEN.slice(0, -1)}/chat`, 401],
    ['in another case', `/${PATH_TOKEN.toUpperCase()}/chat`, 401],
    ['with a NUL', `/${PATH_TOKEN}%00/chat`, 401],
    ['after another segment', `/x/${PATH_TOKEN}/chat`, 404],
    ['twice', `/${PATH_TOKEN}/${PATH_TOKEN}/chat`, 404],
    ['after the endpoint', `/chat/${PATH_TOKEN}`, 404],
    ['in the query', `/chat?token=${PATH_TOKEN}`, 401],
    ['badly encoded', `/%E0%A4%A/chat`, 404],
    ['empty', '//chat', 401],
    ['after an encoded slash', `/%2F${PATH_TOKEN}/chat`, 401],
  ])('is refused %s', async (_how, path, status) => {
    const to = await startWithToken();
    const answer = await sendRaw(to.port, {
      path,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify(chatBody()),
    });
    expect(answer.status).toBe(status);
    expect(to.seen).toHaveLength(0);
    expect(answer.body + to.logged.text()).not.toContain(PATH_TOKEN);
    expect((await chat(to, `/${PATH_TOKEN}/chat`)).status).toBe(200);
  });

  it('is a whole segment below basePath', async () => {
    const to = await start({
      auth: { message: false, handoff: pathToken(PATH_TOKEN) },
      basePath: '/webhook',
    });
    expect((await chat(to, `/webhook/${PATH_TOKEN}/chat`)).status).toBe(200);
    for (const path of [`/webhook${PATH_TOKEN}/chat`, `/webhookx${PATH_TOKEN}/chat`, `/${PATH_TOKEN}/chat`]) {
      expect((await chat(to, path)).status).toBe(404);
    }
    expect(to.seen).toHaveLength(1);
  });

  it('is not accepted in a header', async () => {
    const to = await startWithToken();
    expect((await chat(to, '/chat').set('Authorization', `Bearer ${PATH_TOKEN}`)).status).toBe(401);
    expect((await chat(to, '/chat').set('Authorization', basicHeader(USERNAME, SECRET))).status).toBe(401);
  });

  it('can be rotated with a list', async () => {
    const newer = 'another-token-0123456789';
    const to = await start({ auth: { message: false, handoff: [pathToken(newer), pathToken(PATH_TOKEN)] } });
    expect((await chat(to, `/${newer}/chat`)).status).toBe(200);
    expect((await chat(to, `/${PATH_TOKEN}/chat`)).status).toBe(200);
    expect((await chat(to, '/chat')).status).toBe(401);
  });

  it('can be combined with another scheme in a list', async () => {
    const to = await start({
      auth: { message: false, handoff: [webhookUser({ username: USERNAME }), pathToken(PATH_TOKEN)] },
    });
    expect((await chat(to, `/${PATH_TOKEN}/chat`)).status).toBe(200);
    expect((await chat(to, '/chat').set('Authorization', `Bearer ${USERNAME}`)).status).toBe(200);
    expect((await chat(to, '/chat')).status).toBe(401);
  });
});

describe('the base URL of the handoff endpoints', () => {
  it('answers probes', async () => {
    const to = await startWithToken();
    for (const path of [`/${PATH_TOKEN}`, `/${PATH_TOKEN}/`, `/${PATH_TOKEN}?x=1`]) {
      expect((await request(to.url).post(path).send({ istest: true })).status).toBe(200);
    }
    expect(to.seen.map(({ event }) => event)).toEqual(['probe', 'probe', 'probe']);
  });

  it('accepts no message with the token alone', async () => {
    const to = await startWithToken();
    expect((await request(to.url).post(`/${PATH_TOKEN}`).send(botMessageBody())).status).toBe(401);
    expect(to.seen).toHaveLength(0);
  });

  it('is left to the app with a wrong token', async () => {
    const to = await startWithToken();
    const answer = await request(to.url).post(`/${PATH_TOKEN}0`).send({ istest: true });
    expect(answer.status).toBe(404);
    expect(to.seen).toHaveLength(0);
  });

  it('does not reveal a token to other methods', async () => {
    const to = await startWithToken();
    expect((await request(to.url).get('/some-other-page/chat')).status).toBe(404);
    expect((await request(to.url).get(`/${PATH_TOKEN}/chat`)).status).toBe(405);
  });
});

describe('a path token of the message webhook', () => {
  it('is part of its address', async () => {
    const to = await start({ auth: { message: pathToken(PATH_TOKEN), handoff: noAuth() } });
    expect((await request(to.url).post(`/${PATH_TOKEN}`).send(botMessageBody())).status).toBe(200);
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(401);
    expect((await chat(to, '/chat')).status).toBe(200);
    expect(to.seen.map(({ event }) => event)).toEqual(['message', 'handoff.message']);
  });
});
