import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { inline } from '../../src/public/index.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { type Started, start } from '../helpers/start.js';

const post = (to: Started, path: string, body: object) =>
  request(to.url)
    .post(path)
    // As a proxy sends it, which keeps its connections.
    .set('connection', 'keep-alive')
    .send(body)
    .then((answer) => answer);

/** Whether a promise has settled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  promise.then(note, note);
  await turn();
  return settled;
}

describe('a receiver that closes', () => {
  it('lets running handlers finish, and refuses new requests', async () => {
    const to = await start();
    const entered = deferred();
    const held = deferred();
    to.receiver.on('message', async () => {
      entered.resolve();
      await held.promise;
    });
    const running = post(to, '/', botMessageBody());
    await entered.promise;
    expect(to.receiver.accepting).toBe(true);
    const closing = to.receiver.close();
    expect(to.receiver.accepting).toBe(false);

    const refused = await post(to, '/chat', chatBody());
    expect([refused.status, refused.body]).toEqual([503, { code: 503, message: 'shutting down' }]);
    expect(refused.headers).toMatchObject({ 'retry-after': '5', connection: 'close' });
    expect((await post(to, '/', { istest: true })).status).toBe(503);
    expect(await isSettled(closing)).toBe(false);

    held.resolve();
    expect((await running).status).toBe(200);
    expect(await closing).toEqual({ unfinished: 0 });
    expect(to.seen).toHaveLength(1);
  });

  it('is closing when its hooks run, which may close it as well', async () => {
    const to = await start();
    const accepting: boolean[] = [];
    to.receiver.onClosing(() => {
      accepting.push(to.receiver.accepting);
      return to.receiver.close();
    });
    expect(await to.receiver.close({ timeoutMs: 100 })).toEqual({ unfinished: 0 });
    expect(accepting).toEqual([false]);
  });

  it('closes at once when no handler runs', async () => {
    const to = await start();
    await post(to, '/', botMessageBody());
    expect(await to.receiver.close()).toEqual({ unfinished: 0 });
    expect((await post(to, '/', botMessageBody())).status).toBe(503);
  });

  it('closes once, however often close is called', async () => {
    const to = await start();
    const first = to.receiver.close();
    expect(to.receiver.close({ timeoutMs: 1 })).toBe(first);
    await first;
    expect(to.receiver.close()).toBe(first);
  });

  it('waits for handlers whose sender was already answered', async () => {
    const to = await start({ delivery: inline({ ackDeadlineMs: 10 }) });
    const held = deferred();
    let finished = false;
    to.receiver.on('message', async () => {
      await held.promise;
      finished = true;
    });
    expect((await post(to, '/', botMessageBody())).status).toBe(200);
    const closing = to.receiver.close();
    expect(await isSettled(closing)).toBe(false);
    held.resolve();
    expect(await closing).toEqual({ unfinished: 0 });
    expect(finished).toBe(true);
  });

  it('waits for replies that no handler awaits', async () => {
    const arrived = deferred();
    const held = deferred<number>();
    const platform = await fakePlatform(() => {
      arrived.resolve();
      return held.promise;
    });
    const to = await start({ platform: platform.options });
    let delivered = false;
    to.receiver.on('handoff.message', ({ reply }) => {
      void reply('Good-bye').then(() => {
        delivered = true;
        return delivered;
      });
    });
    expect((await post(to, '/chat', chatBody())).status).toBe(200);
    await arrived.promise;
    const closing = to.receiver.close();
    expect(await isSettled(closing)).toBe(false);
    held.resolve(200);
    await closing;
    expect(delivered).toBe(true);
  });

  it('waits up to timeoutMs, then aborts the signal and reports the unfinished handlers', async () => {
    const to = await start();
    const entered = deferred<AbortSignal>();
    to.receiver.on('message', async ({ signal }) => {
      entered.resolve(signal);
      await once(signal, 'abort');
      throw signal.reason;
    });
    const running = post(to, '/', botMessageBody());
    const signal = await entered.promise;
    expect(signal.aborted).toBe(false);
    expect(await to.receiver.close({ timeoutMs: 10 })).toEqual({ unfinished: 1 });
    expect(signal.reason).toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(await to.logged.until('closed before all handlers had finished')).toMatchObject({ unfinished: 1 });
    expect((await running).status).toBe(500);
  });

  it('does not wait forever for a reply', async () => {
    const platform = await fakePlatform(() => new Promise(() => {}));
    const to = await start({ platform: platform.options });
    void to.receiver.conversations.reply('c', 'x').catch(() => {});
    await platform.came(1);
    expect(await to.receiver.close({ timeoutMs: 10 })).toEqual({ unfinished: 0 });
  });
});
