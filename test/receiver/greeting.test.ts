import { setImmediate as turn } from 'node:timers/promises';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { inline, type ReceiverOptions } from '../../src/public/index.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { type Started, start } from '../helpers/start.js';

const establish = (to: Started, body: object) => request(to.url).post('/conversation/establish').send(body);

async function startGreeting(options: Partial<ReceiverOptions>, answer?: () => number | Promise<number>) {
  const platform = await fakePlatform(answer);
  return { platform, to: await start({ platform: platform.options, ...options }) };
}

describe('a greeting', () => {
  it('is the first reply of a handoff, sent after the answer 200', async () => {
    const held = deferred<number>();
    const { platform, to } = await startGreeting({ greeting: 'Please hold the line.' }, () => held.promise);
    const body = establishBody();
    // The platform answers the greeting only after this: a receiver that waited for it would hang here.
    expect((await establish(to, body)).status).toBe(200);
    await platform.came(1);
    held.resolve(200);
    expect(platform.calls).toMatchObject([
      {
        path: '/v1/human/message/receive',
        body: { conversation_id: body.conversation_id, body: 'Please hold the line.' },
      },
    ]);
  });

  it('may be a function of the user', async () => {
    const { platform, to } = await startGreeting({
      greeting: async ({ user, transcript, conversationId, payload }) =>
        [user.key, transcript[0]?.text, conversationId, payload.bot_id].join(' | '),
    });
    const body = establishBody({ conversation_id: 'c-1', user_info: { user_id: 'u-1' } });
    await establish(to, body);
    await platform.came(1);
    expect(platform.calls[0]?.body).toMatchObject({ body: 'user:u-1 | Where is my parcel? | c-1 | bot-1' });
  });

  it('is not sent if the function returns null', async () => {
    const { platform, to } = await startGreeting({ greeting: () => null });
    expect((await establish(to, establishBody())).status).toBe(200);
    await to.receiver.close();
    expect(platform.calls).toHaveLength(0);
  });

  it('is not sent to a handoff that was refused or failed, nor to other events', async () => {
    const { platform, to } = await startGreeting({ greeting: 'Hello' });
    to.receiver
      .admit(({ conversationId }) => conversationId !== 'refused')
      .on('handoff.requested', ({ conversationId }) => {
        if (conversationId === 'failing') throw new Error('no');
      });
    expect((await establish(to, establishBody({ conversation_id: 'refused' }))).status).toBe(503);
    expect((await establish(to, establishBody({ conversation_id: 'failing' }))).status).toBe(500);
    expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(200);
    await to.receiver.close();
    expect(platform.calls).toHaveLength(0);
  });

  it('is sent once for a repeated request', async () => {
    const { platform, to } = await startGreeting({ greeting: 'Hello' });
    const body = establishBody();
    await Promise.all([establish(to, body), establish(to, body)]);
    await establish(to, body);
    await to.receiver.close();
    expect(platform.calls).toHaveLength(1);
  });

  it('is sent once even while a slow handler delays both requests', async () => {
    const { platform, to } = await startGreeting({
      greeting: 'Hello',
      delivery: inline({ ackDeadlineMs: 10 }),
    });
    const held = deferred();
    to.receiver.on('handoff.requested', () => held.promise);
    const body = establishBody();
    expect((await establish(to, body)).status).toBe(200);
    expect((await establish(to, body)).status).toBe(200);
    held.resolve();
    await to.receiver.close();
    expect(to.seen).toHaveLength(1);
    expect(platform.calls).toHaveLength(1);
  });

  it('that fails does not change the answer, and calls onError', async () => {
    const errors: unknown[] = [];
    const { to } = await startGreeting({
      greeting: () => {
        throw new Error('no words');
      },
    });
    to.receiver.onError(({ error, event, conversationId }) =>
      errors.push([String(error), event, conversationId]),
    );
    expect((await establish(to, establishBody({ conversation_id: 'c-1' }))).status).toBe(200);
    await to.receiver.close();
    expect(errors).toEqual([['Error: no words', 'handoff.requested', 'c-1']]);
  });

  it('that the platform refuses calls onError', async () => {
    const heard = deferred<unknown>();
    const { to } = await startGreeting({ greeting: 'Hello' }, () => 500);
    to.receiver.onError(({ error }) => heard.resolve(error));
    expect((await establish(to, establishBody())).status).toBe(200);
    expect(await heard.promise).toMatchObject({ name: 'PlatformError' });
  });

  it('that is slow is awaited when the receiver closes', async () => {
    const asked = deferred();
    const words = deferred<string>();
    const { platform, to } = await startGreeting({
      greeting: () => {
        asked.resolve();
        return words.promise;
      },
    });
    expect((await establish(to, establishBody())).status).toBe(200);
    await asked.promise;
    let closed = false;
    const closing = to.receiver.close().then(() => {
      closed = true;
      return closed;
    });
    await turn();
    expect(closed).toBe(false);
    words.resolve('Hello');
    await closing;
    expect(platform.calls).toHaveLength(1);
  });
});
