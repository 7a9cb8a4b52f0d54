import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createReceiver, type FailureReport, noAuth } from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { LEVEL } from '../helpers/log-lines.js';
import { makeReceiver, type Started, start } from '../helpers/start.js';

const make = () => createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false });

const post = (to: Started, path: string, body: object) => request(to.url).post(path).send(body);

describe('the context of a handler', () => {
  it('of a message has the normalised payload, its text and its audio', async () => {
    const to = await start();
    const body = botMessageBody({
      output: [
        { content: { text: 'One.' } },
        { content: { audio: { audio: 'https://cdn.example/2.mp3', transcript: 'Two.' } } },
        { content: { text: 'Three.' } },
      ],
      usage: { tokens: [{ total_tokens: '30' }] },
      a_new_field: { kept: true },
    });
    const answer = await post(to, '/', body);
    const [context] = to.seen;
    if (context?.event !== 'message') throw new Error('expected a message');
    expect(context.text).toBe('One.\nTwo.\nThree.');
    expect(context.audio).toMatchObject([{ audio: 'https://cdn.example/2.mp3', transcript: 'Two.' }]);
    expect(context.payload).toMatchObject({
      message_id: body.message_id,
      a_new_field: { kept: true },
      usage: { tokens: { total_tokens: 30 } },
    });
    expect(context.conversationId).toBe(body.conversation_id);
    expect(context.sentAt).toEqual(new Date(1_679_587_005_000));
    expect(context.receivedAt).toBeInstanceOf(Date);
    expect(context.requestId).toBe(answer.headers['x-request-id']);
    expect(context.attempt).toBe(1);
    expect(context.signal.aborted).toBe(false);
    expect(context.raw).toEqual(body);
    for (const name of ['reply', 'close', 'user']) expect(context).not.toHaveProperty(name);
  });

  it('of a handoff request has the user, the transcript and the deadline', async () => {
    const to = await start({ waitTimeoutMs: 90_000 });
    const user = { user_id: null, anonymous_id: 'anon-1', email: 'a@example.com', phone: '+1 555 0100' };
    await post(to, '/conversation/establish', establishBody({ user_info: user }));
    const [context] = to.seen;
    if (context?.event !== 'handoff.requested') throw new Error('expected a handoff request');
    expect(context.user).toEqual({
      key: 'anonymous:anon-1',
      userId: null,
      anonymousId: 'anon-1',
      email: 'a@example.com',
      phone: '+1 555 0100',
    });
    expect(context.transcript).toEqual([
      { from: 'user', text: 'Where is my parcel?' },
      { from: 'bot', text: '' },
    ]);
    expect(context.replyBy.getTime() - context.receivedAt.getTime()).toBe(90_000);
    expect(context.sentAt).toEqual(new Date(1_742_265_090_895));
    expect([typeof context.reply, typeof context.end]).toEqual(['function', 'function']);
  });

  it.each([
    [{ user_id: 'u-1', anonymous_id: 'a-1' }, 'user:u-1'],
    [{ user_id: '', anonymous_id: 'a-1' }, 'anonymous:a-1'],
    [{ user_id: null, anonymous_id: null, email: 'support@example.com' }, 'conversation:c-1'],
    [null, 'conversation:c-1'],
  ])('of a user with %j has the key %s, never the e-mail address', async (user_info, key) => {
    const to = await start();
    await post(to, '/conversation/establish', establishBody({ conversation_id: 'c-1', user_info }));
    expect(to.seen[0]).toMatchObject({ user: { key, email: 'support@example.com' } });
  });

  it('of a user’s message has its text and the actions', async () => {
    const to = await start();
    await post(to, '/chat', chatBody({ conversation_id: 42, timestamp: '1742265090' }));
    const [context] = to.seen;
    if (context?.event !== 'handoff.message') throw new Error('expected a message of a user');
    expect(context.payload).toMatchObject({ conversation_id: '42', body: 'Are you there?' });
    expect(context.sentAt).toEqual(new Date(1_742_265_090_000));
    expect([typeof context.reply, typeof context.end]).toEqual(['function', 'function']);
  });

  it('of a close has the reason and no actions', async () => {
    const to = await start();
    await post(to, '/conversation/close', closeBody({ timestamp: null }));
    const [context] = to.seen;
    expect(context).toMatchObject({
      event: 'handoff.closed',
      payload: { type: 'USER_CLOSED' },
      sentAt: null,
    });
    for (const name of ['reply', 'close']) expect(context).not.toHaveProperty(name);
  });

  it('has a logger whose lines name the event, the conversation and the request', async () => {
    const to = await start();
    to.receiver.on('handoff.message', ({ log }) => log.info({ extra: 1 }, 'from a handler'));
    const answer = await post(to, '/chat', chatBody({ conversation_id: 'c-7' }));
    expect(to.logged.about('from a handler')).toMatchObject([
      {
        event: 'handoff.message',
        conversationId: 'c-7',
        requestId: answer.headers['x-request-id'],
        extra: 1,
      },
    ]);
  });
});

