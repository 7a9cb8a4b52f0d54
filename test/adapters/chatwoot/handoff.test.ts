import { describe, expect, it, vi } from 'vitest';
import { setUpHandoff, TIMEOUT_MS } from './setup.js';

const WAIT = { timeout: TIMEOUT_MS, interval: 10 };

/** A port without a listener. */
const UNREACHABLE = 'http://127.0.0.1:9/';

describe('a handoff to Chatwoot', () => {
  it('runs from the request through messages in both directions to the close by the agent', async () => {
    const { bench, fake, agents, conversation, read, ended } = await setUpHandoff({ greeting: 'Welcome!' });
    await bench.requestHandoff({
      user: { userId: 'ada' },
      transcript: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
    });
    const { id, messages } = conversation();
    const externalId = String(id);
    expect(messages[0]?.content).toContain('Customer: Where is my parcel?');

    await bench.say('It is **urgent**');
    await vi.waitFor(() => expect(messages.at(-1)?.content).toBe('It is **urgent**'), WAIT);

    agents.assign(externalId);
    agents.type(externalId);
    agents.note(externalId, 'This one always says that');
    agents.botReply(externalId, 'I am a bot');
    agents.captainReply(externalId, 'I am an AI');
    agents.ruleReply(externalId, 'I am a rule');
    const reply = agents.reply(externalId, 'It is on *its* way\nand comes today');
    expect(await bench.nextReply()).toMatchObject({ text: 'Ada: It is on its way\nand comes today' });

    agents.translate(reply);
    agents.slackReply(externalId, 'From Slack', 'Grace');
    agents.survey(externalId, 'How was it? https://chat.example.com/survey');
    agents.reply(externalId, 'Bye');
    agents.resolve(externalId);
    expect(await ended()).toBe('agent');
    await fake.settled();
    expect(read()).toEqual(['Ada: It is on its way\nand comes today', 'Grace: From Slack', 'Ada: Bye']);

    expect(fake.deliveries.map(({ status }) => status)).toEqual(fake.deliveries.map(() => 200));
    expect(messages.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(conversation().status).toBe('resolved');
  });

  it('is resolved in Chatwoot when the user leaves, and the webhook about that has no effect', async () => {
    const { bench, fake, conversation } = await setUpHandoff();
    await bench.requestHandoff();
    await bench.closeByUser();
    await vi.waitFor(() => expect(conversation().status).toBe('resolved'), WAIT);
    await fake.settled();
    expect(conversation().messages.at(-1)?.content).toMatch(/^\[handoff\] /);
    expect(bench.conversation.endedBy).toBe('user');
    expect(fake.deliveries.filter(({ event }) => event === 'conversation_status_changed')).toHaveLength(2);
  });

  it('is refused while Chatwoot is down', async () => {
    const { bench, fake } = await setUpHandoff({}, { openWithinMs: 500 });
    await fake.stop();
    expect(await bench.requestHandoff()).toMatchObject({ state: 'busy', deliveries: [{ status: 503 }] });
  });

  it('delivers a failed reply once when the agent clicks retry', async () => {
    const { bench, fake, agents, conversation, online, read } = await setUpHandoff();
    await bench.requestHandoff();
    const id = String(conversation().id);
    await fake.settled();
    fake.pointWebhooksAt({ webhookUrl: UNREACHABLE });
    const reply = agents.reply(id, 'Are you there?');
    await fake.settled();
    expect(reply.status).toBe('failed');

    fake.pointWebhooksAt(online);
    agents.retry(reply);
    agents.retry(reply);
    expect(await bench.nextReply()).toMatchObject({ text: 'Ada: Are you there?' });
    await fake.settled();
    expect(read()).toHaveLength(1);
  });

  it('delivers the last reply although the close arrives first', async () => {
    const { bench, fake, agents, conversation, online, read, ended } = await setUpHandoff();
    await bench.requestHandoff();
    const id = String(conversation().id);
    await fake.settled();
    fake.pointWebhooksAt({ webhookUrl: UNREACHABLE });
    agents.reply(id, 'All done');
    await fake.settled();

    fake.pointWebhooksAt(online);
    agents.resolve(id);
    expect(await ended()).toBe('agent');
    expect(read()).toEqual(['Ada: All done']);
  });
});
