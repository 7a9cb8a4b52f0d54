import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { bearer, noAuth } from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';
import { bytesOf, sendBytes } from '../helpers/raw.js';
import { serve } from '../helpers/serve.js';
import { makeReceiver, type Started, start } from '../helpers/start.js';

const MESSAGE_ANSWER = '{"code":200,"msg":"success"}';
const HANDOFF_ANSWER = '{"code":200,"message":"success"}';

const ENDPOINTS: [path: string, answer: string, body: (overrides?: WireBody) => WireBody][] = [
  ['/', MESSAGE_ANSWER, botMessageBody],
  ['/conversation/establish', HANDOFF_ANSWER, establishBody],
  ['/chat', HANDOFF_ANSWER, chatBody],
  ['/conversation/close', HANDOFF_ANSWER, closeBody],
];

const post = (to: Started, path: string, body: object) => request(to.url).post(path).send(body);

describe('a success', () => {
  it.each(ENDPOINTS)('of %s is exactly %s', async (path, expected, body) => {
    const to = await start();
    const answer = await sendBytes(
      to.port,
      bytesOf({ path, headers: [['Content-Type', 'application/json']], body: JSON.stringify(body()) }),
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toBe(expected);
    expect(answer.headers.get('content-type')).toEqual(['application/json']);
    expect(answer.headers.get('content-length')).toEqual([String(expected.length)]);
  });

  it.each(ENDPOINTS)('of a probe of %s is the same', async (path, expected, body) => {
    const to = await start();
    expect((await post(to, path, body({ istest: true }))).text).toBe(expected);
  });

  it('of handoff endpoints is set by the option, which affects no other endpoint', async () => {
    const to = await start({ answers: { success: { code: 0, message: 'schön' } } });
    const answer = await post(to, '/chat', chatBody());
    expect(answer.text).toBe('{"code":0,"message":"schön"}');
    expect((await post(to, '/', botMessageBody())).text).toBe(MESSAGE_ANSWER);
  });
});

describe('a refusal', () => {
  it('has the format of its endpoint', async () => {
    const to = await start();
    expect((await post(to, '/', {})).body).toEqual({
      code: 400,
      msg: 'invalid body: conversation_id',
    });
    expect((await post(to, '/chat', { body: [] })).body).toEqual({
      code: 400,
      message: 'invalid body: conversation_id, body',
    });
  });

  it('of handoff endpoints is set by the option', async () => {
    const to = await start({
      answers: { failure: (status, reason) => ({ code: 50_000 + status, message: `no: ${reason}` }) },
    });
    const answer = await post(to, '/chat', { conversation_id: 'c', body: {} });
    expect([answer.status, answer.body]).toEqual([400, { code: 50_400, message: 'no: invalid body: body' }]);
    expect((await post(to, '/', {})).body).toMatchObject({ code: 400 });
  });

  it('is 500 with the default body if the option throws', async () => {
    const to = await start({
      answers: {
        failure() {
          throw new Error('no words');
        },
      },
    });
    const errors: string[] = [];
    to.receiver.onError(({ error }) => errors.push(String(error)));
    const answer = await post(to, '/chat', {});
    expect([answer.status, answer.body]).toEqual([500, { code: 500, message: 'internal error' }]);
    expect(errors).toEqual(['Error: no words']);
    expect((await post(to, '/chat', chatBody())).status).toBe(200);
  });
});

describe('an invalid body', () => {
  const CANARY = 'canary-51c0';

  it.each<[string, WireBody, string]>([
    ['/', { message_id: CANARY, create_time: CANARY, output: CANARY }, 'conversation_id'],
    ['/', { conversation_id: { [CANARY]: CANARY }, message_id: [CANARY] }, 'conversation_id, message_id'],
    ['/conversation/establish', { conversation_id: null, body: [CANARY], email: CANARY }, 'conversation_id'],
    ['/chat', { conversation_id: [CANARY], body: { [CANARY]: 1 } }, 'conversation_id, body'],
    ['/conversation/close', { conversation_id: [CANARY], type: CANARY }, 'conversation_id'],
  ])('%s: the answer names the fields and no values: %j', async (path, body, places) => {
    const to = await start();
    const answer = await post(to, path, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`invalid body: ${places}"`);
    expect(answer.text + to.logged.text()).not.toContain(CANARY);
    expect(to.seen).toHaveLength(0);
    expect(to.logged.about('request refused')[0]?.detail).toContain('expected');
  });

  it('in the old message format is named as such', async () => {
    const to = await start();
    const answer = await post(to, '/', {
      conversation_id: 'c',
      message_id: 'm',
      message_type: 'ANSWER',
      text: CANARY,
      flow_output: [{ content: CANARY }],
    });
    expect([answer.status, answer.body]).toEqual([400, { code: 400, msg: 'deprecated message format (V1)' }]);
    expect(to.seen).toHaveLength(0);
    const [line] = to.logged.about('request refused');
    expect(line?.detail).toContain("set the bot's webhook to the current version");
    expect(to.logged.text()).not.toContain(CANARY);
  });
});

describe('the request id', () => {
  it('is on every answer, in the log and in the handler’s context', async () => {
    const to = await start({ auth: { message: noAuth(), handoff: bearer('a-token') } });
    const answers = [
      await post(to, '/', botMessageBody()),
      await post(to, '/', {}),
      await post(to, '/', { istest: true }),
      await post(to, '/chat', chatBody()),
      await post(to, '/nowhere', {}),
      await request(to.url).get('/'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 401, 404, 405]);
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\w.:-]+$/);
    expect(to.seen[0]?.requestId).toBe(ids[0]);
    expect(to.logged.about('event accepted')[0]?.requestId).toBe(ids[0]);
    expect(to.logged.about('request refused')[0]?.requestId).toBe(ids[1]);
  });

  it("is the sender's if it is safe to log", async () => {
    const to = await start();
    const send = (id: string) => post(to, '/', botMessageBody()).set('X-Request-Id', id);
    expect((await send('trace-1.a:b_c')).headers['x-request-id']).toBe('trace-1.a:b_c');
    for (const id of ['with space', '<script>', 'x'.repeat(129), '{"a":1}', 'é']) {
      expect((await send(id)).headers['x-request-id']).not.toBe(id);
    }
  });

  it.each([
    ['text', 'from-the-logger', 'from-the-logger'],
    ['a number, as pino-http gives', 17, '17'],
  ])('is req.id if middleware has set it: %s', async (_what, id, expected) => {
    const { receiver, seen } = makeReceiver();
    const { url } = await serve((req, res) => receiver(Object.assign(req, { id }), res));
    const answer = await request(url).post('/').send(botMessageBody());
    expect(answer.headers['x-request-id']).toBe(expected);
    expect(seen[0]?.requestId).toBe(expected);
  });

  it('is not a req.id that is invalid in a header', async () => {
    const { receiver, seen } = makeReceiver();
    const { url } = await serve((req, res) => receiver(Object.assign(req, { id: 'snow ☃\n' }), res));
    const answer = await request(url).post('/').send(botMessageBody());
    expect(answer.status).toBe(200);
    expect(answer.headers['x-request-id']).toMatch(/^[\w.:-]+$/);
    expect(seen).toHaveLength(1);
  });
});
