import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  FAKE_ACCOUNT_SECRET,
  FAKE_HMAC_TOKEN,
  FAKE_INBOX,
  FAKE_SECRET,
  startFakeChatwoot,
} from '../fixtures/chatwoot/fake-chatwoot.js';
import { post } from './program.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

/** The program, connected to a fake Chatwoot. */
async function withChatwoot(env: Readonly<Record<string, string>> = {}) {
  const fake = await startFakeChatwoot();
  onTestFinished(() => fake.stop());
  const served = await startProgram({
    ADAPTER: 'chatwoot',
    CHATWOOT_URL: fake.url,
    CHATWOOT_INBOX: FAKE_INBOX,
    CHATWOOT_WEBHOOK_SECRET: `${FAKE_SECRET}, ${FAKE_ACCOUNT_SECRET}`,
    CHATWOOT_HMAC_TOKEN: FAKE_HMAC_TOKEN,
    ...env,
  });
  const webhookUrl = `${served.url}/adapters/chatwoot`;
  fake.pointWebhooksAt({ webhookUrl, accountWebhookUrl: webhookUrl });
  return { ...served, fake, webhookUrl };
}

describe('the program with ADAPTER=chatwoot', () => {
  it('carries a whole handoff, counts it, and prints no secrets', async () => {
    const { program, url, simulator, fake } = await withChatwoot({ AGENT_NAMES: 'true' });
    expect(program.stdout()).toContain(`"adapter":{"name":"chatwoot","url":"${url}/adapters/chatwoot"}`);
    await program.until(/chatwoot is reachable and set up/);

    const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
    const [conversation] = fake.account.conversations();
    const externalId = String(conversation?.id);
    await handoff.say('Where is my parcel?');
    await vi.waitFor(
      () => expect(conversation?.messages.at(-1)?.content).toBe('Where is my parcel?'),
      WAIT_OPTIONS,
    );

    fake.agents.note(externalId, 'not for the customer');
    fake.agents.reply(externalId, 'On its way');
    expect(await handoff.nextReply({ timeoutMs: WAIT_MS })).toMatchObject({ text: 'Ada: On its way' });
    fake.agents.resolve(externalId);
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    await fake.settled();
    expect(handoff.replies).toHaveLength(1);
    expect(fake.deliveries.map(({ status }) => status)).toEqual(fake.deliveries.map(() => 200));

    const said = await allOutput(program, url);
    expect(said).toContain('handoff_kit_adapter_events_total{adapter="chatwoot",type="opened"} 1\n');
    expect(said).toContain('handoff_kit_adapter_events_total{adapter="chatwoot",type="replied"} 1\n');
    expect(said).toContain('handoff_kit_adapter_events_total{adapter="chatwoot",type="closed_by_agent"} 1\n');
    expect(said).toMatch(/handoff_kit_requests_total\{endpoint="adapter",status="200"\} \d/);
    for (const secret of [FAKE_INBOX, FAKE_SECRET, FAKE_ACCOUNT_SECRET, FAKE_HMAC_TOKEN]) {
      expect(said).not.toContain(secret);
    }
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('refuses webhooks that Chatwoot did not sign, and counts them', async () => {
    const { url, webhookUrl } = await withChatwoot();
    const forged = await post(
      webhookUrl,
      { event: 'message_created' },
      { 'x-chatwoot-signature': 'sha256=00' },
    );
    expect(forged.status).toBe(401);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('handoff_kit_adapter_events_total{adapter="chatwoot",type="forged"} 1\n');
  });

  it('logs a wrong configuration of Chatwoot at the start, and starts nevertheless', async () => {
    const wrong = FAKE_INBOX.toLowerCase();
    const { program, url, simulator } = await withChatwoot({ CHATWOOT_INBOX: wrong });
    await program.until(/chatwoot: check failed: inbox: .*CHATWOOT_INBOX.* See: handoff-kit adapter check/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await simulator.requestHandoff()).state).toBe('busy');
    expect(await allOutput(program, url)).not.toContain(wrong);
  });
});
