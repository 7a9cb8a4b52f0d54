import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, createLog, createReceiver, type HandlerContext, pathToken } from '../../src/public/index.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { hostileBytes, hostileRequest, sloppyRequest } from '../helpers/hostile-requests.js';
import { property } from '../helpers/property.js';
import { dial, parseAnswer, readAll, sendRaw } from '../helpers/raw.js';
import { listen, type Served } from '../helpers/serve.js';

/** How many requests of each kind; `npm run fuzz -- --runs N` sets it. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 200);
const TIMEOUT_MS = 60_000 + RUNS * 50;
const PROPERTY = { numRuns: RUNS };

const failures: unknown[] = [];
const note = (error: unknown): void => {
  failures.push(error);
};

let handled = 0;
const receiver = createReceiver({
  auth: { message: basic({ username: USERNAME, password: SECRET }), handoff: pathToken(PATH_TOKEN) },
  limits: { readTimeoutMs: 1_000 },
  log: createLog({ level: 'trace', destination: { write: () => {} } }),
});
receiver.onError(({ error }) => note(error));
receiver.admit(({ user, transcript, payload }) => [user, transcript, payload].length === 3);
const receive = (context: HandlerContext): void => {
  handled += 1;
  // Reads every field: lazily computed fields must not fail.
  context.log.info({ ...context, log: null, signal: null }, 'all of it');
};
receiver
  .onAny(receive)
  .on('handoff.requested', () => undefined)
  .on('probe', receive);

let served: Served;

beforeAll(async () => {
  process.on('unhandledRejection', note).on('uncaughtException', note);
  served = await listen(receiver);
});

afterAll(async () => {
  process.off('unhandledRejection', note).off('uncaughtException', note);
  await served.end();
});

/** No handler failed, and the receiver still works. */
async function expectUnharmed(): Promise<void> {
  const message = await request(served.url)
    .post('/')
    .set('Authorization', basicHeader(USERNAME, SECRET))
    .send(botMessageBody());
  const chat = await request(served.url).post(`/${PATH_TOKEN}/chat`).send(chatBody());
  expect([message.text, chat.text]).toEqual([
    '{"code":200,"msg":"success"}',
    '{"code":200,"message":"success"}',
  ]);
  expect(failures).toEqual([]);
  expect((await receiver.stats()).pending).toBe(0);
}

const isFine = (status: number): boolean =>
  (status >= 200 && status < 300) || (status >= 400 && status < 500);

describe('random requests', () => {
  property([hostileRequest], PROPERTY)(
    'are answered with 2xx or 4xx, and never reach a handler without credentials',
    async ({ trusted, ...sent }) => {
      const before = handled;
      const { status, headers } = await sendRaw(served.port, sent);
      expect(status).toSatisfy(isFine);
      expect(headers.get('x-request-id') ?? ['from node:http']).toHaveLength(1);
      if (trusted) return;
      expect(status).toBeGreaterThanOrEqual(400);
      expect(handled).toBe(before);
    },
    TIMEOUT_MS,
  );

  it('include some that are handled', () => {
    expect(handled).toBeGreaterThan(0);
  });

  it('leave the receiver unharmed', expectUnharmed);
});

describe('requests from unusual deployments', () => {
  property([sloppyRequest], PROPERTY)(
    'are answered 200',
    async (sent) => {
      const { status, body } = await sendRaw(served.port, sent);
      expect([status, body]).toEqual([200, expect.stringContaining('success')]);
    },
    TIMEOUT_MS,
  );

  it('leave the receiver unharmed', expectUnharmed);
});

describe('random bytes', () => {
  property([hostileBytes], PROPERTY)(
    'get 2xx, 4xx or no answer',
    async (bytes) => {
      const socket = await dial(served.port);
      const answer = readAll(socket);
      socket.end(bytes);
      expect(parseAnswer(await answer).status).toSatisfy((status: number) => status === 0 || isFine(status));
    },
    TIMEOUT_MS,
  );

  it('leave the receiver unharmed', expectUnharmed);
});
