import { describe, expect, test } from 'vitest';
import { CALLS, clientOf, failureOf, platformAnswering, QA_TEXT, REPLY } from './support.js';

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
    const platform = await platformAnswering({ body });
    expect(await clientOf(platform).reply(REPLY)).toEqual(body);
    expect(await CALLS.close(clientOf(platform))).toEqual(body);
  });

  test.each([[''], ['\n']])('as an empty string if it is empty: %j', async (body) => {
    const platform = await platformAnswering({ body });
    expect(await clientOf(platform).reply(REPLY)).toBe('');
    expect(await CALLS.close(clientOf(platform))).toBe('');
  });

  test('with any 2xx status', async () => {
    const platform = await platformAnswering({ status: 202, body: { code: 1 } }, { status: 204 });
    expect(await clientOf(platform).reply(REPLY)).toEqual({ code: 1 });
    expect(await clientOf(platform).reply(REPLY)).toBe('');
  });

  test('with multi-byte characters split between chunks', async () => {
    const word = 'é'.repeat(200_000);
    const platform = await platformAnswering({ body: { word } });
    expect(await clientOf(platform).reply(REPLY)).toEqual({ word });
  });
});

describe('an answer that is not JSON', () => {
  test.each([['OK'], ['<html>Log in to the guest network</html>'], ['{"half":']])(
    'is never a success: %s',
    async (body) => {
      const platform = await platformAnswering({ body });
      for (const name of ['reply', 'close', 'addQa', 'updateQa', 'checkWebhooks'] as const) {
        expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
          code: 'BAD_ANSWER',
          endpoint: name,
          status: 200,
          outcome: 'unknown',
          retryable: false,
          message: expect.stringMatching(/not JSON.*not a proxy or a web page/),
        });
      }
      expect(platform.requests).toHaveLength(5);
    },
  );
});

