import { expect, it, onTestFinished } from 'vitest';
import { lark } from '../../../src/adapters/lark/index.js';
import { type Bridge, createBridge } from '../../../src/bridge/index.js';
import { createReceiver } from '../../../src/receiver/index.js';
import { createTestBench } from '../../../src/testing/index.js';
import { cardOf, cardTexts, startFakeLark, visibleText } from '../../fixtures/lark/fake-lark.js';
import { fakeSettings } from '../../fixtures/lark/harness.js';
import { eventually } from '../../helpers/eventually.js';

it('a long transcript is shown in several replies of the thread, without a gap', async () => {
  const fake = await startFakeLark();
  let bridge: Bridge | undefined;
  const bench = await createTestBench({
    receiver: (given) => {
      const receiver = createReceiver(given);
      bridge = createBridge({ receiver, adapter: lark(fakeSettings(fake.url)), log: false });
      return receiver;
    },
  });
  onTestFinished(async () => {
    await bench.close();
    await bridge?.close({ timeoutMs: 1_000 });
    await fake.stop();
  });
  const texts = Array.from(
    { length: 30 },
    (_, index) => `Question ${index + 1}: ${'包裹在哪里 '.repeat(60)}`,
  );
  await bench.requestHandoff({
    transcript: texts.map((text) => ({ text, message_type: 'QUESTION' as const })),
  });
  const [root] = fake.messages.values();
  if (!root) throw new Error('nothing was opened');
  const shown = () => fake.thread(root.message_id).map(visibleText).join('\n\n');
  const numbers = () => [...shown().matchAll(/Question (\d+):/g)].map(([, number]) => Number(number));
  await eventually(() => expect(numbers()).toEqual(texts.map((_, index) => index + 1)));
  expect(shown()).not.toContain('left out');
  expect(cardTexts(cardOf(root)).join('\n')).toContain('Question 30');
});
