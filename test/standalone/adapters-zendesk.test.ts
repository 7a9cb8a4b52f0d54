import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  FAKE_APP,
  FAKE_KEY_ID,
  FAKE_KEY_SECRET,
  FAKE_TICKET_SECRET,
  FAKE_WEBHOOK_SECRET,
  startFakeZendesk,
} from '../fixtures/zendesk/fake-zendesk.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

describe('the program with ADAPTER=zendesk', () => {
  it('carries a whole handoff, and prints no secrets', async () => {
    const fake = await startFakeZendesk();
    onTestFinished(() => fake.stop());
    const { program, url, simulator } = await startProgram({
      ADAPTER: 'zendesk',
      ZENDESK_API_URL: fake.url,
      ZENDESK_APP_ID: FAKE_APP,
      ZENDESK_KEY_ID: FAKE_KEY_ID,
      ZENDESK_KEY_SECRET: FAKE_KEY_SECRET,
      ZENDESK_WEBHOOK_SECRET: `an-old-one, ${FAKE_WEBHOOK_SECRET}`,
      ZENDESK_TICKET_WEBHOOK_SECRET: FAKE_TICKET_SECRET,
      AGENT_NAMES: 'true',
    });
    await program.until(/zendesk is reachable and set up/);
    fake.webhooks.url = `${url}/adapters/zendesk`;

    const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
    const [conversation] = fake.conversations.values();
    const id = conversation?.id ?? '';
    await handoff.say('Where is my parcel?');
    await vi.waitFor(
      () => expect(conversation?.messages.at(-1)?.content.text).toBe('Where is my parcel?'),
      WAIT_OPTIONS,
    );

    fake.agent.botReply(id, 'I am a bot');
    fake.agent.reply(id, 'One moment');
    expect(await handoff.nextReply({ timeoutMs: WAIT_MS })).toMatchObject({ text: 'Ada: One moment' });
    fake.agent.reply(id, 'On its way');
    fake.agent.solveTicket(id);
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    await fake.webhooks.settled();
    expect(handoff.replies.map(({ text }) => text)).toEqual(['Ada: One moment', 'Ada: On its way']);
    expect(fake.webhooks.deliveries.map(({ status }) => status)).toEqual(
      fake.webhooks.deliveries.map(() => 200),
    );
    const said = await allOutput(program, url);
    for (const secret of [FAKE_KEY_SECRET, FAKE_WEBHOOK_SECRET, FAKE_TICKET_SECRET])
      expect(said).not.toContain(secret);
  });
});
