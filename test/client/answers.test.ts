import { describe, expect, test } from 'vitest';
import { CALLS, clientOf, failureOf, QA_TEXT, REPLY, serviceAnswering } from './support.js';

const LIMIT = 1024 * 1024;

describe('a reply and a close give the answer as it came', () => {
  test.each([
    [{ code: 200, message: 'success' }],
    [{ code: 0, message: 'ok', extra: [1] }],
    [{ conversation_id: 'c-1', timestamp: 1_742_265_090_895 }],
    [{ code: 9999, message: 'short of five digits' }],
    [null],
    [[1, 2]],
  ])('%j', async (body) => {
    const service = await serviceAnswering({ body });
    expect(await clientOf(service).reply(REPLY)).toEqual(body);
    expect(await CALLS.close(clientOf(service))).toEqual(body);
  });

  test.each([[''], ['OK'], ['<p>done</p>'], ['{"half":']])('also when it is not JSON: "%s"', async (body) => {
    const service = await serviceAnswering({ body });
    expect(await clientOf(service).reply(REPLY)).toBe(body);
    expect(await CALLS.close(clientOf(service))).toBe(body);
  });

  test('any 2xx status is a success', async () => {
    const service = await serviceAnswering({ status: 202, body: { code: 1 } }, { status: 204 });
    expect(await clientOf(service).reply(REPLY)).toEqual({ code: 1 });
    expect(await clientOf(service).reply(REPLY)).toBe('');
  });

  test('text in several pieces keeps its characters', async () => {
    const word = 'é'.repeat(200_000);
    const service = await serviceAnswering({ body: { word } });
    expect(await clientOf(service).reply(REPLY)).toEqual({ word });
  });
});

describe('knowledge and checks are read', () => {
  test('the documents and the files that failed', async () => {
    const answer = { doc: [{ doc_id: 'd-1', doc_name: 'Hours' }], failed: ['b.csv'], trace: 't' };
    const service = await serviceAnswering({ body: answer });
    expect(await CALLS.addQa(clientOf(service))).toEqual(answer);
    expect(await CALLS.updateQa(clientOf(service))).toEqual(answer);
  });

  test('lists that are left out or null are empty', async () => {
    const service = await serviceAnswering({ body: { doc: null } });
    expect(await CALLS.addQa(clientOf(service))).toEqual({ doc: [], failed: [] });
  });

  test('the result for each webhook', async () => {
    const message = {
      type: 'message',
      webhook_url: 'https://a.example.com',
      reachable: true,
      http_status: 200,
    };
    const human = { type: 'human_service', component_id: 'h', component_name: 'Desk', reachable: false };
    const service = await serviceAnswering({
      body: { results: [message, { ...human, webhook_url: 'https://b.example.com', http_status: 0 }] },
    });
    const { results } = await clientOf(service).webhooks.check();
    expect(results).toMatchObject([
      { ...message, component_id: null, latency_ms: null },
      { ...human, http_status: 0 },
    ]);
  });

  test.each([
    ['addQa', 'not JSON'],
    ['addQa', ''],
    ['addQa', { doc: 'none' }],
    ['updateQa', { doc: [{ doc_id: 1 }] }],
    ['updateQa', []],
    ['checkWebhooks', {}],
    ['checkWebhooks', { results: [{ type: 'message' }] }],
    ['checkWebhooks', '<html>a page</html>'],
  ] as const)('%s: what does not fit is a bad answer, and not asked for again: %j', async (name, body) => {
    const service = await serviceAnswering({ body });
    expect(await failureOf(CALLS[name](clientOf(service)))).toMatchObject({
      code: 'BAD_ANSWER',
      endpoint: name,
      status: 200,
      serviceCode: null,
      outcome: 'unknown',
      retryable: false,
    });
    expect(service.requests).toHaveLength(1);
  });

  test('what the answer says stays out of the error', async () => {
    const service = await serviceAnswering({ body: { doc: [{ doc_id: 7_700_123_456, doc_name: 'hush' }] } });
    const error = await failureOf(CALLS.addQa(clientOf(service)));
    expect(error.message).toContain('doc[0].doc_id');
    expect(error.message).not.toMatch(/hush|7700123456/);
  });
});

describe('an answer has a limit', () => {
  test('up to it everything is read', async () => {
    const body = 'x'.repeat(LIMIT);
    const service = await serviceAnswering({ body });
    expect(await clientOf(service).reply(REPLY)).toBe(body);
  });

  test.each(['reply', 'close', 'addQa', 'checkWebhooks'] as const)(
    '%s: above it the answer is bad',
    async (name) => {
      const service = await serviceAnswering({ body: 'x'.repeat(LIMIT + 1) });
      expect(await failureOf(CALLS[name](clientOf(service)))).toMatchObject({
        code: 'BAD_ANSWER',
        message: expect.stringContaining('too large'),
      });
    },
  );

  test('a failure that is too large counts by its status', async () => {
    const service = await serviceAnswering({ status: 401, body: 'x'.repeat(LIMIT + 1) });
    expect(await failureOf(clientOf(service).reply(REPLY))).toMatchObject({ code: 'SERVICE_AUTH_FAILED' });
  });

  test('an endless answer is dropped at the limit', async () => {
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        cancelled = true;
      },
    });
    const client = clientOf(
      { baseUrl: 'http://127.0.0.1' },
      { fetch: async () => new Response(body, { status: 200 }) },
    );
    expect(
      await failureOf(client.knowledge.addQa({ ...QA_TEXT, qaList: [...QA_TEXT.qaList] })),
    ).toMatchObject({
      code: 'BAD_ANSWER',
    });
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(LIMIT * 2);
  });
});
