import { describe, expect, test } from 'vitest';
import { API_KEY, CALLS, clientOf, REPLY, serviceAnswering } from './support.js';

const sentBy = async (options: Parameters<typeof clientOf>[1]) => {
  const service = await serviceAnswering();
  await clientOf(service, options).reply(REPLY);
  return service.requests[0]?.headers ?? {};
};

describe('the headers option', () => {
  test('adds to the default headers', async () => {
    const headers = await sentBy({ headers: { 'X-Tenant': 'acme' } });
    expect(headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, 'x-tenant': 'acme' });
  });

  test('replaces the default authorization, however it is spelt', async () => {
    expect(await sentBy({ headers: { Authorization: 'Token t-1' } })).toMatchObject({
      authorization: 'Token t-1',
    });
  });

  test('leaves a header out when its value is null', async () => {
    expect(await sentBy({ headers: { authorization: null } })).not.toHaveProperty('authorization');
  });

  test('may be a function of the endpoint, also an asynchronous one', async () => {
    const service = await serviceAnswering({ body: { results: [] } });
    const client = clientOf(service, { headers: async (endpoint) => ({ 'x-endpoint': endpoint }) });
    for (const name of ['reply', 'close', 'checkWebhooks'] as const) await CALLS[name](client);
    expect(service.requests.map(({ headers }) => headers['x-endpoint'])).toEqual([
      'reply',
      'close',
      'checkWebhooks',
    ]);
  });

  test('is asked again for every attempt', async () => {
    const service = await serviceAnswering({ status: 429 }, { status: 200 });
    let token = 0;
    await clientOf(service, { headers: () => ({ 'x-token': `t-${++token}` }) }).reply(REPLY);
    expect(service.requests.map(({ headers }) => headers['x-token'])).toEqual(['t-1', 't-2']);
  });

  test('an error in the function comes out as it is, and nothing is sent', async () => {
    const service = await serviceAnswering();
    const failure = new Error('no token to be had');
    const client = clientOf(service, { headers: () => Promise.reject(failure) });
    await expect(client.reply(REPLY)).rejects.toBe(failure);
    expect(service.requests).toHaveLength(0);
  });

  test('a value that no header can carry is named without being shown', async () => {
    const service = await serviceAnswering();
    const client = clientOf(service, { headers: () => ({ 'x-token': 'hush\nhush' }) });
    const error: unknown = await client.reply(REPLY).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('"x-token"') });
    expect(String(error)).not.toContain('hush');
    expect(() => clientOf(service, { headers: { 'x-token': 'hush\nhush' } })).toThrow(/"x-token"/);
    expect(service.requests).toHaveLength(0);
  });
});
