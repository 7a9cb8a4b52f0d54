import { describe, expect, test } from 'vitest';
import { CALLS, clientOf, failureOf, REPLY, serviceAnswering } from './support.js';

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

  test('the message of the platform is not repeated, because it may quote the request', async () => {
    const service = await serviceAnswering({ body: { code: 40000, message: 'bad: Good morning' } });
    expect((await failureOf(clientOf(service).reply(REPLY))).message).not.toContain('Good morning');
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

  test('cannot accept a status other than 2xx', async () => {
    const service = await serviceAnswering({ status: 502, body: '' });
    const error = await failureOf(clientOf(service, { isFailure: () => false }).reply(REPLY));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', status: 502 });
  });
});
