import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { createReceiver, noAuth, type Receipt } from '../../src/public/index.js';
import { chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { API_KEY, fakePlatform, flakyPlatform } from '../helpers/fake-platform.js';
import { type Started, start } from '../helpers/start.js';

const REPLY = '/v1/human/message/receive';
const CLOSE = '/v1/human/close';

const chat = (to: Started, conversation_id: string) =>
  request(to.url).post('/chat').send(chatBody({ conversation_id }));

describe('a reply and a close', () => {
  it('reach the platform as the contract defines', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    const receipts: Receipt[] = [];
    to.receiver.on('handoff.message', async ({ reply, end }) => {
      receipts.push(await reply('Good morning ☀️'), await end());
    });
    const before = Date.now();
    expect((await chat(to, 'c-1')).status).toBe(200);
    const time = expect.toSatisfy((value: number) => value >= before && value <= Date.now());
    expect(platform.calls).toEqual([
      {
        path: REPLY,
        authorization: `Bearer ${API_KEY}`,
        body: { conversation_id: 'c-1', timestamp: time, body: 'Good morning ☀️' },
      },
      { path: CLOSE, authorization: `Bearer ${API_KEY}`, body: { conversation_id: 'c-1', timestamp: time } },
    ]);
    expect(receipts.map(({ conversationId }) => conversationId)).toEqual(['c-1', 'c-1']);
    expect(await receipts[0]?.delivered()).toEqual({ code: 0, message: 'as the test says' });
  });

  it('can be made by a handler for handoff.requested too', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    to.receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    const body = establishBody();
    await request(to.url).post('/conversation/establish').send(body);
    await platform.came(1);
    expect(platform.calls).toMatchObject([
      { path: REPLY, body: { conversation_id: body.conversation_id, body: 'Hello' } },
    ]);
  });

  it('are logged when the user has left', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    const body = establishBody();
    const { conversation_id } = body;
    await request(to.url).post('/conversation/establish').send(body);
    await to.receiver.conversations.reply(String(conversation_id), 'Hello');
    expect(to.logged.about('that has ended')).toEqual([]);
    await request(to.url).post('/conversation/close').send(closeBody({ conversation_id }));
    await to.receiver.conversations.reply(String(conversation_id), 'Are you there?');
    expect(to.logged.about('that has ended')).toMatchObject([{ closedBy: 'user' }]);
    expect(platform.calls).toHaveLength(2);
  });

  it('are not rejected because the look-up for that log line failed', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    const { store } = to.receiver.conversations.lifecycle;
    const body = establishBody();
    const { conversation_id } = body;
    await request(to.url).post('/conversation/establish').send(body);
    await request(to.url).post('/conversation/close').send(closeBody({ conversation_id }));
    const get = store.get.bind(store);
    const look = vi.spyOn(store, 'get').mockImplementationOnce(get);
    look.mockRejectedValue(new Error('the disk is gone'));
    expect(await to.receiver.conversations.reply(String(conversation_id), 'Are you there?')).toBeDefined();
    expect(look).toHaveBeenCalledTimes(2);
    expect(platform.calls).toHaveLength(1);
    expect(to.logged.about('could not be stored')).toHaveLength(1);
  });

  it('can be made from outside a handler', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    await to.receiver.conversations.reply('c-9', 'Still here');
    await to.receiver.conversations.end('c-9');
    expect(platform.calls).toMatchObject([
      { path: REPLY, body: { conversation_id: 'c-9', body: 'Still here' } },
      { path: CLOSE, body: { conversation_id: 'c-9' } },
    ]);
  });

  it('fail with a retryable error while the platform is unavailable', async () => {
    const { options } = await flakyPlatform(() => ({ status: 503 }));
    const { receiver } = await start({ platform: options });
    const retryable = { retryable: true, outcome: 'not-applied', code: 'PLATFORM_FAILED', status: 503 };
    await expect(receiver.conversations.reply('c-1', 'Hello')).rejects.toMatchObject(retryable);
    await expect(receiver.conversations.end('c-1')).rejects.toMatchObject(retryable);
  });

  it('arrive in the order of the calls, even if the handler does not await them', async () => {
    const gates = [deferred(), deferred(), deferred()];
    let inside = 0;
    let most = 0;
    const platform = await fakePlatform(async () => {
      inside += 1;
      most = Math.max(most, inside);
      await gates[platform.calls.length - 1]?.promise;
      inside -= 1;
      return 200;
    });
    const to = await start({ platform: platform.options });
    to.receiver.on('handoff.message', ({ reply, end }) => {
      void reply('one');
      void reply('two');
      void end();
    });
    expect((await chat(to, 'c-1')).status).toBe(200);
    for (const [index, gate] of gates.entries()) {
      await platform.came(index + 1);
      gate.resolve();
    }
    await to.receiver.close();
    expect(platform.calls.map(({ path, body }) => [path, body])).toMatchObject([
      [REPLY, { body: 'one' }],
      [REPLY, { body: 'two' }],
      [CLOSE, {}],
    ]);
    expect(most).toBe(1);
  });

  it('of one conversation do not wait for another conversation', async () => {
    const held = deferred<number>();
    const platform = await fakePlatform(({ body }) =>
      JSON.stringify(body).includes('slow') ? held.promise : 200,
    );
    const to = await start({ platform: platform.options });
    const slow = to.receiver.conversations.reply('slow', 'x');
    await platform.came(1);
    await to.receiver.conversations.reply('quick', 'y');
    held.resolve(200);
    await slow;
    expect(platform.calls).toHaveLength(2);
  });
});

