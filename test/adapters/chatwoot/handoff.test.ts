import { describe, expect, it, vi } from 'vitest';
import { setUpHandoff, TIMEOUT_MS } from './setup.js';

const PATIENTLY = { timeout: TIMEOUT_MS, interval: 10 };

/** A port on which nobody listens. */
const NOBODY = 'http://127.0.0.1:9/';

describe('a handoff to Chatwoot', () => {
  it('goes from the request over words in both directions to the end by the agent', async () => {
    const { bench, fake, agents, conversation, read, ended } = await setUpHandoff({ greeting: 'Welcome!' });
    await bench.requestHandoff({
      user: { userId: 'ada' },
      transcript: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
    });
    const { id, messages } = conversation();
    const externalId = String(id);
    expect(messages[0]?.content).toContain('Customer: Where is my parcel?');

    await bench.say('It is **urgent**');
    await vi.waitFor(() => expect(messages.at(-1)?.content).toBe('It is **urgent**'), PATIENTLY);

    agents.assign(externalId);
    agents.type(externalId);
    agents.note(externalId, 'This one always says that');
    agents.botReply(externalId, 'I am a bot');
    agents.captainReply(externalId, 'I am an AI');
    agents.ruleReply(externalId, 'I am a rule');
    agents.campaign(externalId, 'I am a campaign');
    const reply = agents.reply(externalId, 'It is on *its* way\nand comes today');
    expect(await bench.nextReply()).toMatchObject({ text: 'Ada: It is on its way\nand comes today' });

    agents.translate(reply);
    agents.survey(externalId, 'How was it? https://chat.example.com/survey');
    agents.reply(externalId, 'Bye');
    agents.resolve(externalId);
    expect(await ended()).toBe('human');
    await fake.settled();
    expect(read()).toEqual(['Ada: It is on its way\nand comes today', 'Ada: Bye']);

    expect(fake.deliveries.map(({ status }) => status)).toEqual(fake.deliveries.map(() => 200));
    expect(messages.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(conversation().status).toBe('resolved');
  });

  it('ends in Chatwoot when the user leaves, and what Chatwoot tells of that has no effect', async () => {
    const { bench, fake, conversation } = await setUpHandoff();
    await bench.requestHandoff();
    await bench.closeByUser();
    await vi.waitFor(() => expect(conversation().status).toBe('resolved'), PATIENTLY);
    await fake.settled();
    expect(conversation().messages.at(-1)?.content).toMatch(/^\[handoff\] /);
    expect(bench.conversation.endedBy).toBe('user');
    expect(fake.deliveries.filter(({ event }) => event === 'conversation_status_changed')).toHaveLength(2);
  });

  it('is busy while Chatwoot is away', async () => {
    const { bench, fake } = await setUpHandoff({}, { openWithinMs: 500 });
    await fake.stop();
    expect(await bench.requestHandoff()).toMatchObject({ state: 'busy', deliveries: [{ status: 503 }] });
  });

  it('brings a reply that could not be delivered when the agent clicks on retry, and once', async () => {
    const { bench, fake, agents, conversation, online, read } = await setUpHandoff();
    await bench.requestHandoff();
    const id = String(conversation().id);
    await fake.settled();
    fake.pointWebhooksAt({ webhookUrl: NOBODY });
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

  it('brings the last reply although the end comes first', async () => {
    const { bench, fake, agents, conversation, online, read, ended } = await setUpHandoff();
    await bench.requestHandoff();
    const id = String(conversation().id);
    await fake.settled();
    fake.pointWebhooksAt({ webhookUrl: NOBODY });
    agents.reply(id, 'All done');
    await fake.settled();

    fake.pointWebhooksAt(online);
    agents.resolve(id);
    expect(await ended()).toBe('human');
    expect(read()).toEqual(['Ada: All done']);
  });
});
