import { describe, expect, test } from 'vitest';
import { API_KEY, CALLS, clientOf, failureOf, QA_TEXT, REPLY, serviceAnswering } from './support.js';

const NAMES = ['reply', 'close', 'addQa', 'updateQa', 'checkWebhooks'] as const;

describe("the platform's own codes", () => {
  test.each([
    [40000, 'SERVICE_REFUSED', 'parameter'],
    [40127, 'SERVICE_AUTH_FAILED', 'API key page'],
    [40378, 'SERVICE_REFUSED', 'deleted'],
    [40356, 'SERVICE_REFUSED', 'conversation does not exist'],
    [40358, 'SERVICE_REFUSED', 'another agent or user'],
    [20055, 'SERVICE_REFUSED', 'switched off'],
    [20022, 'SERVICE_REFUSED', 'credits'],
    [40379, 'SERVICE_REFUSED', 'credits'],
    [40999, 'SERVICE_REFUSED', 'error list'],
    [123456, 'SERVICE_REFUSED', 'error list'],
  ])('%i is %s, with status 200 on every endpoint', async (serviceCode, code, advice) => {
    const service = await serviceAnswering({ body: { code: serviceCode, message: 'no' } });
    for (const name of NAMES) {
      expect(await failureOf(CALLS[name](clientOf(service)))).toMatchObject({
        code,
        endpoint: name,
        status: 200,
        serviceCode,
        outcome: 'not-applied',
        retryable: false,
        retryAfterMs: null,
        attempts: 1,
        message: expect.stringContaining(advice),
      });
    }
    expect(service.requests).toHaveLength(NAMES.length);
  });

  test.each([[400], [401], [404], [418], [429], [500], [503]])(
    'a known code takes precedence over the status %i',
    async (status) => {
      const service = await serviceAnswering({ status, body: { code: 40356, message: 'no' } });
      expect(await failureOf(clientOf(service).reply(REPLY))).toMatchObject({
        code: 'SERVICE_REFUSED',
        status,
        serviceCode: 40356,
        outcome: 'not-applied',
      });
      expect(service.requests).toHaveLength(1);
    },
  );

  test('a code may be sent as digits', async () => {
    const service = await serviceAnswering({ body: { code: '40127', message: 'no' } });
    expect(await failureOf(clientOf(service).reply(REPLY))).toMatchObject({
      code: 'SERVICE_AUTH_FAILED',
      serviceCode: 40127,
    });
  });

  test('a code can be an HTTP status, and means the same as that status', async () => {
    const meant = async (code: number) => {
      const service = await serviceAnswering({ body: { code, message: 'no' } });
      return failureOf(clientOf(service, { retry: false }).reply(REPLY));
    };
    expect(await meant(401)).toMatchObject({ code: 'SERVICE_AUTH_FAILED', status: 200, serviceCode: 401 });
    expect(await meant(404)).toMatchObject({ code: 'SERVICE_REFUSED', outcome: 'not-applied' });
    expect(await meant(429)).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(await meant(500)).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
    expect(await meant(503)).toMatchObject({ code: 'SERVICE_FAILED', retryable: true });
    expect(await meant(-1)).toMatchObject({ code: 'SERVICE_REFUSED', serviceCode: -1 });
  });

  test('an unknown code with status 404 does not mean that the endpoint is missing', async () => {
    const service = await serviceAnswering({ status: 404, body: { code: 40999, message: 'no' } });
    const { message } = await failureOf(clientOf(service).reply(REPLY));
    expect(message).toContain('error list');
    expect(message).not.toContain('"/v1"');
  });
});

