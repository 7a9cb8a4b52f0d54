import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  FAKE_ACCOUNT_SECRET,
  FAKE_HMAC_TOKEN,
  FAKE_INBOX,
  FAKE_SECRET,
  startFakeChatwoot,
} from '../fixtures/chatwoot/fake-chatwoot.js';
import { PATIENCE_MS, PATIENTLY } from './patience.js';
import { post } from './program.js';
import { everythingSaid, startServed } from './served.js';

/** The program with Chatwoot behind it. */
async function withChatwoot(env: Readonly<Record<string, string>> = {}) {
  const fake = await startFakeChatwoot();
  onTestFinished(() => fake.stop());
  const served = await startServed({
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
  it('carries a whole handoff, counts it, and keeps its secrets to itself', async () => {
    const { program, url, simulator, fake } = await withChatwoot({ AGENT_NAMES: 'true' });
    expect(program.stdout()).toContain(`"adapter":{"name":"chatwoot","url":"${url}/adapters/chatwoot"}`);
    await program.until(/chatwoot is reachable and in order/);

    const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
    const [conversation] = fake.account.conversations();
    const externalId = String(conversation?.id);
    await handoff.say('Where is my parcel?');
    await vi.waitFor(
      () => expect(conversation?.messages.at(-1)?.content).toBe('Where is my parcel?'),
      PATIENTLY,
    );

    fake.agents.note(externalId, 'not for the customer');
    fake.agents.reply(externalId, 'On its way');
    expect(await handoff.nextReply({ timeoutMs: PATIENCE_MS })).toMatchObject({ text: 'Ada: On its way' });
    fake.agents.resolve(externalId);
    await vi.waitFor(() => expect(handoff.endedBy).toBe('human'), PATIENTLY);
    await fake.settled();
    expect(handoff.replies).toHaveLength(1);
    expect(fake.deliveries.map(({ status }) => status)).toEqual(fake.deliveries.map(() => 200));

    const said = await everythingSaid(program, url);
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

  it('says at the start what is wrong there, and starts all the same', async () => {
    const wrong = FAKE_INBOX.toLowerCase();
    const { program, url, simulator } = await withChatwoot({ CHATWOOT_INBOX: wrong });
    await program.until(/chatwoot is not in order: inbox: .*CHATWOOT_INBOX.* See: handoff-kit adapter check/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await simulator.requestHandoff()).state).toBe('busy');
    expect(await everythingSaid(program, url)).not.toContain(wrong);
  });
});
