import { describe, expect, test } from 'vitest';
import { createPlatformClient } from '../../src/client/index.js';
import { HandoffKitError } from '../../src/internal/index.js';
import { API_KEY, CALLS, CLOSE, clientOf, platformAnswering, QA_UPDATE, REPLY } from './support.js';

const GOOD = { baseUrl: 'https://api.example.com', apiKey: API_KEY };

const refusal = (options: object): HandoffKitError => {
  try {
    createPlatformClient({ ...GOOD, ...options });
  } catch (error) {
    if (error instanceof HandoffKitError) return error;
    throw error;
  }
  throw new Error('the options were accepted');
};

describe('the base URL', () => {
  test.each([
    [undefined, 'There is no default'],
    ['', 'There is no default'],
    ['  ', 'There is no default'],
    ['api.example.com', 'full http or https address'],
    ['ftp://api.example.com', 'full http or https address'],
    ['https://api.example.com?region=sg', 'query'],
    ['https://api.example.com#top', 'fragment'],
    ['http://127.0.0.1:6000', 'the port 6000, which fetch blocks'],
  ])('%s is refused with advice', (baseUrl, advice) => {
    expect(refusal({ baseUrl })).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(advice),
    });
  });

  test('may have any port for a fetch of your own', () => {
    expect(() =>
      createPlatformClient({ ...GOOD, baseUrl: 'http://127.0.0.1:6000', fetch: globalThis.fetch }),
    ).not.toThrow();
  });

  test('must not contain credentials, and the error does not show them', () => {
    const error = refusal({ baseUrl: 'https://anna:hush@api.example.com' });
    expect(error.message).toContain('user name or a password');
    expect(error.message).not.toMatch(/anna|hush/);
  });
});

describe('the API key', () => {
  test.each([
    [undefined, 'missing'],
    ['', 'missing'],
    [`${API_KEY}\n`, 'line break'],
    [`\r\n${API_KEY}`, 'line break'],
    [`Bearer ${API_KEY}`, '"Bearer"'],
    [` ${API_KEY}`, 'space'],
    [`${API_KEY}\t`, 'tab'],
    [`${API_KEY}é`, 'character'],
  ])('%j is refused without being shown', (apiKey, problem) => {
    const error = refusal({ apiKey });
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(problem) });
    expect(error.message).not.toContain(API_KEY);
  });
});

describe('numbers', () => {
  test.each([
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: 1.5 }],
    ['timeoutMs', { timeoutMs: 2 ** 31 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['retry.retries', { retry: { retries: -1 } }],
    ['retry.minDelayMs', { retry: { minDelayMs: 0 } }],
    ['retry.maxDelayMs', { retry: { maxDelayMs: Number.POSITIVE_INFINITY } }],
    ['retry.maxElapsedMs', { retry: { maxElapsedMs: -5 } }],
  ])('%s is named when it is out of range: %j', (name, options) => {
    expect(refusal(options)).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(name),
    });
  });

  test('the timeout of a call is checked before anything is sent', async () => {
    const platform = await platformAnswering();
    await expect(clientOf(platform).reply(REPLY, { timeoutMs: -1 })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    expect(platform.requests).toHaveLength(0);
  });
});

test('a misspelt option of a call is refused before anything is sent', async () => {
  const platform = await platformAnswering();
  const misspelt: object = { timeoutMS: 5 };
  const client = clientOf(platform);
  for (const call of [
    client.reply(REPLY, misspelt),
    client.end(CLOSE, misspelt),
    client.knowledge.updateQa({ ...QA_UPDATE, qaList: [...QA_UPDATE.qaList] }, misspelt),
    client.webhooks.check(misspelt),
    client.webhooks.health(misspelt),
  ]) {
    await expect(call).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('does not know the option timeoutMS. Did you mean timeoutMs?'),
    });
  }
  expect(() => client.webhooks.watch({ onChange: () => {}, ...misspelt })).toThrow('Did you mean timeoutMs?');
  expect(platform.requests).toHaveLength(0);
});

test('the client uses the fetch option', async () => {
  const urls: string[] = [];
  const client = createPlatformClient({
    ...GOOD,
    fetch: async (url) => {
      urls.push(url);
      return new Response('{"code":200}');
    },
  });
  expect(await client.reply(REPLY)).toEqual({ code: 200 });
  expect(urls).toEqual(['https://api.example.com/v1/human/message/receive']);
});

const sentBy = async (options: Parameters<typeof clientOf>[1]) => {
  const platform = await platformAnswering();
  await clientOf(platform, options).reply(REPLY);
  return platform.requests[0]?.headers ?? {};
};

describe('the headers option', () => {
  test('adds to the default headers', async () => {
    const headers = await sentBy({ headers: { 'X-Tenant': 'acme' } });
    expect(headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, 'x-tenant': 'acme' });
  });

  test('replaces the default authorization in any letter case', async () => {
    expect(await sentBy({ headers: { Authorization: 'Token t-1' } })).toMatchObject({
      authorization: 'Token t-1',
    });
  });

  test('omits a header whose value is null', async () => {
    expect(await sentBy({ headers: { authorization: null } })).not.toHaveProperty('authorization');
  });

  test('may be an asynchronous function of the endpoint', async () => {
    const platform = await platformAnswering({ body: { results: [] } });
    const client = clientOf(platform, { headers: async (endpoint) => ({ 'x-endpoint': endpoint }) });
    for (const name of ['reply', 'close', 'checkWebhooks'] as const) await CALLS[name](client);
    expect(platform.requests.map(({ headers }) => headers['x-endpoint'])).toEqual([
      'reply',
      'close',
      'checkWebhooks',
    ]);
  });

  test('is called for every attempt', async () => {
    const platform = await platformAnswering({ status: 429 }, { status: 200 });
    let token = 0;
    await clientOf(platform, { headers: () => ({ 'x-token': `t-${++token}` }) }).reply(REPLY);
    expect(platform.requests.map(({ headers }) => headers['x-token'])).toEqual(['t-1', 't-2']);
  });

  test("rejects the call with its function's error and sends nothing", async () => {
    const platform = await platformAnswering();
    const failure = new Error('no token to be had');
    const client = clientOf(platform, { headers: () => Promise.reject(failure) });
    await expect(client.reply(REPLY)).rejects.toBe(failure);
    expect(platform.requests).toHaveLength(0);
  });

  test("reports an invalid value by its header's name without showing it", async () => {
    const platform = await platformAnswering();
    const client = clientOf(platform, { headers: () => ({ 'x-token': 'hush\nhush' }) });
    const error: unknown = await client.reply(REPLY).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('"x-token"') });
    expect(String(error)).not.toContain('hush');
    expect(() => clientOf(platform, { headers: { 'x-token': 'hush\nhush' } })).toThrow(/"x-token"/);
    expect(platform.requests).toHaveLength(0);
  });
});
