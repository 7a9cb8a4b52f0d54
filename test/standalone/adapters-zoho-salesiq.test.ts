import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  FAKE_APP,
  FAKE_CLIENT_ID,
  FAKE_CLIENT_SECRET,
  FAKE_DEPARTMENT,
  FAKE_PUBLIC_KEY,
  FAKE_REFRESH_TOKEN,
  FAKE_SCREEN,
  startFakeSalesIq,
} from '../fixtures/zoho-salesiq/fake-salesiq.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

/** The program, connected to a fake SalesIQ. */
async function withSalesIq() {
  const fake = await startFakeSalesIq();
  onTestFinished(() => fake.stop());
  const served = await startProgram({
    ADAPTER: 'zoho-salesiq',
    ZOHO_SALESIQ_SCREEN_NAME: FAKE_SCREEN,
    ZOHO_SALESIQ_APP_ID: FAKE_APP,
    ZOHO_SALESIQ_DEPARTMENT_ID: FAKE_DEPARTMENT,
    ZOHO_CLIENT_ID: FAKE_CLIENT_ID,
    ZOHO_CLIENT_SECRET: FAKE_CLIENT_SECRET,
    ZOHO_REFRESH_TOKEN: FAKE_REFRESH_TOKEN,
    ZOHO_SALESIQ_PUBLIC_KEY: FAKE_PUBLIC_KEY,
    ZOHO_SALESIQ_API_URL: fake.url,
    ZOHO_ACCOUNTS_URL: fake.url,
    AGENT_NAMES: 'true',
  });
  fake.webhooks.url = `${served.url}/adapters/zoho-salesiq`;
  return { ...served, fake };
}

describe('the program with ADAPTER=zoho-salesiq', () => {
  it('carries a whole handoff, and prints no secrets', async () => {
    const { program, url, simulator, fake } = await withSalesIq();
    await program.until(/zoho-salesiq is reachable and set up/);

    const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
    const [conversation] = fake.conversations.values();
    const id = conversation?.id ?? '';
    await handoff.say('Where is my parcel?');
    await vi.waitFor(() => expect(conversation?.messages).toEqual(['Where is my parcel?']), WAIT_OPTIONS);

    fake.agent.join(id);
    fake.agent.botReply(id, 'I am a bot');
    fake.agent.reply(id, 'On its way');
    expect(await handoff.nextReply({ timeoutMs: WAIT_MS })).toMatchObject({ text: 'Ada: On its way' });
    fake.agent.close(id);
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    await fake.webhooks.settled();
    expect(handoff.replies).toHaveLength(1);
    expect(fake.webhooks.deliveries.map(({ status }) => status)).toEqual(
      fake.webhooks.deliveries.map(() => 200),
    );
    const said = await allOutput(program, url);
    for (const secret of [FAKE_CLIENT_SECRET, FAKE_REFRESH_TOKEN]) expect(said).not.toContain(secret);
  });

  it('ends the handoff when no operator takes the conversation', async () => {
    const { simulator, fake } = await withSalesIq();
    const handoff = await simulator.requestHandoff();
    const [conversation] = fake.conversations.values();
    fake.agent.miss(conversation?.id ?? '');
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
  });
});
