import { onTestFinished, vi } from 'vitest';
import { chatwoot } from '../../../src/adapters/chatwoot/index.js';
import { type Bridge, type BridgeOptions, createBridge } from '../../../src/bridge/index.js';
import { createReceiver } from '../../../src/public/index.js';
import { createTestBench } from '../../../src/testing/index.js';
import {
  FAKE_ACCOUNT_SECRET,
  FAKE_INBOX,
  FAKE_SECRET,
  type FakeChatwootOptions,
  startFakeChatwoot,
} from '../../fixtures/chatwoot/fake-chatwoot.js';
import type { FakeConversation } from '../../fixtures/chatwoot/types.js';
import { serve } from '../../helpers/serve.js';

/** Upper bound for expected effects. Only a failing test waits this long. */
export const TIMEOUT_MS = 60_000;

/** Starts the simulated platform, a receiver, the bridge, the adapter and the fake Chatwoot, connected by real HTTP. */
export async function setUpHandoff(
  options: FakeChatwootOptions = {},
  bridgeOptions: Partial<BridgeOptions> = { openWithinMs: TIMEOUT_MS },
) {
  const fake = await startFakeChatwoot(options);
  const adapter = chatwoot({
    url: fake.url,
    inbox: FAKE_INBOX,
    webhookSecret: [FAKE_SECRET, FAKE_ACCOUNT_SECRET],
  });
  let bridge: Bridge | undefined;
  const bench = await createTestBench({
    replyTimeoutMs: TIMEOUT_MS,
    simulator: { deliveryTimeoutMs: TIMEOUT_MS },
    receiver: (settings) => {
      const receiver = createReceiver({ ...settings, log: false });
      bridge = createBridge({ receiver, adapter, agentNames: true, log: false, ...bridgeOptions });
      return receiver;
    },
  });
  const { url } = await serve((request, response) => bridge?.webhook(request, response));
  const online = { webhookUrl: `${url}/inbox`, accountWebhookUrl: `${url}/account` };
  fake.pointWebhooksAt(online);
  onTestFinished(async () => {
    await fake.stop();
    await bench.close();
    await bridge?.close();
  });

  return {
    fake,
    bench,
    /** The address for Chatwoot's webhooks. */
    online,
    agents: fake.agents,
    /** The replies shown to the user. */
    read: () => bench.replies.map(({ text }) => text),
    /** The conversation opened last. */
    conversation: (): FakeConversation => {
      const last = fake.account.conversations().at(-1);
      if (!last) throw new Error('nothing was opened in Chatwoot');
      return last;
    },
    /** Resolves when the user's conversation has ended. */
    ended: () => vi.waitUntil(() => bench.conversation.endedBy, { timeout: TIMEOUT_MS, interval: 10 }),
  };
}
