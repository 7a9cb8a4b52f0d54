import { once } from 'node:events';
import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { inline } from '../../src/public/index.js';
import { botMessageBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { LEVEL } from '../helpers/log-lines.js';
import { start, startInline } from '../helpers/start.js';

const SHORT = 10;

describe('the ack deadline', () => {
  it('answers 200 while the handler still runs, and logs how late it finished', async () => {
    const to = await start({ delivery: inline({ ackDeadlineMs: SHORT }) });
    const held = deferred();
    to.receiver.on('message', () => held.promise);
    const answer = await request(to.url)
      .post('/')
      .send(botMessageBody({ conversation_id: 'c' }));
    expect([answer.status, answer.text]).toEqual([200, '{"code":200,"msg":"success"}']);
    expect(await to.receiver.stats()).toEqual({ pending: 1, remembered: 0 });
    const about = {
      event: 'message',
      conversationId: 'c',
      requestId: answer.headers['x-request-id'],
      level: LEVEL.warn,
    };
    expect(await to.logged.until('answered 200 at the deadline')).toMatchObject({
      ...about,
      ms: expect.any(Number),
    });
    expect(to.logged.about('late handlers finished')).toHaveLength(0);
    held.resolve();
    expect(await to.logged.until('late handlers finished')).toMatchObject({
      ...about,
      ms: expect.any(Number),
    });
    expect(await to.receiver.stats()).toEqual({ pending: 0, remembered: 1 });
  });

  it('logs the time since the request arrived', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5_000 });
    try {
      const held = deferred();
      const { delivery, logged } = startInline(() => held.promise, { ackDeadlineMs: SHORT });
      const accepted = delivery.accept(chatEvent('c', { receivedAt: 4_000 }));
      expect(await accepted).toBe('late');
      vi.setSystemTime(12_000);
      held.resolve();
      expect((await logged.until('late handlers finished')).ms).toBe(8_000);
      expect(logged.about('answered 200 at the deadline')[0]?.ms).toBe(1_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('includes the wait for earlier events of the conversation', async () => {
    const held = deferred();
    const { delivery } = startInline(() => held.promise, { ackDeadlineMs: SHORT });
    const accepted = [delivery.accept(chatEvent('c')), delivery.accept(chatEvent('c'))];
    expect(await Promise.all(accepted)).toEqual(['late', 'late']);
    held.resolve();
  });

  it('logs that an event is lost when its handler fails afterwards', async () => {
    const to = await start({ delivery: inline({ ackDeadlineMs: SHORT }) });
    const held = deferred();
    const errors: string[] = [];
    to.receiver.on('message', () => held.promise).onError(({ error }) => errors.push(String(error)));
    const body = botMessageBody();
    expect((await request(to.url).post('/').send(body)).status).toBe(200);
    held.reject(new Error('too late to say'));
    expect(await to.logged.until('the event is lost')).toMatchObject({ level: LEVEL.error });
    expect(errors).toEqual(['Error: too late to say']);
    expect(await to.receiver.stats()).toEqual({ pending: 0, remembered: 0 });
  });

  it('does not affect a handler that finishes in time', async () => {
    const { delivery, logged } = startInline(() => {}, { ackDeadlineMs: SHORT });
    expect(await delivery.accept(chatEvent('c'))).toBe('handled');
    expect(logged.lines()).toHaveLength(0);
  });
});

describe('the handler timeout', () => {
  it('aborts the signal, is reported, and the next event is handled', async () => {
    const stuck = deferred();
    const signals: AbortSignal[] = [];
    const { delivery, reports } = startInline(
      async ({ key }, run) => {
        if (key !== 'stuck') return;
        signals.push(run.signal);
        await stuck.promise;
      },
      { handlerTimeoutMs: SHORT },
    );
    const accepted = [
      delivery.accept(chatEvent('c', { key: 'stuck' })),
      delivery.accept(chatEvent('c', { key: 'next' })),
    ];
    expect(await Promise.all(accepted)).toEqual(['failed', 'handled']);
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ code: 'HANDLER_TIMEOUT' });
    expect(reports).toMatchObject([
      {
        event: 'handoff.message',
        conversationId: 'c',
        requestId: 'request-of-stuck',
        error: { code: 'HANDLER_TIMEOUT' },
      },
    ]);
    expect((await delivery.stats()).pending).toBe(0);
  });

  it('gives an aborted signal to a handler that reads it only afterwards', async () => {
    const timedOut = deferred();
    const late = deferred<AbortSignal>();
    const { delivery } = startInline(
      async (_event, run) => {
        await timedOut.promise;
        late.resolve(run.signal);
      },
      { handlerTimeoutMs: SHORT },
    );
    expect(await delivery.accept(chatEvent('c'))).toBe('failed');
    timedOut.resolve();
    expect((await late.promise).reason).toMatchObject({ code: 'HANDLER_TIMEOUT' });
  });

  it('is a 500 to the sender, and is reported to onError', async () => {
    const to = await start({ delivery: inline({ handlerTimeoutMs: SHORT }) });
    const errors: unknown[] = [];
    to.receiver
      .on('message', ({ signal }) => once(signal, 'abort'))
      .onError(({ error }) => errors.push(error));
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(500);
    expect(errors).toMatchObject([{ code: 'HANDLER_TIMEOUT' }]);
  });
});
