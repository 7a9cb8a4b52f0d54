import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  FAKE_CLIENT_ID,
  FAKE_CLIENT_SECRET,
  FAKE_REFRESH_TOKEN,
  FAKE_WEBHOOK_SECRET,
  startFakeLiveChat,
} from '../fixtures/livechat/fake-livechat.js';
import { redirectFetch } from '../helpers/redirect-fetch.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

describe('the program with ADAPTER=livechat', () => {
  it('carries a whole handoff, and prints no secrets', async () => {
    const fake = await startFakeLiveChat();
    onTestFinished(() => fake.stop());
    redirectFetch('https://api.livechatinc.com', fake.url);
    redirectFetch('https://accounts.livechat.com', fake.url);
    const { program, url, simulator } = await startProgram({
      ADAPTER: 'livechat',
      LIVECHAT_CLIENT_ID: FAKE_CLIENT_ID,
      LIVECHAT_CLIENT_SECRET: FAKE_CLIENT_SECRET,
      LIVECHAT_REFRESH_TOKEN: FAKE_REFRESH_TOKEN,
      LIVECHAT_WEBHOOK_SECRET: FAKE_WEBHOOK_SECRET,
    });
    await program.until(/livechat is reachable and set up/);
    fake.webhooks.url = `${url}/adapters/livechat`;

    const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
    const [chat] = fake.chats.values();
    const id = chat?.id ?? '';
    await handoff.say('Where is my parcel?');
    await vi.waitFor(
      () => expect(chat?.events.at(-1)).toMatchObject({ text: 'Where is my parcel?' }),
      WAIT_OPTIONS,
    );

    fake.agent.join(id);
    fake.agent.botReply(id, 'I am a bot');
    fake.agent.whisper(id, 'not for the customer');
    fake.agent.reply(id, 'On its way');
    const label = { name: 'label.pdf', url: 'https://cdn.test/label.pdf', content_type: 'application/pdf' };
    fake.agent.sendFile(id, label);
    expect(await handoff.nextReply({ timeoutMs: WAIT_MS })).toMatchObject({ text: 'On its way' });
    fake.agent.close(id);
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    await fake.webhooks.settled();
    expect(handoff.replies.map(({ text }) => text)).toEqual([
      'On its way',
      '[label.pdf] https://cdn.test/label.pdf',
    ]);
    expect(fake.webhooks.deliveries.map(({ status }) => status)).toEqual(
      fake.webhooks.deliveries.map(() => 200),
    );
    const said = await allOutput(program, url);
    for (const secret of [FAKE_CLIENT_SECRET, FAKE_REFRESH_TOKEN, FAKE_WEBHOOK_SECRET]) {
      expect(said).not.toContain(secret);
    }
  });
});