describe('a reply that does not arrive', () => {
  it('fails the handler that awaits it', async () => {
    const platform = await fakePlatform(() => 500);
    const to = await start({ platform: platform.options });
    const errors: unknown[] = [];
    to.receiver
      .on('handoff.message', ({ reply }) => reply('Hello'))
      .onError(({ error }) => errors.push(error));
    expect((await chat(to, 'c-1')).status).toBe(500);
    expect(errors).toMatchObject([{ name: 'PlatformError', endpoint: 'reply' }]);
    expect(to.logged.text()).not.toContain(API_KEY);
  });

  it('is logged and ends no process if the handler does not await it', async () => {
    const platform = await fakePlatform(() => 500);
    const to = await start({ platform: platform.options });
    to.receiver.on('handoff.message', ({ reply, end }) => {
      void reply('Hello');
      void end();
    });
    expect((await chat(to, 'c-1')).status).toBe(200);
    await to.receiver.close();
    const lines = to.logged.about('did not reach the platform');
    expect(lines).toMatchObject([{ conversationId: 'c-1' }, { conversationId: 'c-1' }]);
    expect(to.logged.text()).not.toContain('Hello');
  });

  it('does not block the next', async () => {
    const platform = await fakePlatform(() => (platform.calls.length === 1 ? 500 : 200));
    const to = await start({ platform: platform.options });
    await expect(to.receiver.conversations.reply('c-1', 'one')).rejects.toThrow();
    await expect(to.receiver.conversations.reply('c-1', 'two')).resolves.toMatchObject({
      conversationId: 'c-1',
    });
  });

  it('because the option platform is missing names that option', async () => {
    const to = await start();
    const missing = {
      code: 'PLATFORM_NOT_CONFIGURED',
      message: expect.stringContaining('platform: { baseUrl, apiKey }'),
    };
    const errors: unknown[] = [];
    to.receiver
      .on('handoff.message', ({ reply }) => reply('Hello'))
      .onError(({ error }) => errors.push(error));
    expect((await chat(to, 'c-1')).status).toBe(500);
    expect(errors).toMatchObject([missing]);
    await expect(to.receiver.conversations.end('c-1')).rejects.toMatchObject(missing);
  });

  it('because it is empty was never sent', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    await expect(to.receiver.conversations.reply('c-1', '')).rejects.toMatchObject({ code: 'INVALID_BODY' });
    expect(platform.calls).toHaveLength(0);
  });

  it('because its signal aborted was cancelled', async () => {
    const held = deferred<number>();
    const platform = await fakePlatform(() => held.promise);
    const receiver = createReceiver({
      auth: { message: noAuth(), handoff: noAuth() },
      platform: platform.options,
      log: false,
    });
    const giveUp = new AbortController();
    const sent = receiver.conversations.reply('c-1', 'x', { signal: giveUp.signal });
    await platform.came(1);
    giveUp.abort();
    await expect(sent).rejects.toThrow();
    held.resolve(200);
  });
});
