import { expect, test } from 'vitest';
import { botMessage, messageText } from '../../src/protocol/index.js';
import { botAt, NOWHERE, replyTo, startReceiver, startSimulator } from './support.js';

test('a bot’s answer goes to the message webhook, with create_time in seconds', async () => {
  const receiver = await startReceiver((_received, response) => {
    response.end('{"code":200,"msg":"success"}');
  });
  const { simulator, clock } = await startSimulator({
    bots: [botAt(NOWHERE, { message: { url: receiver.url } })],
  });
  const delivery = await simulator.botMessage({ text: 'Hello', userId: 'u1', anonymousId: 'a1' });
  expect(delivery).toMatchObject({ event: 'message', status: 200, body: { code: 200, msg: 'success' } });
  const [received] = receiver.received;
  expect(received?.path).toBe('/webhook');
  expect(received?.body).toMatchObject({
    user_id: 'u1',
    anonymous_id: 'a1',
    create_time: clock.now() / 1000,
  });
  expect(received?.body).not.toHaveProperty('istest');
  const message = botMessage.parse(received?.body);
  expect(messageText(message)).toBe('Hello');
  expect(message.usage.tokens.total_tokens).toBe(2);
  expect(message.usage.credits.total_credits).toBeCloseTo(0.002);
});

test('output, ids and conversation can be given', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({
    bots: [botAt(NOWHERE, { message: { url: receiver.url } })],
  });
  const output = [{ content: { audio: [{ audio: 'https://example.com/a.mp3', transcript: 'Hi' }] } }];
  await simulator.botMessage({ output, conversationId: 'c1', messageId: 'm1' });
  expect(receiver.received[0]?.body).toMatchObject({
    conversation_id: 'c1',
    message_id: 'm1',
    user_id: null,
    output,
  });
});

test('a bot message without a message webhook fails with a clear error', async () => {
  const { simulator } = await startSimulator({ bots: [botAt(NOWHERE)] });
  await expect(simulator.botMessage({ text: 'x' })).rejects.toMatchObject({ code: 'NO_MESSAGE_WEBHOOK' });
});

test("agents' replies are delivered to the message webhook too, in the bot conversation", async () => {
  const receiver = await startReceiver();
  const { simulator, call } = await startSimulator({
    bots: [botAt(receiver.url, { message: { url: `${receiver.origin}/message` } })],
  });
  const conversation = await simulator.requestHandoff({ user: { userId: 'u1' } });
  await replyTo(call, conversation.id, 'I am human');
  await simulator.idle();
  expect(receiver.received[1]).toMatchObject({
    path: '/message',
    body: { conversation_id: conversation.botConversationId, user_id: 'u1' },
  });
  expect(messageText(botMessage.parse(receiver.received[1]?.body))).toBe('I am human');
});

test("agents' replies are not delivered to the message webhook if agentReplies is false", async () => {
  const receiver = await startReceiver();
  const { simulator, call } = await startSimulator({
    bots: [botAt(receiver.url, { message: { url: receiver.url, agentReplies: false } })],
  });
  const conversation = await simulator.requestHandoff();
  await replyTo(call, conversation.id, 'I am human');
  await simulator.idle();
  expect(receiver.received).toHaveLength(1);
});
