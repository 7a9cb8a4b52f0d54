import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { AuthChoice, AuthRequest } from '../../src/public/index.js';
import { botMessageBody } from '../fixtures/bodies.js';
import { SECRET } from '../helpers/credentials.js';
import { type Started, start } from '../helpers/start.js';

const startWith = (message: AuthChoice): Promise<Started> => start({ auth: { message, handoff: false } });

const post = (to: Started, authorization?: string) => {
  const sending = request(to.url).post('/').send(botMessageBody());
  return authorization === undefined ? sending : sending.set('Authorization', authorization);
};

describe('an auth function', () => {
  it('gets headers, path and address, and accepts with true', async () => {
    const asked: AuthRequest[] = [];
    const to = await startWith((about) => {
      asked.push(about);
      return about.headers['x-from'] === 'platform';
    });
    expect((await post(to).set('x-from', 'platform')).status).toBe(200);
    expect(asked).toMatchObject([{ endpoint: 'message', authorization: undefined, pathToken: undefined }]);
    expect(asked[0]?.remoteAddress).toContain('127.0.0.1');
    expect((await post(to).set('x-from', 'stranger')).status).toBe(401);
    expect(to.seen).toHaveLength(1);
  });

  it('may be asynchronous', async () => {
    const to = await startWith(async ({ authorization }) => Promise.resolve(authorization === 'Custom yes'));
    expect((await post(to, 'Custom no')).status).toBe(401);
    expect((await post(to, 'Custom yes')).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it.each([
    ['later', () => Promise.reject(new Error(`check broke on ${SECRET}`))],
    [
      'at once',
      () => {
        throw new Error(`check broke on ${SECRET}`);
      },
    ],
  ])('that throws %s refuses the request without giving the reason', async (_when, verify) => {
    const to = await startWith(verify);
    const errors: unknown[] = [];
    to.receiver.onError(({ error }) => errors.push(error));
    const answer = await post(to);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ code: 500, msg: 'internal error' });
    expect(to.seen).toHaveLength(0);
    expect(errors).toHaveLength(1);
  });

  it.each([['1'], [1], ['yes'], [{}], [null], [undefined]])(
    'that returns %j refuses the request',
    async (verdict) => {
      for (const verify of [() => verdict, async () => verdict]) {
        const to = await startWith((about) => Reflect.apply(verify, undefined, [about]));
        expect((await post(to)).status).toBe(401);
        expect(to.seen).toHaveLength(0);
      }
    },
  );
});
