import { describe, expect, test } from 'vitest';
import { botAt, NOWHERE, replyTo, startReceiver, startSimulator } from './support.js';

async function start() {
  const receiver = await startReceiver();
  return { receiver, ...(await startSimulator({ bots: [botAt(receiver.url)] })) };
}

test.each([
  ['/webhook', '/webhook/conversation/establish'],
  ['/webhook/', '/webhook//conversation/establish'],
  ['/', '//conversation/establish'],
  ['', '/conversation/establish'],
  ['/webhook/?tenant=a', '/webhook//conversation/establish?tenant=a'],
  ['?tenant=a', '/conversation/establish?tenant=a'],
])('the path of an endpoint is appended to the base URL as it was entered: "%s"', async (base, path) => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.origin + base)] });
  expect((await simulator.requestHandoff()).state).toBe('connecting');
  expect(receiver.paths()).toEqual([path]);
});

test('establish, first reply, chat, reply, close by the user: the whole lifecycle', async () => {
  const { receiver, simulator, call, clock } = await start();
  const began = clock.now();
  const conversation = await simulator.requestHandoff({
    user: { userId: 'u1', anonymousId: 'a1', email: 'ann@example.com', phone: '+1' },
    transcript: [
      { text: 'Hello', message_type: 'QUESTION' },
      { text: '', message_type: 'ANSWER' },
    ],
  });
  expect(conversation.state).toBe('connecting');
  expect(receiver.received[0]).toMatchObject({
    method: 'POST',
    path: '/webhook/conversation/establish',
    body: {
      conversation_id: conversation.id,
      timestamp: began,
      email: 'ann@example.com',
      bot_id: 'bot-1',
      body: [
        { text: 'Hello', message_type: 'QUESTION' },
        { text: '', message_type: 'ANSWER' },
      ],
      user_info: { phone: '+1', email: 'ann@example.com', user_id: 'u1', anonymous_id: 'a1' },
    },
  });

  const answer = await replyTo(call, conversation.id, 'I am here.');
  expect([answer.status, answer.body]).toEqual([200, { code: 200, message: 'success' }]);
  expect(conversation.state).toBe('connected');
  expect(await conversation.nextReply()).toMatchObject({ text: 'I am here.', timestamp: 1_742_265_090_895 });

  const said = await conversation.say('Thank you');
  expect(said).toMatchObject({
    event: 'chat',
    status: 200,
    body: { code: 200, message: 'success' },
    error: null,
  });
  expect(receiver.received[1]).toMatchObject({
    path: '/webhook/chat',
    body: { conversation_id: conversation.id, timestamp: expect.any(Number), body: 'Thank you' },
  });

  await replyTo(call, conversation.id, 'Bye.');
  await conversation.closeByUser();
  expect(receiver.received[2]).toMatchObject({
    path: '/webhook/conversation/close',
    body: { conversation_id: conversation.id, timestamp: expect.any(Number), type: 'USER_CLOSED' },
  });
  expect(conversation).toMatchObject({ state: 'closed', endedBy: 'user' });
  expect(conversation.replies.map(({ text }) => text)).toEqual(['I am here.', 'Bye.']);
  expect(conversation.deliveries.map(({ event }) => event)).toEqual(['establish', 'chat', 'close']);
});

test('a handoff and its bot conversation have different ids', async () => {
  const { simulator } = await start();
  const first = await simulator.requestHandoff();
  const second = await simulator.requestHandoff();
  const ids = [first.id, first.botConversationId, second.id, second.botConversationId];
  expect(new Set(ids).size).toBe(4);
});

