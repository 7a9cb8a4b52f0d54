import { describe, expect, test } from 'vitest';
import { API_KEY, CALLS, clientOf, failureOf, platformAnswering, QA_TEXT, REPLY } from './support.js';

const NAMES = ['reply', 'close', 'addQa', 'updateQa', 'checkWebhooks'] as const;

describe("the platform's own codes", () => {
  test.each([
    [40000, 'PLATFORM_REFUSED', 'parameter'],
    [40127, 'PLATFORM_AUTH_FAILED', 'API key page'],
    [40378, 'PLATFORM_REFUSED', 'deleted'],
    [40356, 'PLATFORM_REFUSED', 'conversation does not exist'],
    [40358, 'PLATFORM_REFUSED', 'another bot or user'],
    [20055, 'PLATFORM_REFUSED', 'switched off'],
    [20022, 'PLATFORM_REFUSED', 'credits'],
    [40379, 'PLATFORM_REFUSED', 'credits'],
    [40999, 'PLATFORM_REFUSED', 'error list'],
    [123456, 'PLATFORM_REFUSED', 'error list'],
  ])('%i is %s, with status 200 on every endpoint', async (platformCode, code, advice) => {
    const platform = await platformAnswering({ body: { code: platformCode, message: 'no' } });
    for (const name of NAMES) {
      expect(await failureOf(CALLS[name](clientOf(platform)))).toMatchObject({
        code,
        endpoint: name,
        status: 200,
        platformCode,
        outcome: 'not-applied',
        retryable: false,
        retryAfterMs: null,
        attempts: 1,
        message: expect.stringContaining(advice),
      });
    }
    expect(platform.requests).toHaveLength(NAMES.length);
  });

  test.each([[400], [401], [404], [418], [429], [500], [503]])(
    'a known code takes precedence over the status %i',
    async (status) => {
      const platform = await platformAnswering({ status, body: { code: 40356, message: 'no' } });
      expect(await failureOf(clientOf(platform).reply(REPLY))).toMatchObject({
        code: 'PLATFORM_REFUSED',
        status,
        platformCode: 40356,
        outcome: 'not-applied',
      });
      expect(platform.requests).toHaveLength(1);
    },
  );

  test('a code may be sent as digits', async () => {
    const platform = await platformAnswering({ body: { code: '40127', message: 'no' } });
    expect(await failureOf(clientOf(platform).reply(REPLY))).toMatchObject({
      code: 'PLATFORM_AUTH_FAILED',
      platformCode: 40127,
    });
  });

  test('a code can be an HTTP status, and means the same as that status', async () => {
    const meant = async (code: number) => {
      const platform = await platformAnswering({ body: { code, message: 'no' } });
      return failureOf(clientOf(platform, { retry: false }).reply(REPLY));
    };
    expect(await meant(401)).toMatchObject({ code: 'PLATFORM_AUTH_FAILED', status: 200, platformCode: 401 });
    expect(await meant(404)).toMatchObject({ code: 'PLATFORM_REFUSED', outcome: 'not-applied' });
    expect(await meant(429)).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(await meant(500)).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
    expect(await meant(503)).toMatchObject({ code: 'PLATFORM_FAILED', retryable: true });
    expect(await meant(-1)).toMatchObject({ code: 'PLATFORM_REFUSED', platformCode: -1 });
  });

  test('an unknown code with status 404 does not mean that the endpoint is missing', async () => {
    const platform = await platformAnswering({ status: 404, body: { code: 40999, message: 'no' } });
    const { message } = await failureOf(clientOf(platform).reply(REPLY));
    expect(message).toContain('error list');
    expect(message).not.toContain('"/v1"');
  });
});