describe("the platform's own message", () => {
  const said = async (message: unknown, call = CALLS.reply) => {
    const service = await serviceAnswering({ body: { code: 40000, message } });
    return (await failureOf(call(clientOf(service)))).serviceMessage;
  };

  test('is in the error of every endpoint', async () => {
    const message = 'knowledge_base_id: no such knowledge base';
    for (const name of NAMES) expect(await said(message, CALLS[name])).toBe(message);
  });

  test.each([[undefined], [null], [''], ['  '], [5], [{}]])('is null for %j', async (message) => {
    expect(await said(message)).toBeNull();
  });

  test.each(['', 'no', '<html>no</html>'])('is null for a body that is not JSON: "%s"', async (body) => {
    const service = await serviceAnswering({ status: 400, body });
    expect((await failureOf(clientOf(service).reply(REPLY))).serviceMessage).toBeNull();
  });

  test('is not part of the message of the error', async () => {
    const service = await serviceAnswering({ body: { code: 40000, message: 'of the platform' } });
    expect((await failureOf(clientOf(service).reply(REPLY))).message).not.toContain('of the platform');
  });

  test('hides the API key and the words that it quotes', async () => {
    expect(await said(`key ${API_KEY} may not say "Good morning" to c-1`)).toBe(
      'key *** may not say "***" to c-1',
    );
    const [{ question, answer }] = QA_TEXT.qaList;
    expect(await said(`"${question}" and "${answer}" in Opening hours`, CALLS.addQa)).toBe(
      '"***" and "***" in Opening hours',
    );
  });

  test('hides words that are quoted in part', async () => {
    const service = await serviceAnswering({
      body: { code: 40000, message: 'too long: I live at 7 Elm Str...' },
    });
    const text = 'Hello, I live at 7 Elm Street, Springfield';
    const error = await failureOf(clientOf(service).reply({ ...REPLY, text }));
    expect(error.serviceMessage).toBe('too long:***...');
  });

  test('hides the values of other headers', async () => {
    const service = await serviceAnswering({ body: { code: 40000, message: 'x-token hush-hush is old' } });
    const client = clientOf(service, { headers: { 'x-token': 'hush-hush' } });
    expect((await failureOf(client.reply(REPLY))).serviceMessage).toBe('x-token *** is old');
  });

  test('stays readable after a reply of one letter', async () => {
    const service = await serviceAnswering({ body: { code: 40000, message: 'Parameter error' } });
    const error = await failureOf(clientOf(service).reply({ ...REPLY, text: 'a' }));
    expect(error.serviceMessage).toBe('Parameter error');
  });

  test('is cut after 500 characters', async () => {
    expect(await said('x'.repeat(5_000))).toBe(`${'x'.repeat(500)}…`);
  });
});

describe('statuses without a code', () => {
  test.each([
    [400, 'SERVICE_REFUSED', 'HTTP 400'],
    [401, 'SERVICE_AUTH_FAILED', 'apiKey'],
    [403, 'SERVICE_AUTH_FAILED', 'apiKey'],
    [404, 'SERVICE_REFUSED', '"/v1"'],
    [405, 'SERVICE_REFUSED', '"/v1"'],
    [413, 'SERVICE_REFUSED', 'too large'],
    [422, 'SERVICE_REFUSED', 'HTTP 422'],
  ])('%i is %s', async (status, code, advice) => {
    for (const body of ['', '<html>no</html>', { error: 'no' }, { code: 'E1' }]) {
      const service = await serviceAnswering({ status, body });
      expect(await failureOf(clientOf(service).reply(REPLY))).toMatchObject({
        code,
        status,
        serviceCode: null,
        outcome: 'not-applied',
        retryable: false,
        message: expect.stringContaining(advice),
      });
      expect(service.requests).toHaveLength(1);
    }
  });
});

describe('redirects', () => {
  test.each([[301], [302], [303], [307], [308]])('%i is not followed', async (status) => {
    const elsewhere = await serviceAnswering();
    const service = await serviceAnswering({ status, headers: { location: `${elsewhere.baseUrl}/v1` } });
    expect(await failureOf(clientOf(service).reply(REPLY))).toMatchObject({
      code: 'SERVICE_REFUSED',
      status,
      outcome: 'not-applied',
      message: expect.stringContaining('Set baseUrl to the final address'),
    });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('the health probe does not follow them either', async () => {
    const elsewhere = await serviceAnswering({ body: 'service is normal' });
    const service = await serviceAnswering({ status: 302, headers: { location: elsewhere.baseUrl } });
    expect(await clientOf(service).webhooks.health()).toMatchObject({ available: false, status: 302 });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('isFailure', () => {
  test('can accept an answer that is a failure by default', async () => {
    const body = { code: 20000, message: 'fine here' };
    const service = await serviceAnswering({ body });
    expect(await clientOf(service, { isFailure: () => false }).reply(REPLY)).toEqual(body);
  });

  test('can reject an answer that is a success by default', async () => {
    const service = await serviceAnswering({ status: 202, body: { code: 7 } });
    const seen: unknown[] = [];
    const isFailure = (body: unknown, status: number) => seen.push([body, status]) > 0;
    expect(await failureOf(clientOf(service, { isFailure }).reply(REPLY))).toMatchObject({
      code: 'SERVICE_REFUSED',
      status: 202,
      serviceCode: 7,
    });
    expect(seen).toEqual([[{ code: 7 }, 202]]);
  });

  test('can accept text that is not JSON, where that is the answer of a deployment', async () => {
    const service = await serviceAnswering({ body: 'OK' });
    expect(await clientOf(service, { isFailure: (body) => body !== 'OK' }).reply(REPLY)).toBe('OK');
  });

  test('cannot accept a status other than 2xx', async () => {
    const service = await serviceAnswering({ status: 502, body: '' });
    const error = await failureOf(clientOf(service, { isFailure: () => false }).reply(REPLY));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', status: 502 });
  });
});
