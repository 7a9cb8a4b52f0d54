import type { ConformanceCheck } from '../check-context.js';
import { fail, quote } from '../failures.js';
import { createFullStack, expectReplies, expectShownOnce } from '../full-stack.js';

/** Sample texts, by the prefix of the check id. */
const TEXTS = {
  html: { name: 'HTML', text: '<b>Is 5 < 6 & 7 > 2?</b> <script>alert("no")</script> &amp; done' },
  emoji: { name: 'emoji', text: 'Thanks 👍🏽 from our family 👨‍👩‍👧‍👦 in 🇨🇭' },
  cjk: { name: 'CJK text', text: '您好，我的包裹在哪里？ありがとう、감사합니다' },
  rtl: { name: 'right-to-left text', text: 'שלום, איפה החבילה? مرحبا، أين طردي؟' },
  lines: { name: 'multi-line text', text: 'First line\n\nThird line\n  with blanks' },
} as const;

/** The receiver refuses longer bodies, whatever the helpdesk accepts. */
const MAX_LENGTH = 60_000;

/** Longer than the limits that adapters tend to have for texts of users. */
const LONG_REPLY = 5_000;

/** Texts that are often corrupted in transit. */
export const textChecks: readonly ConformanceCheck[] = [
  ...Object.entries(TEXTS).flatMap(([id, { name, text }]): ConformanceCheck[] => [
    {
      id: `${id}-to-agents`,
      title: `${name} reaches the agents unchanged`,
      expected: `the agents see ${quote(text)}`,
      advice:
        "send plain text as UTF-8, and escape it if the helpdesk expects markup. If the helpdesk displays it correctly, fix the harness's read.",
      async run(context) {
        const stack = await createFullStack(context);
        const { user, externalId } = await stack.handOver();
        await user.say(text);
        await expectShownOnce(context, externalId, text);
      },
    },
    {
      id: `${id}-to-user`,
      title: `${name} reaches the user unchanged`,
      expected: `the user receives ${quote(text)}`,
      advice: "convert the helpdesk's markup to plain text in parse, and unescape it.",
      async run(context) {
        const stack = await createFullStack(context);
        const handover = await stack.handOver();
        await context.helpdesk.agent.reply(handover.externalId, text);
        await expectReplies(context, handover, [text]);
      },
    },
  ]),
  {
    id: 'overlong',
    title: 'text beyond the length limit reaches the agents completely',
    expected: 'every word is shown, in order, in one or more messages.',
    advice: "set capabilities.maxTextLength to the helpdesk's limit minus the text that the adapter adds.",
    async run(context) {
      const stack = await createFullStack(context);
      const { maxTextLength } = (await context.createAdapter()).capabilities;
      const { user, externalId } = await stack.handOver();
      const words = numberedWords(Math.min(Math.ceil(maxTextLength * 1.5), MAX_LENGTH));
      await user.say(words.join(' '));
      const last = words.at(-1) ?? '';
      await context.waitFor('the agents to see the end of a long text', async () =>
        (await context.helpdesk.read(externalId)).shown.some((text) => text.includes(last)),
      );
      const all = (await context.helpdesk.read(externalId)).shown.join(' ');
      const lost = firstMissing(all, words);
      if (lost !== null) fail(`word ${lost + 1} of ${words.length} is missing or out of order.`);
    },
  },
  {
    id: 'long-to-user',
    title: 'a long text of an agent reaches the user completely',
    expected: 'every word is received, in order, in one or more messages.',
    advice:
      'report the whole text in parse, poll or stream: the bridge splits what is too long for the platform.',
    async run(context) {
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      const words = numberedWords(LONG_REPLY);
      await context.helpdesk.agent.reply(externalId, words.join(' '));
      const received = () => user.replies.map(({ text }) => text).join(' ');
      await context.waitFor(
        () =>
          `the user to receive the end of a text of ${LONG_REPLY} characters (received: ${received().length})`,
        () => received().includes(words.at(-1) ?? ''),
      );
      const lost = firstMissing(received(), words);
      if (lost !== null) fail(`word ${lost + 1} of ${words.length} is missing or out of order.`);
    },
  },
];

/** Numbered words of this total length. */
function numberedWords(length: number): string[] {
  const words = ['begin'];
  for (let used = 5; used < length - 12; used += (words.at(-1)?.length ?? 0) + 1)
    words.push(`word${words.length}`);
  return [...words, 'at-the-end'];
}

/** The index of the first word that is missing or out of order. */
function firstMissing(text: string, words: readonly string[]): number | null {
  let from = 0;
  for (const [index, word] of words.entries()) {
    const at = text.indexOf(word, from);
    if (at === -1) return index;
    from = at + word.length;
  }
  return null;
}
