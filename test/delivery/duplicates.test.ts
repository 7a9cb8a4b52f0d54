import request from 'supertest';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { start, startInline } from '../helpers/start.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('the same event a second time', () => {
  it.each([
    ['/', botMessageBody()],
    ['/conversation/establish', establishBody()],
    ['/chat', chatBody()],
    ['/conversation/close', closeBody()],
  ])('at %s gets the same answer, and is handled once', async (path, body) => {
    const to = await start();
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push(await request(to.url).post(path).send(body));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(to.seen).toHaveLength(1);
    expect(to.logged.about('event accepted').map(({ acceptance }) => acceptance)).toEqual([
      'handled',
      'duplicate',
      'duplicate',
    ]);
  });

  it('at the same time is handled once, and every request is answered 200', async () => {
    const to = await start();
    const body = botMessageBody();
    const sent = Array.from({ length: 10 }, () => request(to.url).post('/').send(body));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200));
    expect(to.seen).toHaveLength(1);
  });

  it('while the first is being handled waits for its outcome', async () => {
    const held = deferred();
    const handled: string[] = [];
    const { delivery } = startInline(async ({ requestId }) => {
      handled.push(requestId);
      await held.promise;
    });
    const twice = [
      delivery.accept(chatEvent('c', { key: 'same' })),
      delivery.accept(chatEvent('c', { key: 'same' })),
    ];
    expect(await delivery.seen(chatEvent('c', { key: 'same' }))).toBe(false);
    held.resolve();
    expect(await Promise.all(twice)).toEqual(['handled', 'duplicate']);
    expect(handled).toHaveLength(1);
    expect(await delivery.seen(chatEvent('c', { key: 'same' }))).toBe(true);
  });
});

describe('an event whose handler failed', () => {
  it('can be sent again', async () => {
    const to = await start();
    let broken = true;
    to.receiver.on('message', () => {
      if (broken) throw new Error('not yet');
    });
    const body = botMessageBody();
    expect((await request(to.url).post('/').send(body)).status).toBe(500);
    broken = false;
    expect((await request(to.url).post('/').send(body)).status).toBe(200);
    expect((await request(to.url).post('/').send(body)).status).toBe(200);
    expect(to.seen).toHaveLength(2);
  });

  it('is handled by the second of two simultaneous requests', async () => {
    let calls = 0;
    const { delivery } = startInline(() => {
      calls += 1;
      if (calls === 1) throw new Error('not yet');
    });
    const twice = [
      delivery.accept(chatEvent('c', { key: 'same' })),
      delivery.accept(chatEvent('c', { key: 'same' })),
    ];
    expect(await Promise.all(twice)).toEqual(['failed', 'handled']);
  });
});

describe('an event that is not a repeat', () => {
  it.each([
    [
      'the same text at another time',
      chatBody({ conversation_id: 'c', timestamp: 1 }),
      chatBody({ conversation_id: 'c', timestamp: 2 }),
    ],
    [
      'another text at the same time',
      chatBody({ conversation_id: 'c' }),
      chatBody({ conversation_id: 'c', body: 'Hello?' }),
    ],
    ['another conversation', chatBody({ conversation_id: 'c' }), chatBody({ conversation_id: 'd' })],
    [
      'the same text without a time',
      chatBody({ conversation_id: 'c', timestamp: null }),
      chatBody({ conversation_id: 'c', timestamp: null }),
    ],
    [
      'the same text in one second',
      chatBody({ conversation_id: 'c', timestamp: 1_742_265_090, body: 'ok' }),
      chatBody({ conversation_id: 'c', timestamp: 1_742_265_090, body: 'ok' }),
    ],
    [
      'another text with an unknown field',
      chatBody({ conversation_id: 'c', message_id: null, body: 'One' }),
      chatBody({ conversation_id: 'c', message_id: null, body: 'Two' }),
    ],
  ])('of a user’s message: %s', async (_what, first, second) => {
    const to = await start();
    for (const body of [first, second]) await request(to.url).post('/chat').send(body);
    expect(to.seen).toHaveLength(2);
  });

  it('of a user’s message: the same text, in requests with one id from a proxy', async () => {
    const to = await start();
    const body = chatBody({ timestamp: null });
    for (let time = 0; time < 2; time += 1) {
      await request(to.url).post('/chat').set('X-Request-Id', 'one').send(body);
    }
    expect(to.seen).toHaveLength(2);
  });

  it('of a message: another id', async () => {
    const to = await start();
    for (const message_id of ['m-1', 'm-2']) {
      await request(to.url)
        .post('/')
        .send(botMessageBody({ conversation_id: 'c', message_id }));
    }
    expect(to.seen).toHaveLength(2);
  });
});

describe('the window of recent keys', () => {
  it('holds at least the newest keys, and at most twice as many', async () => {
    const { delivery } = startInline(() => {}, { maxRemembered: 3 });
    const keys = ['1', '2', '3', '4', '5', '6', '7'];
    for (const key of keys) await delivery.accept(chatEvent('c', { key }));
    expect((await delivery.stats()).remembered).toBeLessThanOrEqual(6);
    const remembered = await Promise.all(keys.map((key) => delivery.seen(chatEvent('c', { key }))));
    expect(remembered.slice(-3)).toEqual([true, true, true]);
    expect(remembered[0]).toBe(false);
    expect(await delivery.accept(chatEvent('c', { key: '1' }))).toBe('handled');
  });

  it('forgets keys that are too old', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const { delivery } = startInline(() => {}, { rememberMs: 60_000 });
    await delivery.accept(chatEvent('c', { key: 'old' }));
    vi.setSystemTime(1_060_000);
    expect(await delivery.accept(chatEvent('c', { key: 'old' }))).toBe('duplicate');
    vi.setSystemTime(1_060_001);
    expect(await delivery.seen(chatEvent('c', { key: 'old' }))).toBe(false);
    expect(await delivery.accept(chatEvent('c', { key: 'old' }))).toBe('handled');
  });
});
