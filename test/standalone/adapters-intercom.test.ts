import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAKE_CLIENT_SECRET, FAKE_TOKEN, startFakeIntercom } from '../fixtures/intercom/fake-intercom.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

describe('the program with ADAPTER=intercom', () => {
  it('carries a whole handoff, answers the validation of its address, and prints no secrets', async () => {
    const fake = await startFakeIntercom();
    onTestFinished(() => fake.stop());
    const { program, url, simulator } = await startProgram({
      ADAPTER: 'intercom',
      INTERCOM_ACCESS_TOKEN: FAKE_TOKEN,
      INTERCOM_CLIENT_SECRET: FAKE_CLIENT_SECRET,
      INTERCOM_API_URL: fake.url,
      AGENT_NAMES: 'true',
    });
    await program.until(/intercom is reachable and set up/);
    const webhookUrl = `${url}/adapters/intercom`;
    expect((await fetch(webhookUrl, { method: 'HEAD' })).status).toBe(200);
    fake.webhooks.url = webhookUrl;
    fake.ping();

    const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
    const [conversation] = fake.conversations.values();
    const id = conversation?.id ?? '';
    await handoff.say('Where is my parcel?');
    await vi.waitFor(
      () => expect(conversation?.parts.at(-1)?.typed).toBe('Where is my parcel?'),
      WAIT_OPTIONS,
    );

    fake.agent.finReply(id, 'I am a bot');
    fake.agent.note(id, 'not for the customer');
    fake.agent.assign(id, 'One moment');
    expect(await handoff.nextReply({ timeoutMs: WAIT_MS })).toMatchObject({ text: 'Ada: One moment' });
    fake.agent.close(id, 'On its way');
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    await fake.webhooks.settled();
    expect(handoff.replies.map(({ text }) => text)).toEqual(['Ada: One moment', 'Ada: On its way']);
    expect(fake.webhooks.deliveries.map(({ status }) => status)).toEqual(
      fake.webhooks.deliveries.map(() => 200),
    );
    const said = await allOutput(program, url);
    for (const secret of [FAKE_TOKEN, FAKE_CLIENT_SECRET]) expect(said).not.toContain(secret);
  });
});
