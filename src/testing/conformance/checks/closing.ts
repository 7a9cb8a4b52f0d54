import { chatBody } from '../../../simulator/index.js';
import type { ConformanceCheck } from '../check.js';
import { fail } from '../check.js';
import type { CheckContext } from '../check-context.js';
import {
  countShown,
  createFullStack,
  expectClosedInSystem,
  expectReplies,
  expectShownOnce,
  type FullStack,
  type HandedOverUser,
} from '../full-stack.js';

/** How conversations end, seen from both sides. */
export const closingChecks: readonly ConformanceCheck[] = [
  {
    id: 'user-closes',
    title: 'a user who leaves ends the conversation for the agents',
    expected: 'the agents see that it is over, and the user is shown nothing more.',
    advice:
      'see close. The event by which the system tells of our own close has author.kind "self" or "system".',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await handed.user.closeByUser();
      await expectClosedInSystem(context, handed.externalId);
      await isOver(context, path, handed, 'user');
    },
  },
  {
    id: 'agent-closes',
    title: 'an agent who closes ends the conversation for the user',
    needs: ['close'],
    expected: 'the service is told that the human has closed.',
    advice: 'have parse or poll turn the change of status into { kind: "closed" } with author.kind "agent".',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await context.system.agent.reply(handed.externalId, 'All done.');
      await expectReplies(context, handed, ['All done.']);
      await context.system.agent.close?.(handed.externalId);
      await isOver(context, path, handed, 'human');
    },
  },
  {
    id: 'reply-then-close',
    title: 'reply and close in one event deliver the reply first',
    needs: ['replyAndClose'],
    expected: 'the user is shown the last words, and then the conversation is over.',
    advice: 'have parse return the message before the close: events are taken in the order of the list.',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await context.system.agent.replyAndClose?.(handed.externalId, 'Last words.');
      await isOver(context, path, handed, 'human');
      await expectReplies(context, handed, ['Last words.']);
    },
  },
  {
    id: 'close-race',
    title: 'both sides close at once',
    needs: ['close'],
    expected: 'it is closed on both sides, and nothing fails for good.',
    advice: 'take "it is closed already" for a success in close.',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      const [delivery] = await Promise.all([
        handed.user.closeByUser(),
        context.system.agent.close?.(handed.externalId),
      ]);
      if (!delivery.accepted) fail(`the close of the user was answered ${delivery.status}.`);
      await expectClosedInSystem(context, handed.externalId);
      await context.waitFor(
        'the receiver to know that it is closed',
        async () => (await path.conversation(handed.user.id))?.state === 'closed',
      );
      await path.forwarder.idle();
      const bad = path.forwarder.statuses.filter((status) => status !== 200);
      if (bad.length > 0) fail(`a webhook of the system was answered ${bad.join(', ')}.`);
    },
  },
  {
    id: 'after-close',
    title: 'a message after the close has no effect',
    expected:
      'what the user says late does not open the conversation again, and what an agent writes late is not shown.',
    advice:
      'the bridge sends nothing after a close: send and close must not do anything later, by a timer or a queue.',
    async run(context) {
      const path = await createFullStack(context);
      const first = await path.handOver();
      const second = await path.handOver();
      await first.user.closeByUser();
      await expectClosedInSystem(context, first.externalId);
      const status = await path.post('chat', chatBody(first.user.id, Date.now() + 1, 'Too late.'));
      if (status !== 200) fail(`a chat after the close was answered ${status}.`);
      if ((await countShown(context, first.externalId, 'Too late.')) > 0)
        fail('what the user said late is shown.');
      if (!(await context.system.read(first.externalId)).isClosed) fail('the conversation is open again.');
      // A system that lets nobody write in a closed conversation has nothing to tell.
      await context.system.agent.reply(first.externalId, 'Are you still there?').catch(() => {});
      await second.user.say('I am still here.');
      await expectShownOnce(context, second.externalId, 'I am still here.');
      await context.system.agent.reply(second.externalId, 'And I with you.');
      await expectReplies(context, second, ['And I with you.']);
      if (first.user.replies.length > 0) fail('what an agent wrote after the close is shown to the user.');
    },
  },
];

async function isOver(
  context: CheckContext,
  path: FullStack,
  { user }: HandedOverUser,
  by: 'user' | 'human',
): Promise<void> {
  await context.waitFor(`the service to know that the ${by} has closed`, () => user.endedBy === by);
  await context.waitFor(
    'the receiver to know that it is closed',
    async () => (await path.conversation(user.id))?.state === 'closed',
  );
}
