import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, startSimulator } from './support.js';

const ENDPOINTS = [
  ['POST', '/v1/bot/doc/qa/add'],
  ['PUT', '/v1/bot/doc/qa/update'],
  ['POST', '/v1/webhook/check'],
  ['POST', '/v1/human/message/receive'],
  ['POST', '/v1/human/close'],
] as const;

describe.each(ENDPOINTS)('%s %s', (method, path) => {
  test.each([
    ['no key', {}],
    ['an unknown key', { authorization: 'Bearer nobody' }],
    ['the key in another scheme', { authorization: 'Basic the-key-of-bot-1' }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('refuses %s with 40127', async (_name, headers) => {
    const { call } = await startSimulator({ bots: [botAt(NOWHERE)] });
    const { status, body } = await call(method, path, {}, headers);
    expect(status).toBe(401);
    expect(body).toEqual({ code: 40127, message: 'Developer authentication failed' });
  });

  test('refuses a deleted bot with 40378', async () => {
    const { simulator, call } = await startSimulator({ bots: [botAt(NOWHERE)] });
    simulator.bots.delete('bot-1');
    const { status, body } = await call(method, path, {});
    expect(status).toBe(403);
    expect(body).toEqual({ code: 40378, message: 'Agent deleted' });
  });

  test('accepts a new key at once and refuses the old one', async () => {
    const { simulator, call } = await startSimulator({ bots: [botAt(NOWHERE)] });
    simulator.bots.update('bot-1', { apiKey: 'rotated-key' });
    expect((await call(method, path, {})).body.code).toBe(40127);
    expect((await call(method, path, {}, { authorization: 'Bearer rotated-key' })).body.code).not.toBe(40127);
  });
});

test('the HTTP status of a failure is configurable', async () => {
  const { call } = await startSimulator({ failureStatus: () => 200 });
  const { status, body } = await call('POST', '/v1/human/close', {});
  expect(status).toBe(200);
  expect(body.code).toBe(40127);
});
