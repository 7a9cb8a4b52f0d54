import { expect, test } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { botAt, NOWHERE, startReceiver, startSimulator } from './support.js';

test('each bot has its own key, webhooks and components', async () => {
  const one = await startReceiver();
  const two = await startReceiver();
  const { simulator } = await startSimulator({ bots: [botAt(one.url)] });
  simulator.bots.add({
    id: 'bot-2',
    apiKey: 'the-key-of-bot-2',
    humanServices: [
      { componentId: 'day', url: NOWHERE },
      { componentId: 'night', url: `${two.url}?a=b` },
    ],
  });
  await simulator.requestHandoff();
  await simulator.requestHandoff({ botId: 'bot-2', componentId: 'night' });
  expect(one.received.map(({ body }) => body.bot_id)).toEqual(['bot-1']);
  expect(two.received.map(({ path, body }) => [path, body.bot_id])).toEqual([
    ['/webhook/conversation/establish?a=b', 'bot-2'],
  ]);
});

test.each([
  ['no id', { id: '' }, 'id'],
  ['no key', { apiKey: '' }, 'apiKey'],
  ['a URL with another scheme', { message: { url: 'ftp://example.com' } }, 'message.url'],
  ['a secret without a username', { message: { url: NOWHERE, secret: 'x' } }, 'message.username'],
  ['a component without an id', { humanServices: [{ componentId: '', url: NOWHERE }] }, 'humanServices[0]'],
])('a bot with %s is refused', (_name, change, field) => {
  expect(() => createSimulator({ bots: [botAt(NOWHERE, change)] })).toThrow(field);
});

test('ids and API keys are unique', () => {
  const twice = { ...botAt(NOWHERE), apiKey: 'another' };
  expect(() => createSimulator({ bots: [botAt(NOWHERE), twice] })).toThrow('bots.update()');
  const sameKey = { ...botAt(NOWHERE), id: 'bot-2' };
  expect(() => createSimulator({ bots: [botAt(NOWHERE), sameKey] })).toThrow('apiKey');
});

test('a refused change has no effect', async () => {
  const { simulator } = await startSimulator({ bots: [botAt(NOWHERE)] });
  expect(() => simulator.bots.update('bot-1', { apiKey: '' })).toThrow('apiKey');
  expect(simulator.bots.get().apiKey).toBe('the-key-of-bot-1');
});

test('an unknown bot or component is an error that says how to add it', async () => {
  const { simulator } = await startSimulator();
  await expect(simulator.requestHandoff()).rejects.toMatchObject({ code: 'UNKNOWN_BOT' });
  simulator.bots.add({ id: 'a', apiKey: 'k' });
  await expect(simulator.requestHandoff({ botId: 'b' })).rejects.toThrow('known: a');
  await expect(simulator.requestHandoff()).rejects.toMatchObject({ code: 'UNKNOWN_COMPONENT' });
});
