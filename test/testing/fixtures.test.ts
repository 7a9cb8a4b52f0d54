import { describe, expect, it } from 'vitest';
import { isProbe, validateWebhook } from '../../src/protocol/index.js';
import { fixtures } from '../../src/testing/index.js';
import { start } from '../helpers/start.js';

const PATHS = {
  message: '/',
  establish: '/conversation/establish',
  chat: '/chat',
  close: '/conversation/close',
} as const;
const ENDPOINTS = ['message', 'establish', 'chat', 'close'] as const;

describe('fixtures', () => {
  it.each(ENDPOINTS)('%s is a body that a receiver accepts', async (endpoint) => {
    const body = fixtures[endpoint]();
    expect(validateWebhook(endpoint, body)).toMatchObject(body);
    const { url, seen } = await start();
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(url + PATHS[endpoint], {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(status).toBe(200);
    expect(seen).toMatchObject([{ conversationId: body.conversation_id }]);
  });

  it('probe is an availability test', () => {
    expect(isProbe(fixtures.probe())).toBe(true);
    expect(validateWebhook('message', fixtures.probe())).toMatchObject({ istest: true });
  });

  it.each([...ENDPOINTS, 'probe'] as const)('%s has new ids in each call', (name) => {
    expect(fixtures[name]().conversation_id).not.toBe(fixtures[name]().conversation_id);
  });

  it('accept replacements and extra fields', () => {
    expect(fixtures.chat({ conversation_id: 'c-1', body: 'Hi', extra: [1] })).toEqual({
      conversation_id: 'c-1',
      timestamp: Date.UTC(2025, 0, 1),
      body: 'Hi',
      extra: [1],
    });
  });
});