describe("the platform's own message", () => {
  const said = async (message: unknown, call = CALLS.reply) => {
    const platform = await platformAnswering({ body: { code: 40000, message } });
    return (await failureOf(call(clientOf(platform)))).platformMessage;
  };

  test('is in the error of every endpoint', async () => {
    const message = 'knowledge_base_id: no such knowledge base';
    for (const name of NAMES) expect(await said(message, CALLS[name])).toBe(message);
  });

  test.each([[undefined], [null], [''], ['  '], [5], [{}]])('is null for %j', async (message) => {
    expect(await said(message)).toBeNull();
  });

  test.each(['', 'no', '<html>no</html>'])('is null for a body that is not JSON: "%s"', async (body) => {
    const platform = await platformAnswering({ status: 400, body });
    expect((await failureOf(clientOf(platform).reply(REPLY))).platformMessage).toBeNull();
  });

  test("is not part of the error's message", async () => {
    const platform = await platformAnswering({ body: { code: 40000, message: 'of the platform' } });
    expect((await failureOf(clientOf(platform).reply(REPLY))).message).not.toContain('of the platform');
  });

  test('hides the API key and quoted messages', async () => {
    expect(await said(`key ${API_KEY} may not say "Good morning" to c-1`)).toBe(
      'key *** may not say "***" to c-1',
    );
    const [{ question, answer }] = QA_TEXT.qaList;
    expect(await said(`"${question}" and "${answer}" in Opening hours`, CALLS.addQa)).toBe(
      '"***" and "***" in Opening hours',
    );
  });

  test('hides partially quoted messages', async () => {
    const platform = await platformAnswering({
      body: { code: 40000, message: 'too long: I live at 7 Elm Str...' },
    });
    const text = 'Hello, I live at 7 Elm Street, Springfield';
    const error = await failureOf(clientOf(platform).reply({ ...REPLY, text }));
    expect(error.platformMessage).toBe('too long:***...');
  });

  test('hides the values of other headers', async () => {
    const platform = await platformAnswering({ body: { code: 40000, message: 'x-token hush-hush is old' } });
    const client = clientOf(platform, { headers: { 'x-token': 'hush-hush' } });
    expect((await failureOf(client.reply(REPLY))).platformMessage).toBe('x-token *** is old');
  });

  test('stays readable after a reply of one letter', async () => {
    const platform = await platformAnswering({ body: { code: 40000, message: 'Parameter error' } });
    const error = await failureOf(clientOf(platform).reply({ ...REPLY, text: 'a' }));
    expect(error.platformMessage).toBe('Parameter error');
  });

  test('is cut after 500 characters', async () => {
    expect(await said('x'.repeat(5_000))).toBe(`${'x'.repeat(500)}…`);
  });
});

describe('statuses without a code', () => {
  test.each([
    [400, 'PLATFORM_REFUSED', 'HTTP 400'],
    [401, 'PLATFORM_AUTH_FAILED', 'API key'],
    [403, 'PLATFORM_AUTH_FAILED', 'API key'],
    [404, 'PLATFORM_REFUSED', '"/v1"'],
    [405, 'PLATFORM_REFUSED', '"/v1"'],
    [413, 'PLATFORM_REFUSED', 'too large'],
    [422, 'PLATFORM_REFUSED', 'HTTP 422'],
  ])('%i is %s', async (status, code, advice) => {
    for (const body of ['', '<html>no</html>', { error: 'no' }, { code: 'E1' }]) {
      const platform = await platformAnswering({ status, body });
      expect(await failureOf(clientOf(platform).reply(REPLY))).toMatchObject({
        code,
        status,
        platformCode: null,
        outcome: 'not-applied',
        retryable: false,
        message: expect.stringContaining(advice),
      });
      expect(platform.requests).toHaveLength(1);
    }
  });
});

describe('redirects', () => {
  test.each([[301], [302], [303], [307], [308]])('%i is not followed', async (status) => {
    const elsewhere = await platformAnswering();
    const platform = await platformAnswering({ status, headers: { location: `${elsewhere.baseUrl}/v1` } });
    expect(await failureOf(clientOf(platform).reply(REPLY))).toMatchObject({
      code: 'PLATFORM_REFUSED',
      status,
      outcome: 'not-applied',
      message: expect.stringContaining('Set the base URL to the final address'),
    });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('the health probe does not follow them either', async () => {
    const elsewhere = await platformAnswering({ body: 'service is normal' });
    const platform = await platformAnswering({ status: 302, headers: { location: elsewhere.baseUrl } });
    expect(await clientOf(platform).webhooks.health()).toMatchObject({ available: false, status: 302 });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('isFailure', () => {
  test('can accept an answer that is a failure by default', async () => {
    const body = { code: 20000, message: 'fine here' };
    const platform = await platformAnswering({ body });
    expect(await clientOf(platform, { isFailure: () => false }).reply(REPLY)).toEqual(body);
  });

  test('can reject an answer that is a success by default', async () => {
    const platform = await platformAnswering({ status: 202, body: { code: 7 } });
    const seen: unknown[] = [];
    const isFailure = (body: unknown, status: number) => seen.push([body, status]) > 0;
    expect(await failureOf(clientOf(platform, { isFailure }).reply(REPLY))).toMatchObject({
      code: 'PLATFORM_REFUSED',
      status: 202,
      platformCode: 7,
    });
    expect(seen).toEqual([[{ code: 7 }, 202]]);
  });

  test('can accept text that is not JSON', async () => {
    const platform = await platformAnswering({ body: 'OK' });
    expect(await clientOf(platform, { isFailure: (body) => body !== 'OK' }).reply(REPLY)).toBe('OK');
  });

  test('cannot accept a status other than 2xx', async () => {
    const platform = await platformAnswering({ status: 502, body: '' });
    const error = await failureOf(clientOf(platform, { isFailure: () => false }).reply(REPLY));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', status: 502 });
  });
});
