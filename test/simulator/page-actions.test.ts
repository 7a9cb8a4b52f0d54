import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, replyTo, startReceiver, startSimulator } from './support.js';

async function start(more: Parameters<typeof botAt>[1] = {}) {
  const receiver = await startReceiver();
  const started = await startSimulator({ bots: [botAt(receiver.url, { name: 'Shop', ...more })] });
  const act = (action: string, body: unknown = {}) => started.call('POST', `/simulator/${action}`, body, {});
  const state = async () => (await started.call('GET', '/simulator/state', undefined, {})).body;
  return { ...started, receiver, act, state };
}

test('before a handoff the bot answers, and its message webhook gets the answer', async () => {
  const receiver = await startReceiver();
  const { act, state } = await start({ message: { url: `${receiver.origin}/message` } });
  expect((await act('say', { text: ' Hello ' })).body).toEqual({ ok: true });
  expect(await state()).toMatchObject({
    view: { status: 'bot', endedBy: null, conversationId: null },
    lines: [
      { from: 'user', text: 'Hello' },
      { from: 'bot', text: expect.stringContaining('Shop') },
    ],
  });
  expect(receiver.paths()).toEqual(['/message']);
});

test('the bot answers from its QA documents', async () => {
  const { call, act, state } = await start();
  const qaList = [{ question: 'Open when?', answer: 'From nine to five.' }];
  await call('POST', '/v1/bot/doc/qa/add', { purpose: 'QA_TEXT', name: 'Hours', qaList });
  await act('say', { text: 'open WHEN?' });
  expect(await state()).toMatchObject({ lines: [{}, { from: 'bot', text: 'From nine to five.' }] });
});

test('a handoff from the page: transcript, replies, messages, close', async () => {
  const { simulator, receiver, call, act, state } = await start();
  await act('say', { text: 'Hello' });
  await act('handoff');
  const [conversation] = simulator.conversations();
  expect(receiver.received[0]?.body.body).toEqual([
    { text: 'Hello', message_type: 'QUESTION' },
    { text: expect.any(String), message_type: 'ANSWER' },
  ]);
  expect(await state()).toMatchObject({ view: { status: 'connecting', conversationId: conversation?.id } });

  await replyTo(call, conversation?.id ?? '', '<b>Hi</b>');
  await act('say', { text: 'Thanks' });
  await act('handoff');
  await act('close');
  await act('close');
  expect(receiver.paths()).toEqual([
    '/webhook/conversation/establish',
    '/webhook/chat',
    '/webhook/conversation/close',
  ]);
  expect(await state()).toMatchObject({
    view: { status: 'closed', endedBy: 'user' },
    lines: [{}, {}, { from: 'agent', text: '<b>Hi</b>' }, { from: 'user', text: 'Thanks' }],
  });

  await act('say', { text: 'Are you there?' });
  expect(receiver.received).toHaveLength(3);
});

test('deliveries that the receiver refused are noted in the chat window', async () => {
  const { act, state } = await start({ humanServices: [{ componentId: 'off', url: NOWHERE }] });
  await act('handoff');
  expect(await state()).toMatchObject({
    view: { status: 'busy' },
    lines: [
      { from: 'note', text: 'Your request was not accepted: connection refused: nothing listens there.' },
    ],
  });
});

test('a new user starts with an empty window and closes the last handoff', async () => {
  const { simulator, receiver, act, state } = await start();
  await act('handoff');
  const before = simulator.customer.view().customerId;
  await act('restart');
  expect(await state()).toMatchObject({ view: { status: 'bot' }, lines: [] });
  expect(simulator.customer.view().customerId).not.toBe(before);
  expect(receiver.paths().at(-1)).toBe('/webhook/conversation/close');
});

test('faults are switched from the page', async () => {
  const { simulator, act, state } = await start();
  await act('faults', { kind: 'delay', on: true, settings: { delayMs: 5, times: 2 } });
  expect(simulator.faults.active().delay).toMatchObject({ delayMs: 5, times: 2 });
  const { faults } = await state();
  expect(faults).toContainEqual(expect.objectContaining({ kind: 'delay', on: true }));
  await act('faults', { kind: 'delay', on: false });
  expect(simulator.faults.active()).toEqual({});
});

test('the list of components has their names and no secrets', async () => {
  const { state } = await start({
    humanServices: [{ componentId: 'desk-1', componentName: 'Desk', url: NOWHERE, username: 'hook-user' }],
  });
  const shown = await state();
  expect(shown.components).toEqual([{ botId: 'bot-1', componentId: 'desk-1', label: 'Desk of Shop' }]);
  expect(JSON.stringify(shown)).not.toMatch(/the-key-of-bot-1|hook-user/);
});

describe('an invalid action is refused with a reason', () => {
  test.each([
    ['say', {}, 'text'],
    ['say', { text: '   ' }, 'text'],
    ['say', { text: 'x'.repeat(10_001) }, 'text'],
    ['say', '{"text":', 'expected JSON'],
    ['handoff', { botId: 'nobody' }, 'there is no bot nobody'],
    ['handoff', { componentId: 'nothing' }, 'no human-service component nothing'],
    ['faults', { kind: 'constructor', on: true }, 'kind'],
    ['faults', { kind: 'mirror', on: true }, 'url'],
    ['close', { extra: 1 }, 'extra'],
  ])('%s %j', async (action, body, message) => {
    const { act } = await start();
    const answer = await act(action, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });
});
