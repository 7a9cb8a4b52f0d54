import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cardOf, cardTexts, FAKE, startFakeLark, visibleText } from '../fixtures/lark/fake-lark.js';
import { allOutput, startProgram } from './start-program.js';
import { WAIT_MS, WAIT_OPTIONS } from './wait-options.js';

describe('the program with ADAPTER=lark', () => {
  it(
    'carries a whole handoff with events out of order, and prints no secrets',
    async () => {
      const fake = await startFakeLark({ copies: 2 });
      onTestFinished(() => fake.stop());
      const { program, url, simulator } = await startProgram({
        ADAPTER: 'lark',
        LARK_APP_ID: FAKE.appId,
        LARK_APP_SECRET: FAKE.appSecret,
        LARK_ENCRYPT_KEY: FAKE.encryptKey,
        LARK_VERIFICATION_TOKEN: FAKE.verificationToken,
        LARK_CHAT: FAKE.chat,
        LARK_DOMAIN: fake.url,
      });
      await program.until(/lark is reachable and set up/);
      fake.delivery.url = `${url}/adapters/lark`;

      const handoff = await simulator.requestHandoff({ user: { userId: 'ada' } });
      const [root] = fake.messages.values();
      const id = root?.message_id ?? '';
      await handoff.say('Where is my parcel?');
      await vi.waitFor(
        () => expect(fake.thread(id).map(visibleText).at(-1)).toBe('Where is my parcel?'),
        WAIT_OPTIONS,
      );

      await fake.agent.press(id, 'claim');
      expect(cardTexts(cardOf(fake.get(id))).join('\n')).toContain(`Taken by <at id=${FAKE.agent}></at>`);
      fake.delivery.hold();
      fake.agent.write(id, 'One moment');
      fake.agent.write(id, '／／ not for the customer');
      fake.agent.write(id, '', { type: 'image', content: { image_key: 'img_1' } });
      fake.agent.write(id, 'On its way');
      fake.delivery.releaseReversed();
      await vi.waitFor(() => expect(handoff.replies).toHaveLength(3), WAIT_OPTIONS);
      expect(handoff.replies.map(({ text }) => text)).toEqual(['One moment', '[image]', 'On its way']);

      await fake.agent.press(id, 'close');
      await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
      await vi.waitFor(
        () => expect(fake.thread(id).map(visibleText).at(-1)).toMatch(/^Closed: /),
        WAIT_OPTIONS,
      );
      expect(cardTexts(cardOf(fake.get(id)))[0]).toBe('Conversation closed');
      await fake.delivery.settled();
      expect(new Set(fake.delivery.statuses)).toEqual(new Set([200]));
      const said = await allOutput(program, url);
      for (const secret of [FAKE.appSecret, FAKE.encryptKey, FAKE.verificationToken]) {
        expect(said).not.toContain(secret);
      }
    },
    WAIT_MS * 2,
  );
});