describe('answers to knowledge calls and webhook checks', () => {
  test('list the documents and the failed files', async () => {
    const answer = { doc: [{ doc_id: 'd-1', doc_name: 'Hours' }], failed: ['b.csv'], trace: 't' };
    const platform = await platformAnswering({ body: answer });
    expect(await CALLS.addQa(clientOf(platform))).toEqual({ ...answer, missing: 0 });
    expect(await CALLS.updateQa(clientOf(platform))).toEqual({ ...answer, missing: 0 });
  });

  test.each([
    [
      'a number as id',
      { doc: [{ doc_id: 17, doc_name: 'Hours' }], failed: [] },
      { doc_id: '17', doc_name: 'Hours' },
    ],
    ['no name', { doc: [{ doc_id: 'd', doc_name: null }], failed: [] }, { doc_id: 'd', doc_name: null }],
    [
      'an invalid name',
      { doc: [{ doc_id: 'd', doc_name: [] }], failed: [] },
      { doc_id: 'd', doc_name: null },
    ],
    ['no list of failures', { doc: [{ doc_id: 'd', doc_name: 'H' }] }, { doc_id: 'd', doc_name: 'H' }],
    [
      'null for failures',
      { doc: [{ doc_id: 'd', doc_name: 'H' }], failed: null },
      { doc_id: 'd', doc_name: 'H' },
    ],
    [
      'malformed failures',
      { doc: [{ doc_id: 'd', doc_name: 'H' }], failed: [null] },
      { doc_id: 'd', doc_name: 'H' },
    ],
    [
      'one document instead of a list',
      { doc: { doc_id: 'd', doc_name: 'H' }, failed: [] },
      { doc_id: 'd', doc_name: 'H' },
    ],
  ])('keep the id of a document with %s', async (_, body, document) => {
    const platform = await platformAnswering({ body });
    for (const name of ['addQa', 'updateQa'] as const) {
      expect(await CALLS[name](clientOf(platform))).toMatchObject({
        doc: [document],
        failed: [],
        missing: 0,
      });
    }
  });

  test('keep an id that is too large for a number', async () => {
    const body =
      '{"doc":[{"doc_id":9007199254740993001,"doc_name":"\\"1234567890123456789 \\\\"}],"failed":[]}';
    const platform = await platformAnswering({ body });
    expect(await CALLS.addQa(clientOf(platform))).toMatchObject({
      doc: [{ doc_id: '9007199254740993001', doc_name: '"1234567890123456789 \\' }],
    });
  });

  test('read failures as strings or objects', async () => {
    const platform = await platformAnswering({
      body: { doc: null, failed: ['a.csv', { file_name: 'b.csv' }, 3] },
    });
    expect(await CALLS.addQa(clientOf(platform))).toEqual({
      doc: [],
      failed: ['a.csv', 'b.csv', '3'],
      missing: 0,
    });
  });

  test('count the files that they do not mention', async () => {
    const files = ['a', 'b', 'c'].map((name) => ({
      file_url: `https://files.example.com/${name}`,
      file_name: name,
    }));
    const body = { doc: [{ doc_id: 'd', doc_name: 'a' }, { doc_name: 'b' }], failed: [] };
    const { knowledge } = clientOf(await platformAnswering({ body }));
    expect(await knowledge.addQa({ purpose: 'QA_FILE', files })).toMatchObject({
      doc: [{ doc_id: 'd', doc_name: 'a' }],
      missing: 2,
    });
    const updates = ['d-1', 'd-2', 'd-2'].map((doc_id) => ({
      doc_id,
      source_url: 'https://files.example.com/a',
      file_name: 'a',
    }));
    expect(await knowledge.updateQa({ files: updates })).toMatchObject({ missing: 1 });
    const none = clientOf(await platformAnswering({ body: { doc: [], failed: [] } }));
    expect(await CALLS.addQa(none)).toEqual({ doc: [], failed: [], missing: 1 });
  });

  test('have one result per webhook even with numeric ids and malformed figures', async () => {
    const odd = {
      type: 'human_service',
      component_id: 7,
      component_name: null,
      http_status: '503',
      latency_ms: 'slow',
    };
    const platform = await platformAnswering({
      body: { results: [{ ...odd, webhook_url: 'https://a.example.com', reachable: false }] },
    });
    const { results } = await clientOf(platform).webhooks.check();
    expect(results).toMatchObject([
      { component_id: '7', component_name: null, http_status: 503, latency_ms: null },
    ]);
  });

  test('are read row by row', async () => {
    const row = { type: 'message', webhook_url: null, reachable: 'true', http_status: 200 };
    const platform = await platformAnswering({
      body: { results: [row, { type: 'message' }, null, { ...row, type: null, reachable: 0 }] },
    });
    expect(await clientOf(platform).webhooks.check()).toMatchObject({
      results: [
        { webhook_url: null, reachable: true },
        { type: '', reachable: false },
      ],
      unreadable: 2,
    });
  });

  test('have one result per webhook', async () => {
    const message = {
      type: 'message',
      webhook_url: 'https://a.example.com',
      reachable: true,
      http_status: 200,
    };
    const human = { type: 'human_service', component_id: 'h', component_name: 'Desk', reachable: false };
    const platform = await platformAnswering({
      body: { results: [message, { ...human, webhook_url: 'https://b.example.com', http_status: 0 }] },
    });
    const { results } = await clientOf(platform).webhooks.check();
    expect(results).toMatchObject([
      { ...message, component_id: null, latency_ms: null },
      { ...human, http_status: 0 },
    ]);
  });

  test.each([
    ['addQa', ''],
    ['addQa', {}],
    ['addQa', { doc: null }],
    ['addQa', { doc: null, failed: null }],
    ['addQa', { failed: [] }],
    ['addQa', { doc: [] }],
    ['addQa', { doc: 'none', failed: [] }],
    ['addQa', { data: { doc: [], failed: [] } }],
    ['updateQa', {}],
    ['updateQa', { doc: [{ doc_name: 'no id' }], failed: [] }],
    ['updateQa', []],
    ['checkWebhooks', {}],
    ['checkWebhooks', { results: [{ type: 'message' }] }],
  ] as const)('to %s that break the contract are bad answers and not retried: %j', async (name, body) => {
    const platform = await platformAnswering({ body });
    expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
      code: 'BAD_ANSWER',
      endpoint: name,
      status: 200,
      platformCode: null,
      outcome: 'unknown',
      retryable: false,
      message: expect.stringContaining('newer version of this package'),
    });
    expect(platform.requests).toHaveLength(1);
  });

  test.each(['addQa', 'updateQa', 'checkWebhooks'] as const)(
    'to %s that look like a refusal are refusals, whatever the code',
    async (name) => {
      const refused = await platformAnswering({ body: { code: 7, message: 'no such knowledge base' } });
      expect(await failureOf(CALLS[name](clientOf(refused)))).toMatchObject({
        code: 'PLATFORM_REFUSED',
        platformCode: 7,
        platformMessage: 'no such knowledge base',
        outcome: 'not-applied',
      });
      const unclear = await platformAnswering({ body: { code: 200, message: 'success' } });
      expect(await failureOf(CALLS[name](clientOf(unclear)))).toMatchObject({
        code: 'BAD_ANSWER',
        platformCode: 200,
        platformMessage: 'success',
        outcome: 'unknown',
      });
    },
  );

  test('are not quoted in the error', async () => {
    const platform = await platformAnswering({
      body: { doc: [{ doc_id: '', doc_name: 'hush' }], failed: [] },
    });
    const error = await failureOf(CALLS.addQa(clientOf(platform)));
    expect(error.message).toContain('doc[0].doc_id');
    expect(error.message).not.toContain('hush');
  });
});

describe('the size limit of an answer', () => {
  test('allows an answer of exactly that size', async () => {
    const body = JSON.stringify('x'.repeat(LIMIT - 2));
    const platform = await platformAnswering({ body });
    expect(await clientOf(platform).reply(REPLY)).toBe(JSON.parse(body));
  });

  test.each(['reply', 'close', 'addQa', 'checkWebhooks'] as const)(
    'makes a larger answer to %s a bad answer',
    async (name) => {
      const platform = await platformAnswering({ body: 'x'.repeat(LIMIT + 1) });
      expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
        code: 'BAD_ANSWER',
        message: expect.stringContaining('too large'),
      });
    },
  );

  test('does not hide the status of a failure', async () => {
    const platform = await platformAnswering({ status: 401, body: 'x'.repeat(LIMIT + 1) });
    expect(await failureOf(clientOf(platform).reply(REPLY))).toMatchObject({ code: 'PLATFORM_AUTH_FAILED' });
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
