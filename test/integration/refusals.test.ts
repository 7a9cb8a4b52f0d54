import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/client/clock.js';
import { createClientWithClock } from '../../src/client/platform-client.js';
import { createPlatformClient, type PlatformClient } from '../../src/public/client.js';
import { API_KEY, startIntegration } from './integration-setup.js';

const qaList = [{ question: 'q', answer: 'a' }];

/** Every endpoint that requires a key. */
const CALLS: readonly (readonly [name: string, call: (client: PlatformClient) => Promise<unknown>])[] = [
  ['addQa', ({ knowledge }) => knowledge.addQa({ purpose: 'QA_TEXT', name: 'n', qaList })],
  ['updateQa', ({ knowledge }) => knowledge.updateQa({ doc_id: 'd', qaList })],
  ['checkWebhooks', ({ webhooks }) => webhooks.check()],
  ['reply', (client) => client.reply({ conversationId: 'c', text: 'Hello' })],
  ['close', (client) => client.end({ conversationId: 'c' })],
];
const ENDPOINTS = ['addQa', 'updateQa', 'checkWebhooks', 'reply', 'close'] as const;

describe.each(CALLS)('%s', (endpoint, call) => {
  it('with an unknown key is 40127', async () => {
    const { clientWith } = await startIntegration();
    await expect(call(clientWith('an-unknown-key'))).rejects.toMatchObject({
      code: 'PLATFORM_AUTH_FAILED',
      platformCode: 40127,
      status: 401,
      endpoint,
      outcome: 'not-applied',
    });
  });

  it('of a deleted bot is 40378', async () => {
    const { client, simulator } = await startIntegration();
    simulator.bots.delete('bot-1');
    await expect(call(client)).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      platformCode: 40378,
      status: 403,
      retryable: false,
    });
  });

  it('during an internal error is 50000 with an unknown outcome', async () => {
    const { client, simulator } = await startIntegration();
    simulator.faults.set('answerError', { on: [...ENDPOINTS] });
    const repeatable = endpoint !== 'addQa' && endpoint !== 'reply';
    await expect(call(client)).rejects.toMatchObject({
      code: repeatable ? 'PLATFORM_FAILED' : 'OUTCOME_UNKNOWN',
      platformCode: 50000,
      status: 500,
      outcome: 'unknown',
      retryable: repeatable,
    });
  });

  it('is refused even if failures have HTTP status 200', async () => {
    const { simulator, direct } = await startIntegration({ simulator: { failureStatus: () => 200 } });
    simulator.bots.delete('bot-1');
    // Without the proxy: openapi.json describes failures with 4XX and 5XX only.
    const client = createPlatformClient({ baseUrl: direct, apiKey: API_KEY, retry: false });
    await expect(call(client)).rejects.toMatchObject({ platformCode: 40378, status: 200 });
  });

  it('is throttled with 429, and the client honours Retry-After', async () => {
    const { simulator, direct } = await startIntegration();
    simulator.faults.set('answerThrottle', { on: [...ENDPOINTS], times: 1, retryAfterSeconds: 7 });
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      sleep: async (ms: number) => {
        waits.push(ms);
      },
    };
    // Without the proxy: a gateway's answer is not in openapi.json.
    const client = createClientWithClock({ baseUrl: direct, apiKey: API_KEY }, { ...systemClock, ...clock });
    await call(client).catch(() => {});
    expect(waits).toEqual([7_000]);
  });
});

describe('a conversation', () => {
  const TO_CONVERSATION = [
    [
      'a reply',
      (client: PlatformClient, conversationId: string) => client.reply({ conversationId, text: 'Hello' }),
    ],
    ['an end', (client: PlatformClient, conversationId: string) => client.end({ conversationId })],
  ] as const;

  it.each(TO_CONVERSATION)('that does not exist is 40356 to %s', async (_name, send) => {
    const { client } = await startIntegration();
    await expect(send(client, 'c')).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      platformCode: 40356,
      status: 404,
    });
  });

  it.each(TO_CONVERSATION)('of another bot is 40358 to %s', async (_name, send) => {
    const { clientWith, simulator } = await startIntegration();
    simulator.bots.add({ id: 'bot-2', apiKey: 'api-key-of-bot-2' });
    const { id } = await simulator.requestHandoff({ botId: 'bot-1' });
    const otherClient = clientWith('api-key-of-bot-2');
    await expect(send(otherClient, id)).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      platformCode: 40358,
      status: 403,
    });
  });

  it('without an answer in time has an unknown outcome', async () => {
    const { simulator, direct } = await startIntegration();
    const { id, replies } = await simulator.requestHandoff();
    simulator.faults.set('answerNothing', { times: 1 });
    // Without the proxy: there is no answer to record.
    const client = createPlatformClient({ baseUrl: direct, apiKey: API_KEY });
    const reply = client.reply({ conversationId: id, text: 'Hello' }, { timeoutMs: 50 });
    await expect(reply).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1 });
    expect(replies).toEqual([]);
  });
});
