import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PlatformClientOptions } from '../../src/client/index.js';
import { freePort } from '../helpers/free-port.js';
import {
  API_KEY,
  CALLS,
  clientOf,
  failureOf,
  platformAnswering,
  QA_TEXT,
  QA_UPDATE,
  REPLY,
  rawPlatform,
  type ScriptedAnswer,
} from './support.js';

/** Users' messages in the request to each endpoint. */
const WORDS = {
  reply: REPLY.text,
  close: '',
  addQa: QA_TEXT.qaList[0].question,
  updateQa: QA_UPDATE.qaList[0].answer,
  checkWebhooks: '',
} as const;

/** All text that a logger could find in a value, including hidden properties and causes. */
function everythingIn(value: unknown): string {
  const views = [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
  ];
  if (value instanceof Error) views.push(value.message, value.stack ?? '', everythingIn(value.cause));
  return views.join('\n');
}

type Setup = (words: string) => Promise<[{ baseUrl: string }, Partial<PlatformClientOptions>?]>;

/** A platform whose refusal quotes the API key and the user's words. */
const echo =
  (status: number, code?: number): Setup =>
  async (words) => {
    const message = `Bearer ${API_KEY} said ${words}`;
    const headers = { location: `https://elsewhere.example.com/?key=${API_KEY}` };
    const answer: ScriptedAnswer = { status, headers, body: code ? { code, message } : message };
    return [await platformAnswering(answer)];
  };

const FAILURES: Record<string, Setup> = {
  unreachable: async () => [{ baseUrl: `http://127.0.0.1:${await freePort()}` }],
  'connection lost': async () => [await rawPlatform((socket) => socket.resetAndDestroy())],
  timeout: async () => [await rawPlatform(() => undefined), { timeoutMs: 20 }],
  refused: echo(200, 40000),
  'wrong key': echo(401, 40127),
  'unknown code': echo(200, 40999),
  'bot deleted': echo(404, 40378),
  'rate limited': echo(429),
  'server error': echo(500),
  'internal error': echo(200, 50000),
  redirect: echo(302),
  'fetch that talks': async () => [
    { baseUrl: 'http://127.0.0.1' },
    {
      fetch: async (_, { headers }) => {
        const said = JSON.stringify([...new Headers(headers)]);
        throw Object.assign(new TypeError(said, { cause: new Error(said) }), { code: said, headers });
      },
    },
  ],
  'wrong TLS': async () => [{ baseUrl: (await platformAnswering()).baseUrl.replace('http:', 'https:') }],
};

describe.each(Object.keys(FAILURES))('%s', (kind) => {
  test.each(['reply', 'close', 'addQa', 'updateQa', 'checkWebhooks'] as const)(
    "an error of %s contains neither the key nor users' messages",
    async (name) => {
      const words = WORDS[name];
      const [platform, options] = (await FAILURES[kind]?.(words)) ?? [];
      if (!platform) throw new Error('no such failure');
      const error = await failureOf(CALLS[name](clientOf(platform, options)));
      expect(everythingIn(error)).not.toContain(API_KEY);
      if (words !== '') expect(everythingIn(error)).not.toContain(words);
      expect(error.cause).toBeUndefined();
    },
  );
});

test('a bad answer does not expose the key that it quotes', async () => {
  const platform = await platformAnswering({ body: { doc: API_KEY, results: API_KEY } });
  for (const name of ['addQa', 'updateQa', 'checkWebhooks'] as const) {
    const error = await failureOf(CALLS[name](clientOf(platform)));
    expect(error.code).toBe('BAD_ANSWER');
    expect(everythingIn(error)).not.toContain(API_KEY);
  }
});

test('an abort does not expose the key in its reason', async () => {
  const signal = AbortSignal.abort(new Error(API_KEY));
  const error = await failureOf(clientOf(await platformAnswering()).reply(REPLY, { signal }));
  expect(error.code).toBe('ABORTED');
  expect(everythingIn(error)).not.toContain(API_KEY);
});

test('the client does not expose its key', () => {
  const client = clientOf({ baseUrl: 'https://api.example.com' });
  expect(everythingIn(client)).not.toContain(API_KEY);
});

test("a validation error does not quote users' messages", async () => {
  const client = clientOf({ baseUrl: 'https://api.example.com' });
  const error: unknown = await client
    .reply({ conversationId: '', text: REPLY.text })
    .catch((reason: unknown) => reason);
  expect(everythingIn(error)).not.toContain(REPLY.text);
});
