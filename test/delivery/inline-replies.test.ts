import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createReceiver, inline, noAuth, type Receipt } from '../../src/public/index.js';
import { createTestBench } from '../../src/public/testing.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { fakePlatform, flakyPlatform } from '../helpers/fake-platform.js';
import { makeReceiver, start } from '../helpers/start.js';

const textsOf = (calls: readonly { body: unknown }[]): unknown[] =>
  calls.map(({ body }) => (body as { body?: string }).body ?? 'close');

describe('replies to a handoff request that is not answered yet', () => {
  it('reach a platform that knows the conversation only after the answer', async () => {
    const bench = await createTestBench();
    onTestFinished(() => bench.close());
    const receiver = createReceiver({
      auth: { message: noAuth(), handoff: noAuth() },
      platform: bench.platform,
      greeting: 'Welcome',
      log: false,
    });
    receiver.on('handoff.requested', async ({ reply }) => {
      await reply('Hello');
      await reply('What can I do?');
    });
    await bench.connect(receiver);
    const conversation = await bench.requestHandoff();
    await expect
      .poll(() => conversation.replies.map(({ text }) => text))
      .toEqual(['Welcome', 'Hello', 'What can I do?']);
  });

  it('are sent after the answer, the greeting first', async () => {
    const platform = await fakePlatform();
    const handled = deferred<Receipt>();
    const to = await start({ platform: platform.options, greeting: async () => 'Welcome' });
    const finish = deferred();
    to.receiver.on('handoff.requested', async ({ conversationId, reply, end }) => {
      handled.resolve(await reply('Hello'));
      await to.receiver.conversations.reply(conversationId, 'from outside the context');
      await end();
      await finish.promise;
    });
    const answer = request(to.url).post('/conversation/establish').send(establishBody());
    const answered = answer.then(({ status }) => status);
    const receipt = await handled.promise;
    expect(receipt.state).toBe('queued');
    expect(platform.calls).toEqual([]);
    finish.resolve();
    expect(await answered).toBe(200);
    await platform.came(4);
    expect(textsOf(platform.calls)).toEqual(['Welcome', 'Hello', 'from outside the context', 'close']);
    expect(await receipt.delivered()).toMatchObject({ code: 0 });
  });

  it('are dropped when the handlers fail, and are sent once when the request is repeated', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    const receipts: Receipt[] = [];
    let isBroken = true;
    to.receiver.on('handoff.requested', async ({ reply }) => {
      receipts.push(await reply('Hello'));
      if (isBroken) throw new Error('the CRM is down');
    });
    const body = establishBody();
    await request(to.url).post('/conversation/establish').send(body).expect(500);
    await expect(receipts[0]?.delivered()).rejects.toMatchObject({ code: 'REPLY_GONE' });
    isBroken = false;
    await request(to.url).post('/conversation/establish').send(body).expect(200);
    await receipts[1]?.delivered();
    expect(textsOf(platform.calls)).toEqual(['Hello']);
  });

  it('have the request answered at once when a handler waits for one to arrive', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options, delivery: inline({ ackDeadlineMs: 60_000 }) });
    const finish = deferred();
    const delivered: unknown[] = [];
    to.receiver.on('handoff.requested', async ({ reply }) => {
      const receipt = await reply('Hello');
      delivered.push(await receipt.delivered());
      await finish.promise;
      await reply('Still here');
    });
    await request(to.url).post('/conversation/establish').send(establishBody()).expect(200);
    await expect.poll(() => delivered).toMatchObject([{ code: 0 }]);
    finish.resolve();
    await platform.came(2);
    expect(textsOf(platform.calls)).toEqual(['Hello', 'Still here']);
  });

  it('are refused at once when the platform would never accept them', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    to.receiver.on('handoff.requested', ({ reply }) => reply(''));
    await request(to.url).post('/conversation/establish').send(establishBody()).expect(500);
    expect(platform.calls).toEqual([]);
  });

  it('are sent again when the platform has not noted the answer yet', async () => {
    const { calls, options } = await flakyPlatform((_call, nth) =>
      nth <= 2 ? { status: 404, code: 40356 } : { status: 200 },
    );
    const to = await start({ platform: options });
    to.receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    await request(to.url).post('/conversation/establish').send(establishBody()).expect(200);
    await expect.poll(() => calls.length).toBe(3);
  });

  it('reach onError when they fail after the answer', async () => {
    const { options } = await flakyPlatform(() => ({ status: 401 }));
    const to = await start({ platform: options });
    const failures: unknown[] = [];
    to.receiver.onError(({ error, event, conversationId }) =>
      failures.push({ error, event, conversationId }),
    );
    to.receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    const body = establishBody();
    await request(to.url).post('/conversation/establish').send(body).expect(200);
    await expect
      .poll(() => failures)
      .toMatchObject([
        {
          error: { code: 'PLATFORM_AUTH_FAILED' },
          event: 'handoff.requested',
          conversationId: body.conversation_id,
        },
      ]);
  });

  it('of the next message wait for the greeting, and fail as any other', async () => {
    const greeted = deferred();
    const { options, calls } = await flakyPlatform(async (call) => {
      if (call.text === 'Welcome') await greeted.promise;
      return { status: call.text === 'Welcome' ? 200 : 401 };
    });
    const to = await start({ platform: options, greeting: 'Welcome' });
    const receipts: unknown[] = [];
    to.receiver.on('handoff.message', async ({ reply }) => receipts.push(await reply('Right')));
    const body = establishBody();
    await request(to.url).post('/conversation/establish').send(body).expect(200);
    await expect.poll(() => calls.length).toBe(1);
    const chat = request(to.url)
      .post('/chat')
      .send(chatBody({ conversation_id: body.conversation_id }));
    const answered = chat.then(({ status }) => status);
    await expect.poll(() => to.seen.length).toBe(2);
    greeted.resolve();
    expect(await answered).toBe(500);
    expect(receipts).toEqual([]);
    expect(calls.map(({ text }) => text)).toEqual(['Welcome', 'Right']);
  });

  it('from outside handlers wait for the greeting too', async () => {
    const platform = await fakePlatform();
    const greeted = deferred();
    const asked = deferred();
    const greeting = async (): Promise<string> => {
      asked.resolve();
      await greeted.promise;
      return 'Welcome';
    };
    const to = await start({ platform: platform.options, greeting });
    to.receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    const body = establishBody();
    await request(to.url).post('/conversation/establish').send(body).expect(200);
    await asked.promise;
    const later = to.receiver.conversations.reply(String(body.conversation_id), 'Later');
    greeted.resolve();
    expect((await later).state).toBe('delivered');
    expect(textsOf(platform.calls)).toEqual(['Welcome', 'Hello', 'Later']);
  });

  it('are sent even if the answer could not be, since they would wait for ever', async () => {
    const platform = await fakePlatform();
    const { receiver } = makeReceiver({ platform: platform.options });
    receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    const body = JSON.stringify(establishBody());
    const sent = {
      method: 'POST',
      url: '/conversation/establish',
      headers: { 'content-type': 'application/json' },
      read: () => Buffer.from(body),
    };
    await receiver.handle(sent, () => {
      throw new Error('the binding failed');
    });
    expect(textsOf(platform.calls)).toEqual(['Hello']);
  });

  it('do not wait for a greeting that never ends', { timeout: 30_000 }, async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options, greeting: () => new Promise(() => undefined) });
    to.receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    await request(to.url).post('/conversation/establish').send(establishBody()).expect(200);
    await platform.came(1);
    expect(textsOf(platform.calls)).toEqual(['Hello']);
  });
});
