import { expect, test } from 'vitest';
import { botAt, NOWHERE, startReceiver, startSimulator } from './support.js';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  ['none', {}, undefined],
  ['a username alone: Bearer', { username: 'hook' }, 'Bearer hook'],
  ['a username and a secret: Basic', { username: 'hook', secret: 'pä:ss' }, basic('hook:pä:ss')],
  [
    'a username in another script: Bearer in UTF-8',
    { username: '客服' },
    Buffer.from('Bearer 客服').toString('latin1'),
  ],
])('the message webhook with %s', async (_name, credentials, expected) => {
  const receiver = await startReceiver();
  const message = { url: receiver.url, ...credentials };
  const { simulator } = await startSimulator({ bots: [botAt(NOWHERE, { message })] });
  await simulator.botMessage({ text: 'Hello' });
  expect(receiver.received[0]?.headers.authorization).toBe(expected);
  expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
});

test('handoff requests carry no credentials unless the component has some', async () => {
  const receiver = await startReceiver();
  const desk = { componentId: 'desk-1', url: receiver.url };
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)] });
  await simulator.requestHandoff();
  simulator.bots.update('bot-1', {
    humanServices: [{ ...desk, username: 'hook', secret: 'secret', headers: { 'X-Desk': 'seven' } }],
  });
  await simulator.requestHandoff();
  expect(receiver.received.map(({ headers }) => [headers.authorization, headers['x-desk']])).toEqual([
    [undefined, undefined],
    [basic('hook:secret'), 'seven'],
  ]);
});

test('the fault wrongCredentials sends wrong credentials of the same shape', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({
    bots: [
      botAt(receiver.url, {
        message: { url: receiver.url, username: 'hook', secret: 'secret' },
        humanServices: [{ componentId: 'desk-1', url: receiver.url, headers: { 'x-desk': 'seven' } }],
      }),
    ],
  });
  simulator.faults.set('wrongCredentials');
  await simulator.botMessage({ text: 'Hello' });
  await simulator.requestHandoff();
  expect(receiver.received.map(({ headers }) => [headers.authorization, headers['x-desk']])).toEqual([
    [basic('hook:wrong-secret'), undefined],
    ['Bearer wrong-username', 'wrong'],
  ]);
});

test('a username that is invalid in a header fails that delivery and is not shown', async () => {
  const receiver = await startReceiver();
  const message = { url: receiver.url, username: 'hook\r\nx-injected: yes' };
  const { simulator } = await startSimulator({ bots: [botAt(NOWHERE, { message })] });
  const delivery = await simulator.botMessage({ text: 'Hello' });
  expect(delivery).toMatchObject({ status: null, error: 'ERR_INVALID_CHAR' });
  expect(receiver.received).toEqual([]);
});
