import { describe, expect, it } from 'vitest';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, startIntegration } from './integration-setup.js';

const ESTABLISH = `/${PATH_TOKEN}/conversation/establish`;
const CHAT = `/${PATH_TOKEN}/chat`;
const CLOSE = `/${PATH_TOKEN}/conversation/close`;
const REPLY = '/v1/human/message/receive';
const HUMAN_CLOSE = '/v1/human/close';

describe('a handoff, in both directions', () => {
  it('follows the protocol on the wire', async () => {
    const { simulator, receiver, exchangesWith, clock } = await startIntegration({
      receiver: { greeting: 'Hello' },
    });
    receiver.on('handoff.message', async ({ payload, reply }) => {
      await reply(`You said: ${payload.body}`);
    });
    const conversation = await simulator.requestHandoff({
      user: { userId: 'ada', anonymousId: 'device-1', email: 'ada@example.com', phone: '+41 1' },
      transcript: [
        { text: 'A human, please', message_type: 'QUESTION' },
        { text: '', message_type: 'ANSWER' },
      ],
    });
    await conversation.nextReply();
    await conversation.say('where is it?');
    await conversation.nextReply();
    await conversation.closeByUser();
    expect(conversation.replies.map(({ text }) => text)).toEqual(['Hello', 'You said: where is it?']);

    const conversation_id = conversation.id;
    expect(exchangesWith(ESTABLISH).map(({ request }) => JSON.parse(request))).toEqual([
      {
        conversation_id,
        timestamp: clock.now(),
        email: 'ada@example.com',
        bot_id: 'bot-1',
        body: [
          { text: 'A human, please', message_type: 'QUESTION' },
          { text: '', message_type: 'ANSWER' },
        ],
        user_info: { phone: '+41 1', email: 'ada@example.com', user_id: 'ada', anonymous_id: 'device-1' },
      },
    ]);
    expect(exchangesWith(CHAT).map(({ request }) => JSON.parse(request))).toEqual([
      { conversation_id, timestamp: expect.any(Number), body: 'where is it?' },
    ]);
    expect(exchangesWith(CLOSE).map(({ request }) => JSON.parse(request))).toEqual([
      { conversation_id, timestamp: expect.any(Number), type: 'USER_CLOSED' },
    ]);
    for (const { answer } of [...exchangesWith(ESTABLISH), ...exchangesWith(CHAT), ...exchangesWith(CLOSE)])
      expect(JSON.parse(answer)).toEqual({ code: 200, message: 'success' });

    expect(exchangesWith(REPLY).map(({ request }) => JSON.parse(request))).toEqual([
      { conversation_id, timestamp: expect.any(Number), body: 'Hello' },
      { conversation_id, timestamp: expect.any(Number), body: 'You said: where is it?' },
    ]);
    for (const { headers, answer } of exchangesWith(REPLY)) {
      expect(headers.authorization).toBe(`Bearer ${API_KEY}`);
      expect(JSON.parse(answer)).toEqual({ code: 200, message: 'success' });
    }
  });

  it('is closed by the agent, and accepts no reply until the next handoff', async () => {
    const { simulator, client, receiver, exchangesWith, clock } = await startIntegration();
    const conversation = await simulator.requestHandoff({ conversationId: 'c-1' });
    await receiver.conversations.reply('c-1', 'Hello');
    await receiver.conversations.end('c-1');
    expect(conversation).toMatchObject({ state: 'closed', endedBy: 'agent' });
    expect(exchangesWith(HUMAN_CLOSE).map(({ answer }) => JSON.parse(answer))).toEqual([
      { conversation_id: 'c-1', timestamp: clock.now() },
    ]);
    expect(exchangesWith(CLOSE)).toEqual([]);

    const late = { conversationId: 'c-1', text: 'One more thing' };
    await expect(client.reply(late)).rejects.toMatchObject({ platformCode: 40356 });
    await expect(client.end({ conversationId: 'c-1' })).rejects.toMatchObject({ platformCode: 40356 });
    const again = await simulator.requestHandoff({ conversationId: 'c-1' });
    await client.reply(late);
    expect(again.replies).toMatchObject([{ text: 'One more thing' }]);
    expect(conversation.replies).toMatchObject([{ text: 'Hello' }]);
  });

  it('ends if no reply arrives within the wait timeout', async () => {
    const { simulator, clock, exchangesWith, seen, client } = await startIntegration();
    const { id } = await simulator.requestHandoff();
    clock.advance(60_000);
    await simulator.idle();
    expect(exchangesWith(CLOSE).map(({ request }) => JSON.parse(request))).toMatchObject([
      { conversation_id: id, type: 'TIMEOUT' },
    ]);
    expect(seen.map(({ event }) => event)).toEqual(['handoff.requested', 'handoff.closed']);
    await expect(client.reply({ conversationId: id, text: 'Sorry' })).rejects.toMatchObject({
      platformCode: 40356,
    });
  });

  it('can be answered within the handler of the request', async () => {
    const { simulator, receiver } = await startIntegration();
    receiver.on('handoff.requested', async ({ reply, end }) => {
      await reply('We are closed');
      await end();
    });
    const conversation = await simulator.requestHandoff();
    await expect.poll(() => conversation).toMatchObject({ state: 'closed', endedBy: 'agent' });
    expect(conversation.replies).toMatchObject([{ text: 'We are closed' }]);
  });

  it('is busy if the receiver refuses', async () => {
    const { simulator, receiver, exchangesWith } = await startIntegration();
    receiver.admit(() => 'come back at nine');
    expect(await simulator.requestHandoff()).toMatchObject({ state: 'busy' });
    expect(exchangesWith(ESTABLISH)).toMatchObject([
      { status: 503, answer: '{"code":503,"message":"come back at nine"}' },
    ]);
  });
});

describe('bot messages', () => {
  it("follow the protocol on the wire, including agents' replies", async () => {
    const { simulator, client, seen, exchangesWith } = await startIntegration();
    await simulator.botMessage({ text: 'It is on its way', userId: 'ada', conversationId: 'a-1' });
    const { id } = await simulator.requestHandoff({ botConversationId: 'a-1' });
    await client.reply({ conversationId: id, text: 'I am human' });
    await simulator.idle();
    expect(exchangesWith('/').map(({ answer }) => JSON.parse(answer))).toEqual([
      { code: 200, msg: 'success' },
      { code: 200, msg: 'success' },
    ]);
    expect(seen.filter(({ event }) => event === 'message')).toMatchObject([
      { conversationId: 'a-1', text: 'It is on its way', payload: { user_id: 'ada' } },
      { conversationId: 'a-1', text: 'I am human' },
    ]);
    expect(JSON.parse(exchangesWith('/')[0]?.request ?? '')).toMatchObject({
      conversation_id: 'a-1',
      message_id: expect.any(String),
      create_time: expect.any(Number),
      output: [{ from_component_name: 'Answer', content: { text: 'It is on its way' } }],
      usage: { tokens: { total_tokens: 4 }, credits: { total_credits: expect.any(Number) } },
    });
  });
});
