import { describe, expect, it } from 'vitest';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { BEARER_TOKEN, basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { startStandalone } from './in-process.js';
import { post } from './program.js';

const authorization = basicHeader(USERNAME, SECRET);

describe('the program', () => {
  it('reports that it is alive and ready', async () => {
    const { url } = await startStandalone();
    const alive = await fetch(`${url}/healthz`);
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'alive' }]);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  it('answers unknown paths with 404 in JSON', async () => {
    const { url } = await startStandalone();
    for (const path of ['/', '/webhok', '/webhook/chat/more', '/%E0%A4%A']) {
      const answer = await fetch(url + path);
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        404,
        { code: 404, message: 'not found' },
      ]);
    }
  });

  it('sets security headers and does not name its framework', async () => {
    const { url } = await startStandalone();
    for (const answer of [await fetch(`${url}/healthz`), await post(`${url}/webhook`, {})]) {
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('receives at the path of MOUNT_PATH', async () => {
    const { url } = await startStandalone({
      MOUNT_PATH: '/hooks/agent',
      HANDOFF_AUTH: 'webhook',
      HANDOFF_TOKEN: undefined,
    });
    const message = await post(`${url}/hooks/agent`, botMessageBody(), { authorization });
    expect([message.status, await message.text()]).toEqual([200, '{"code":200,"msg":"success"}']);
    const chat = await post(`${url}/hooks/agent/chat`, chatBody(), { authorization });
    expect([chat.status, await chat.text()]).toEqual([200, '{"code":200,"message":"success"}']);
    expect((await post(`${url}/webhook`, botMessageBody(), { authorization })).status).toBe(404);
  });

  it('can be mounted at the root, with health beside it', async () => {
    const { url } = await startStandalone({
      MOUNT_PATH: '/',
      HANDOFF_AUTH: 'none',
      HANDOFF_TOKEN: undefined,
    });
    expect((await post(url, botMessageBody(), { authorization })).status).toBe(200);
    expect((await post(`${url}/chat`, chatBody())).status).toBe(200);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it.each([
    ['webhook', undefined, '/webhook/chat', { authorization }],
    ['none', undefined, '/webhook/chat', {}],
    ['path', PATH_TOKEN, `/webhook/${PATH_TOKEN}/chat`, {}],
    ['bearer', BEARER_TOKEN, '/webhook/chat', { authorization: `Bearer ${BEARER_TOKEN}` }],
  ])('authenticates handoff requests by HANDOFF_AUTH=%s', async (choice, token, path, headers) => {
    const { url } = await startStandalone({ HANDOFF_AUTH: choice, HANDOFF_TOKEN: token });
    expect((await post(url + path, chatBody(), headers)).status).toBe(200);
    if (choice === 'none') return;
    const wrong = { authorization: 'Bearer of-nothing' };
    expect((await post(url + path.replace(PATH_TOKEN, 'x'.repeat(20)), chatBody(), wrong)).status).toBe(401);
  });

  it('accepts the username alone as Bearer when no secret is set', async () => {
    const { url } = await startStandalone({ WEBHOOK_SECRET: undefined });
    const bearerHeader = { authorization: `Bearer ${USERNAME}` };
    expect((await post(`${url}/webhook`, botMessageBody(), bearerHeader)).status).toBe(200);
    expect((await post(`${url}/webhook`, botMessageBody(), { authorization })).status).toBe(401);
  });

  it('accepts probes without credentials only with PROBE_AUTH=none', async () => {
    const strict = await startStandalone();
    expect((await post(`${strict.url}/webhook`, { istest: true })).status).toBe(401);
    const open = await startStandalone({ PROBE_AUTH: 'none' });
    expect((await post(`${open.url}/webhook`, { istest: true })).status).toBe(200);
    expect(open.printed()).toContain('"event":"probe"');
    expect(open.printed()).toContain('"detail":"test of message"');
    expect((await post(`${open.url}/webhook/${PATH_TOKEN}`, { istest: true })).status).toBe(200);
    expect(open.printed()).toContain('"detail":"test of the handoff URL"');
  });

  it('reads bodies up to its limit', async () => {
    const { url } = await startStandalone({ BODY_LIMIT: '1kb' });
    const body = establishBody({ email: 'x'.repeat(2_000) });
    expect((await post(`${url}/webhook/${PATH_TOKEN}/conversation/establish`, body)).status).toBe(413);
  });

  it('uses one id of a request for its log line, its event and its answer', async () => {
    const { url, logged, printed } = await startStandalone();
    const answer = await post(`${url}/webhook`, botMessageBody(), {
      authorization,
      'x-request-id': 'given-by-the-proxy',
    });
    expect(answer.headers.get('x-request-id')).toBe('given-by-the-proxy');
    expect(await logged.until('request answered')).toMatchObject({ req: { id: 'given-by-the-proxy' } });
    expect(printed()).toContain('"requestId":"given-by-the-proxy"');

    const other = await fetch(`${url}/nowhere`, { headers: { 'x-request-id': 'no id\tat all' } });
    expect(other.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  });

  it('logs one line per request, for health checks at debug level', async () => {
    const { url, logged } = await startStandalone();
    await fetch(`${url}/healthz`);
    await fetch(`${url}/nowhere`);
    await expect.poll(() => logged.about('request answered').length).toBe(2);
    expect(logged.about('request answered')).toMatchObject([
      { level: 20, req: { url: '/healthz' }, res: { statusCode: 200 } },
      { level: 30, req: { url: '/nowhere' }, res: { statusCode: 404 } },
    ]);
  });
});