describe('several handlers', () => {
  it('run one after another in the order of registration, including those of onAny', async () => {
    const { receiver, ...to } = await start();
    const order: string[] = [];
    const note = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
    };
    receiver
      .on('message', note('first'))
      .onAny(note('any'))
      .on('message', note('last'))
      .on('handoff.closed', note('other'));
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(200);
    expect(order).toEqual(['first', 'any', 'last'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('all run when one throws, and the answer is 500', async () => {
    const to = await start();
    const reports: FailureReport[] = [];
    const ran: string[] = [];
    to.receiver
      .on('message', () => {
        throw new Error('secret reason');
      })
      .on('message', () => Promise.reject(new Error('another')))
      .on('message', () => ran.push('last'))
      .onError((report) => reports.push(report))
      .onError(() => {
        throw new Error('the hearer broke too');
      });
    const body = botMessageBody();
    const answer = await post(to, '/', body);
    expect([answer.status, answer.body]).toEqual([500, { code: 500, msg: 'handler failed' }]);
    expect(ran).toEqual(['last']);
    expect(reports.map(({ error }) => String(error))).toEqual(['Error: secret reason', 'Error: another']);
    expect(reports[0]).toMatchObject({
      event: 'message',
      conversationId: body.conversation_id,
      requestId: answer.headers['x-request-id'],
      attempt: 1,
    });
    expect(to.logged.about('handling an event failed')).toHaveLength(2);
    await to.logged.until('an error handler failed itself');
    expect((await post(to, '/chat', chatBody())).status).toBe(200);
  });

  it.each([[undefined], [null], ['text'], [0]])('may throw anything: %j', async (thrown) => {
    const to = await start();
    const errors: unknown[] = [];
    to.receiver.on('message', () => Promise.reject(thrown)).onError(({ error }) => errors.push(error));
    expect((await post(to, '/', botMessageBody())).status).toBe(500);
    expect(errors).toHaveLength(1);
    expect(errors[0] ?? 'nothing').not.toBe('nothing');
  });
});

/** Untyped, as called from JavaScript. */
const call = (method: 'on' | 'onAny' | 'onError' | 'admit', ...values: unknown[]): unknown => {
  const receiver = make();
  return Reflect.apply(receiver[method], receiver, values);
};

describe('registration', () => {
  it.each([
    ['messages', 'The events are message, handoff.requested, handoff.message, handoff.closed, probe.'],
    ['*', 'use onAny'],
    ['error', 'use onError'],
    ['toString', 'there is no event'],
  ])('of an unknown event is an error that lists the events: %s', (name, hint) => {
    expect(() => call('on', name, () => {})).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_EVENT', message: expect.stringContaining(hint) }),
    );
  });

  it.each(['onAny', 'onError', 'admit'] as const)('of anything but a function is refused: %s', (method) => {
    expect(() => call(method, 'x')).toThrow(expect.objectContaining({ code: 'INVALID_HANDLER' }));
  });

  it('ends with the first event, not with a probe', async () => {
    const to = await start();
    await post(to, '/', { istest: true });
    to.receiver.on('message', () => {});
    await post(to, '/', botMessageBody());
    const late = expect.objectContaining({ code: 'REGISTRATION_CLOSED' });
    expect(() => to.receiver.on('message', () => {})).toThrow(late);
    expect(() => to.receiver.onAny(() => {})).toThrow(late);
    expect(() => to.receiver.onError(() => {})).toThrow(late);
    expect(() => to.receiver.admit(() => true)).toThrow(late);
  });
});

describe('the receiver warns once', () => {
  it('about an event without a handler, which is answered 200', async () => {
    const { logged } = makeReceiver();
    const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: logged.log });
    for (const path of ['/', '/', '/chat']) {
      const body = path === '/' ? botMessageBody() : chatBody();
      expect((await request(receiver).post(path).send(body)).status).toBe(200);
    }
    const warnings = logged.about('no handler for');
    expect(warnings.map(({ level, event }) => [level, event])).toEqual([
      [LEVEL.warn, 'message'],
      [LEVEL.warn, 'handoff.message'],
    ]);
    expect(warnings[0]?.msg).toContain("receiver.on('message'");
  });

  it('about an unknown enum value, which is passed on unchanged', async () => {
    const to = await start();
    to.receiver.onAny(({ payload }) => payload);
    for (let round = 0; round < 2; round += 1) {
      await post(to, '/conversation/close', closeBody({ type: 'BOT_GONE' }));
      await post(
        to,
        '/conversation/establish',
        establishBody({ body: [{ text: 'x', message_type: 'NOTE' }] }),
      );
      await post(to, '/', botMessageBody({ output: [{ content: { card: { title: 'x' } } }] }));
    }
    expect(to.seen).toHaveLength(6);
    expect(to.seen.slice(0, 3)).toMatchObject([
      { payload: { type: 'BOT_GONE' } },
      { transcript: [{ from: 'other', text: 'x' }], payload: { body: [{ message_type: 'NOTE' }] } },
      { payload: { output: [{ content: { card: { title: 'x' } } }] } },
    ]);
    const warnings = to.logged.about('a value that the contract does not name');
    expect(warnings.map(({ level, field, value }) => [level, field, value])).toEqual([
      [LEVEL.warn, 'type', 'BOT_GONE'],
      [LEVEL.warn, 'body[].message_type', 'NOTE'],
      [LEVEL.warn, 'output[].content', 'card'],
    ]);
  });
});
