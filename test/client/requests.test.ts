import { describe, expect, test } from 'vitest';
import {
  API_KEY,
  CALLS,
  CLOSE,
  clientOf,
  NOW,
  platformAnswering,
  QA_TEXT,
  QA_UPDATE,
  REPLY,
  SUCCESS,
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
    const platform = await platformAnswering(SUCCESS);
    await CALLS[name](clientOf(platform));
    expect(platform.requests).toHaveLength(1);
    expect(platform.requests[0]).toMatchObject({
      method,
      url,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    });
    expect(JSON.parse(platform.requests[0]?.body ?? '')).toEqual(body);
  });

  test('has no body for a webhook check', async () => {
    const platform = await platformAnswering({ body: { results: [] } });
    await clientOf(platform).webhooks.check();
    expect(platform.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/webhook/check',
      body: '',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    });
  });

  test('has no API key for a health probe', async () => {
    const platform = await platformAnswering({ body: 'service is normal' });
    await clientOf(platform, { headers: { 'x-tenant': 'acme' } }).webhooks.health();
    expect(platform.requests[0]).toMatchObject({
      method: 'GET',
      url: '/v1/webhook/service/health',
      body: '',
    });
    expect(platform.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(platform.requests[0]?.headers).not.toHaveProperty('x-tenant');
  });

  test("contains the caller's timestamp unchanged", async () => {
    const platform = await platformAnswering();
    await clientOf(platform).reply({ ...REPLY, timestamp: 17 });
    await clientOf(platform).end({ ...CLOSE, timestamp: 18 });
    expect(platform.requests.map(({ body }) => JSON.parse(body).timestamp)).toEqual([17, 18]);
  });

  test('contains the current time by default', async () => {
    const platform = await platformAnswering();
    const before = Date.now();
    await clientOf(platform, { clock: {} }).reply(REPLY);
    const { timestamp } = JSON.parse(platform.requests[0]?.body ?? '');
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
    const platform = await platformAnswering();
    await clientOf({ baseUrl: `${platform.baseUrl}${suffix}` }).end(CLOSE);
    expect(platform.requests[0]?.url).toBe(path);
  });
});
