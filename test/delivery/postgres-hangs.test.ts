import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../src/delivery/postgres/batcher.js';
import { postgres } from '../../src/delivery/postgres/index.js';
import { createTimeLimit } from '../../src/delivery/postgres/time-limit.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { postgresStore } from '../helpers/postgres.js';
import { start } from '../helpers/start.js';
import { tcpProxy } from '../helpers/tcp-proxy.js';

const TIMEOUT = { code: 'DATABASE_TIMEOUT' };
const never = (): Promise<never> => new Promise(() => undefined);

describe('a database that hangs', () => {
  it('is tried by one call at a time; the others are refused at once', async () => {
    let hangs = 0;
    const limited = createTimeLimit(50, () => (hangs += 1));
    await expect(limited(never)).rejects.toMatchObject(TIMEOUT);
    expect(hangs).toBe(1);
    let calls = 0;
    const attempt = limited(() => {
      calls += 1;
      return never();
    });
    const others = Promise.allSettled(Array.from({ length: 100 }, () => limited(async () => (calls += 1))));
    expect((await others).map(({ status }) => status)).toEqual(Array(100).fill('rejected'));
    expect(calls).toBe(1);
    await expect(attempt).rejects.toMatchObject(TIMEOUT);
    expect(await limited(async () => 'back')).toBe('back');
    expect(await Promise.all([limited(async () => 1), limited(async () => 2)])).toEqual([1, 2]);
  });

  it('is left once, however many calls wait for it', async () => {
    let hangs = 0;
    const limited = createTimeLimit(50, () => {
      hangs += 1;
    });
    await Promise.allSettled(Array.from({ length: 20 }, () => limited(never)));
    expect(hangs).toBe(1);
    await expect(limited(never)).rejects.toMatchObject(TIMEOUT);
    expect(hangs).toBe(2);
  });

  it('is not suspected because of one slow statement', async () => {
    let hangs = 0;
    const limited = createTimeLimit(50, () => (hangs += 1));
    const slow = limited(never);
    await limited(async () => 'quick');
    await expect(slow).rejects.toMatchObject(TIMEOUT);
    expect(hangs).toBe(0);
  });

  it('refuses a batch that has waited for the one before it', async () => {
    const limited = createTimeLimit(50, () => undefined);
    const sizes: number[] = [];
    const add = createBatcher((batch: readonly number[]) => {
      sizes.push(batch.length);
      return limited<number[]>(never);
    });
    const all = await Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => add(n)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(sizes).toEqual([200]);
  });

  it('refuses requests, and takes them again as soon as new connections work', async () => {
    const store = await postgresStore();
    const url = new URL(store.connectionString);
    const proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    url.hostname = '127.0.0.1';
    const delivery = postgres({
      schema: store.schema,
      connectionString: url.href,
      storeTimeoutMs: 2_000,
      pool: { max: 4, query_timeout: 600_000 },
    });
    const to = await start({ delivery });
    to.receiver.on('handoff.requested', () => undefined).on('handoff.message', () => undefined);
    await to.receiver.start();
    await request(to.url).post('/conversation/establish').send(establishBody()).expect(200);
    // Several idle connections, all of which die.
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        request(to.url)
          .post('/chat')
          .send(chatBody({ conversation_id: `c${n}` })),
      ),
    );
    await expect.poll(async () => (await delivery.stats()).pending).toBe(0);
    proxy.swallow();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        request(to.url)
          .post('/chat')
          .send(chatBody({ conversation_id: `d${n}` })),
      ),
    );
    expect(answers.map(({ status }) => status)).toContain(503);
    await expect.poll(async () => (await request(to.url).post('/chat').send(chatBody())).status).toBe(200);
  });
});
