import { describe, expect, test } from 'vitest';
import { CALLS, clientOf, failureOf, QA_TEXT, REPLY, serviceAnswering } from './support.js';

const LIMIT = 1024 * 1024;

describe('reply and end resolve to the answer unchanged', () => {
  test.each([
    [{ code: 200, message: 'success' }],
    [{ code: 0, message: 'ok', extra: [1] }],
    [{ conversation_id: 'c-1', timestamp: 1_742_265_090_895 }],
    [{ code: 9999, message: 'short of five digits' }],
    [null],
    [[1, 2]],
  ])('as JSON: %j', async (body) => {
    const service = await serviceAnswering({ body });
    expect(await clientOf(service).reply(REPLY)).toEqual(body);
    expect(await CALLS.close(clientOf(service))).toEqual(body);
  });

  test.each([[''], ['OK'], ['<p>done</p>'], ['{"half":']])(
    'as text if it is not JSON: "%s"',
    async (body) => {
      const service = await serviceAnswering({ body });
      expect(await clientOf(service).reply(REPLY)).toBe(body);
      expect(await CALLS.close(clientOf(service))).toBe(body);
    },
  );

  test('with any 2xx status', async () => {
    const service = await serviceAnswering({ status: 202, body: { code: 1 } }, { status: 204 });
    expect(await clientOf(service).reply(REPLY)).toEqual({ code: 1 });
    expect(await clientOf(service).reply(REPLY)).toBe('');
  });

  test('with multi-byte characters split between chunks', async () => {
    const word = 'é'.repeat(200_000);
    const service = await serviceAnswering({ body: { word } });
    expect(await clientOf(service).reply(REPLY)).toEqual({ word });
  });
});

describe('answers to knowledge calls and webhook checks', () => {
  test('list the documents and the failed files', async () => {
    const answer = { doc: [{ doc_id: 'd-1', doc_name: 'Hours' }], failed: ['b.csv'], trace: 't' };
    const service = await serviceAnswering({ body: answer });
    expect(await CALLS.addQa(clientOf(service))).toEqual(answer);
    expect(await CALLS.updateQa(clientOf(service))).toEqual(answer);
  });

  test('have empty lists for absent or null ones', async () => {
    const service = await serviceAnswering({ body: { doc: null } });
    expect(await CALLS.addQa(clientOf(service))).toEqual({ doc: [], failed: [] });
  });

  test('have one result per webhook', async () => {
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
  ] as const)('to %s that break the contract are bad answers and not retried: %j', async (name, body) => {
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

  test('are not quoted in the error', async () => {
    const service = await serviceAnswering({ body: { doc: [{ doc_id: 7_700_123_456, doc_name: 'hush' }] } });
    const error = await failureOf(CALLS.addQa(clientOf(service)));
    expect(error.message).toContain('doc[0].doc_id');
    expect(error.message).not.toMatch(/hush|7700123456/);
  });
});

describe('the size limit of an answer', () => {
  test('allows an answer of exactly that size', async () => {
    const body = 'x'.repeat(LIMIT);
    const service = await serviceAnswering({ body });
    expect(await clientOf(service).reply(REPLY)).toBe(body);
  });

  test.each(['reply', 'close', 'addQa', 'checkWebhooks'] as const)(
    'makes a larger answer to %s a bad answer',
    async (name) => {
      const service = await serviceAnswering({ body: 'x'.repeat(LIMIT + 1) });
      expect(await failureOf(CALLS[name](clientOf(service)))).toMatchObject({
        code: 'BAD_ANSWER',
        message: expect.stringContaining('too large'),
      });
    },
  );

  test('does not hide the status of a failure', async () => {
    const service = await serviceAnswering({ status: 401, body: 'x'.repeat(LIMIT + 1) });
    expect(await failureOf(clientOf(service).reply(REPLY))).toMatchObject({ code: 'SERVICE_AUTH_FAILED' });
  });

  test('cancels an endless answer', async () => {
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
