import type { ConformanceCheck } from '../check.js';
import { fail, quote } from '../check.js';
import { createFullStack, expectReplies, expectShownOnce } from '../full-stack.js';

/** What people write, by the id of its checks. */
const TEXTS = {
  html: { name: 'HTML', text: '<b>Is 5 < 6 & 7 > 2?</b> <script>alert("no")</script> &amp; done' },
  emoji: { name: 'emoji', text: 'Thanks 👍🏽 from our family 👨‍👩‍👧‍👦 in 🇨🇭' },
  cjk: { name: 'CJK text', text: '您好，我的包裹在哪里？ありがとう、감사합니다' },
  rtl: { name: 'right-to-left text', text: 'שלום, איפה החבילה? مرحبا، أين طردي؟' },
  lines: { name: 'text of several lines', text: 'First line\n\nThird line\n  with blanks' },
} as const;

/** Longer bodies are refused by the receiver, whatever the system takes. */
const LONGEST = 60_000;

/** What becomes of words that are not plain. */
export const textChecks: readonly ConformanceCheck[] = [
  ...Object.entries(TEXTS).flatMap(([id, { name, text }]): ConformanceCheck[] => [
    {
      id: `${id}-to-agents`,
      title: `${name} reaches the agents as the user wrote it`,
      expected: `the agents read ${quote(text)}`,
      advice:
        'send text as text: escape it where the system takes markup, and as UTF-8. If the system keeps it well, let system.read of the harness give it as agents read it.',
      async run(context) {
        const path = await createFullStack(context);
        const { user, externalId } = await path.handOver();
        await user.say(text);
        await expectShownOnce(context, externalId, text);
      },
    },
    {
      id: `${id}-to-user`,
      title: `${name} reaches the user as the agent wrote it`,
      expected: `the user reads ${quote(text)}`,
      advice: "turn the system's markup into plain text in parse, and undo its escapes.",
      async run(context) {
        const path = await createFullStack(context);
        const handed = await path.handOver();
        await context.system.agent.reply(handed.externalId, text);
        await expectReplies(context, handed, [text]);
      },
    },
  ]),
  {
    id: 'overlong',
    title: 'overlong text reaches the agents whole',
    expected: 'every word is shown, in order, in as many messages as it takes.',
    advice:
      'set capabilities.maxTextLength to what the system takes in one message, with what the adapter adds to it.',
    async run(context) {
      const path = await createFullStack(context);
      const { maxTextLength } = (await context.createAdapter()).capabilities;
      const { user, externalId } = await path.handOver();
      const words = numbered(Math.min(Math.ceil(maxTextLength * 1.5), LONGEST));
      await user.say(words.join(' '));
      const last = words.at(-1) ?? '';
      await context.waitFor('the agents to be shown the end of a long text', async () =>
        (await context.system.read(externalId)).shown.some((text) => text.includes(last)),
      );
      const all = (await context.system.read(externalId)).shown.join(' ');
      const lost = missing(all, words);
      if (lost !== null) fail(`of ${words.length} words the ${lost + 1}th is missing or in the wrong place.`);
    },
  },
];

/** Words that can be told apart, of so many characters together. */
function numbered(length: number): string[] {
  const words = ['begin'];
  for (let used = 5; used < length - 12; used += (words.at(-1)?.length ?? 0) + 1)
    words.push(`word${words.length}`);
  return [...words, 'at-the-end'];
}

/** The place of the first word that is not where it should be. */
function missing(text: string, words: readonly string[]): number | null {
  let from = 0;
  for (const [index, word] of words.entries()) {
    const at = text.indexOf(word, from);
    if (at === -1) return index;
    from = at + word.length;
  }
  return null;
}
