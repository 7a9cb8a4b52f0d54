import { found, shortened } from './failure.js';
import type { Rig } from './rig.js';
import type { HandedOver } from './whole-path.js';

/** Line ends and blanks at the edges are not part of what somebody wrote. */
export const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim();

/** How often agents can read a text in a conversation. */
export async function timesShown({ system }: Rig, externalId: string, text: string): Promise<number> {
  const { shown } = await system.read(externalId);
  return plain(shown.map(plain).join('\n\n')).split(plain(text)).length - 1;
}

/** Waits until agents can read a text, and makes sure that it is there once. */
export async function isShownOnce(rig: Rig, externalId: string, text: string): Promise<void> {
  await rig.until(
    `the agents to be shown ${shortened(text)}`,
    async () => (await timesShown(rig, externalId, text)) > 0,
  );
  const times = await timesShown(rig, externalId, text);
  if (times > 1) found(`the agents are shown ${shortened(text)} ${times} times.`);
}

/** Waits until the user was shown the last of the replies expected, and makes sure that it was these and no others. */
export async function gets(rig: Rig, { user }: HandedOver, expected: readonly string[]): Promise<void> {
  const shown = () => user.replies.map(({ text }) => plain(text));
  const last = plain(expected.at(-1) ?? '');
  await rig.until(
    () => `the user to be shown ${shortened(last)} (was shown: ${listed(shown())})`,
    () => shown().includes(last),
  );
  isExactly(shown(), expected.map(plain));
}

/** Makes sure that two lists of texts are equal, and says where not. */
export function isExactly(actual: readonly string[], expected: readonly string[]): void {
  const same = actual.length === expected.length && actual.every((text, index) => text === expected[index]);
  if (same) return;
  found(`the user was shown ${listed(actual)} in place of ${listed(expected)}.`);
}

const listed = (texts: readonly string[]): string =>
  texts.length === 0 ? 'nothing' : texts.map(shortened).join(', ');

/** Waits until agents can see that a conversation is over. */
export async function isClosedInSystem({ until, system }: Rig, externalId: string): Promise<void> {
  await until(
    'the agents to see that the conversation is over',
    async () => (await system.read(externalId)).isClosed,
  );
}