describe('busy', () => {
  test.each([201, 400, 401, 500, 503])('when establish is answered %i', async (status) => {
    const receiver = await startReceiver((_received, response) => {
      response.writeHead(status).end('{}');
    });
    const { simulator, call } = await startSimulator({ bots: [botAt(receiver.url)] });
    const conversation = await simulator.requestHandoff();
    expect(conversation).toMatchObject({ state: 'busy', endedBy: null });
    expect((await replyTo(call, conversation.id, 'too late')).body.code).toBe(40356);
    await expect(conversation.say('hello?')).rejects.toMatchObject({ code: 'CONVERSATION_OVER' });
    await expect(conversation.nextReply()).rejects.toMatchObject({ code: 'NO_REPLY' });
    expect(receiver.received).toHaveLength(1);
  });

  test('when nothing listens', async () => {
    const { simulator } = await startSimulator({ bots: [botAt(NOWHERE)] });
    const off = await simulator.requestHandoff();
    expect(off.state).toBe('busy');
    expect(off.deliveries[0]).toMatchObject({
      status: null,
      body: null,
      error: expect.stringMatching('refused'),
    });
  });

  test('when no answer arrives', async () => {
    const hanging = await startReceiver(() => {});
    const { simulator } = await startSimulator({ deliveryTimeoutMs: 50, bots: [botAt(hanging.url)] });
    const slow = await simulator.requestHandoff();
    expect(slow.deliveries[0]?.error).toBe('no answer within 50 ms');
  });
});

test('after a close by the agent, replies are refused until a new handoff', async () => {
  const { receiver, simulator, call, clock } = await start();
  const conversation = await simulator.requestHandoff();
  await replyTo(call, conversation.id, 'Bye.');
  const body = { conversation_id: conversation.id, timestamp: 1 };
  const closed = await call('POST', '/v1/human/close', body);
  expect([closed.status, closed.body]).toEqual([
    200,
    { conversation_id: conversation.id, timestamp: clock.now() },
  ]);
  expect(conversation).toMatchObject({ state: 'closed', endedBy: 'agent' });

  expect(await replyTo(call, conversation.id, 'One more thing')).toMatchObject({
    status: 404,
    body: { code: 40356 },
  });
  expect((await call('POST', '/v1/human/close', body)).body.code).toBe(40356);
  expect(conversation.replies).toHaveLength(1);
  expect(receiver.paths()).toEqual(['/webhook/conversation/establish']);

  const again = await simulator.requestHandoff();
  expect((await replyTo(call, again.id, 'Hello again')).status).toBe(200);
});

test('replies and closes need an existing conversation of the same bot', async () => {
  const receiver = await startReceiver();
  const other = { id: 'bot-2', apiKey: 'the-key-of-bot-2' };
  const { simulator, call } = await startSimulator({ bots: [botAt(receiver.url), other] });
  const { id } = await simulator.requestHandoff();
  const body = { conversation_id: id, timestamp: 1, body: 'Hello' };
  const headers = { authorization: 'Bearer the-key-of-bot-2' };
  expect(await call('POST', '/v1/human/message/receive', body, headers)).toMatchObject({
    status: 403,
    body: { code: 40358 },
  });
  expect((await call('POST', '/v1/human/close', body, headers)).body.code).toBe(40358);
  expect((await replyTo(call, 'unknown', 'Hello')).body.code).toBe(40356);
});

test.each([
  ['conversation_id', { timestamp: 1, body: 'x' }],
  ['timestamp', { conversation_id: 'c', body: 'x' }],
  ['timestamp', { conversation_id: 'c', timestamp: 'soon', body: 'x' }],
  ['body', { conversation_id: 'c', timestamp: 1 }],
  ['body', { conversation_id: 'c', timestamp: 1, body: '' }],
])('a reply without a valid %s is refused with 40000', async (field, body) => {
  const { call } = await start();
  const answer = await call('POST', '/v1/human/message/receive', body);
  expect([answer.status, answer.body.code]).toEqual([400, 40000]);
  expect(answer.body.message).toContain(`Parameter error: ${field}: `);
});

test('an id can be chosen, and reused once its conversation has ended', async () => {
  const { simulator } = await start();
  const first = await simulator.requestHandoff({ conversationId: 'mine' });
  await expect(simulator.requestHandoff({ conversationId: 'mine' })).rejects.toMatchObject({
    code: 'CONVERSATION_EXISTS',
  });
  await first.closeByUser();
  expect((await simulator.requestHandoff({ conversationId: 'mine' })).state).toBe('connecting');
});

test('only the newest ended conversations are kept', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)], keepConversations: 2 });
  for (const conversationId of ['1', '2', '3']) {
    const conversation = await simulator.requestHandoff({ conversationId });
    await conversation.closeByUser();
  }
  await simulator.requestHandoff({ conversationId: '4' });
  expect(simulator.conversations().map(({ id }) => id)).toEqual(['3', '4']);
});
