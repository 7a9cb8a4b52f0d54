import { expect, test } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { agentAt, NOWHERE, startReceiver, startSimulator } from './support.js';

test('each agent has its own key, webhooks and components', async () => {
  const one = await startReceiver();
  const two = await startReceiver();
  const { simulator } = await startSimulator({ agents: [agentAt(one.url)] });
  simulator.agents.add({
    id: 'agent-2',
    apiKey: 'the-key-of-agent-2',
    humanServices: [
      { componentId: 'day', url: NOWHERE },
      { componentId: 'night', url: `${two.url}?a=b` },
    ],
  });
  await simulator.requestHandoff();
  await simulator.requestHandoff({ agentId: 'agent-2', componentId: 'night' });
  expect(one.received.map(({ body }) => body.bot_id)).toEqual(['agent-1']);
  expect(two.received.map(({ path, body }) => [path, body.bot_id])).toEqual([
    ['/webhook/conversation/establish?a=b', 'agent-2'],
  ]);
});

test.each([
  ['no id', { id: '' }, 'id'],
  ['no key', { apiKey: '' }, 'apiKey'],
  ['a URL of another kind', { message: { url: 'ftp://example.com' } }, 'message.url'],
  ['a secret without a username', { message: { url: NOWHERE, secret: 'x' } }, 'message.username'],
  ['a component without an id', { humanServices: [{ componentId: '', url: NOWHERE }] }, 'humanServices[0]'],
])('an agent with %s is refused', (_name, change, field) => {
  expect(() => createSimulator({ agents: [agentAt(NOWHERE, change)] })).toThrow(field);
});

test('ids and API keys are unique', () => {
  const twice = { ...agentAt(NOWHERE), apiKey: 'another' };
  expect(() => createSimulator({ agents: [agentAt(NOWHERE), twice] })).toThrow('agents.update()');
  const sameKey = { ...agentAt(NOWHERE), id: 'agent-2' };
  expect(() => createSimulator({ agents: [agentAt(NOWHERE), sameKey] })).toThrow('apiKey');
});

test('a refused change has no effect', async () => {
  const { simulator } = await startSimulator({ agents: [agentAt(NOWHERE)] });
  expect(() => simulator.agents.update('agent-1', { apiKey: '' })).toThrow('apiKey');
  expect(simulator.agents.get().apiKey).toBe('the-key-of-agent-1');
});

test('an unknown agent or component is an error that lists the known ones', async () => {
  const { simulator } = await startSimulator();
  await expect(simulator.requestHandoff()).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  simulator.agents.add({ id: 'a', apiKey: 'k' });
  await expect(simulator.requestHandoff({ agentId: 'b' })).rejects.toThrow('known: a');
  await expect(simulator.requestHandoff()).rejects.toMatchObject({ code: 'UNKNOWN_COMPONENT' });
});
