import { describe, expect, test } from 'vitest';
import { createServiceClient } from '../../src/client/index.js';
import { HandoffKitError } from '../../src/internal/index.js';
import { API_KEY, clientOf, REPLY, serviceAnswering } from './support.js';

const GOOD = { baseUrl: 'https://api.example.com', apiKey: API_KEY };

const refusal = (options: object): HandoffKitError => {
  try {
    createServiceClient({ ...GOOD, ...options });
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
  ])('%s is refused with advice', (baseUrl, advice) => {
    expect(refusal({ baseUrl })).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(advice),
    });
  });

  test('credentials in it are refused and not shown', () => {
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
  ])('%j is refused, and not shown', (apiKey, problem) => {
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

  test('a timeout of one call is checked before anything is sent', async () => {
    const service = await serviceAnswering();
    await expect(clientOf(service).reply(REPLY, { timeoutMs: -1 })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    expect(service.requests).toHaveLength(0);
  });
});

test('the client uses the global fetch unless it is given another', async () => {
  const urls: string[] = [];
  const client = createServiceClient({
    ...GOOD,
    fetch: async (url) => {
      urls.push(url);
      return new Response('{"code":200}');
    },
  });
  expect(await client.reply(REPLY)).toEqual({ code: 200 });
  expect(urls).toEqual(['https://api.example.com/v1/human/message/receive']);
});
