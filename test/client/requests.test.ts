import { describe, expect, test } from 'vitest';
import {
  API_KEY,
  CALLS,
  CLOSE,
  clientOf,
  NOW,
  QA_TEXT,
  QA_UPDATE,
  REPLY,
  SUCCESS,
  serviceAnswering,
} from './support.js';

describe('the request to each endpoint', () => {
  test.each([
    [
      'reply',
      'POST',
      '/v1/human/message/receive',
      { conversation_id: 'c-1', timestamp: NOW, body: 'Good morning' },
    ],
    ['close', 'POST', '/v1/human/close', { conversation_id: 'c-1', timestamp: NOW }],
    ['addQa', 'POST', '/v1/bot/doc/qa/add', QA_TEXT],
    ['updateQa', 'PUT', '/v1/bot/doc/qa/update', QA_UPDATE],
  ] as const)('%s is %s %s', async (name, method, url, body) => {
    const service = await serviceAnswering(SUCCESS);
    await CALLS[name](clientOf(service));
    expect(service.requests).toHaveLength(1);
    expect(service.requests[0]).toMatchObject({
      method,
      url,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    });
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(body);
  });

  test('has no body for a webhook check', async () => {
    const service = await serviceAnswering({ body: { results: [] } });
    await clientOf(service).webhooks.check();
    expect(service.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/webhook/check',
      body: '',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    });
  });

  test('has no API key for a health probe', async () => {
    const service = await serviceAnswering({ body: 'service is normal' });
    await clientOf(service, { headers: { 'x-tenant': 'acme' } }).webhooks.health();
    expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/v1/webhook/service/health', body: '' });
    expect(service.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(service.requests[0]?.headers).not.toHaveProperty('x-tenant');
  });

  test('contains the timestamp of the caller unchanged', async () => {
    const service = await serviceAnswering();
    await clientOf(service).reply({ ...REPLY, timestamp: 17 });
    await clientOf(service).end({ ...CLOSE, timestamp: 18 });
    expect(service.requests.map(({ body }) => JSON.parse(body).timestamp)).toEqual([17, 18]);
  });

  test('contains the current time by default', async () => {
    const service = await serviceAnswering();
    const before = Date.now();
    await clientOf(service, { clock: {} }).reply(REPLY);
    const { timestamp } = JSON.parse(service.requests[0]?.body ?? '');
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now());
  });
});

describe('the address', () => {
  test.each([
    ['', '/v1/human/close'],
    ['/', '/v1/human/close'],
    ['/gateway/bots', '/gateway/bots/v1/human/close'],
    ['/gateway/bots//', '/gateway/bots/v1/human/close'],
  ])('for a base URL that ends in "%s" is %s', async (suffix, path) => {
    const service = await serviceAnswering();
    await clientOf({ baseUrl: `${service.baseUrl}${suffix}` }).end(CLOSE);
    expect(service.requests[0]?.url).toBe(path);
  });
});
