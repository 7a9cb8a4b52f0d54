import { chatBody } from '../../../simulator/index.js';
import type { Check } from '../check.js';
import { found } from '../failure.js';
import type { Rig } from '../rig.js';
import { gets, isClosedInSystem, isShownOnce, timesShown } from '../seen.js';
import { createWholePath, type HandedOver, type WholePath } from '../whole-path.js';

/** How conversations end, seen from both sides. */
export const closingChecks: readonly Check[] = [
  {
    id: 'user-closes',
    title: 'a user who leaves ends the conversation for the agents',
    expected: 'the agents see that it is over, and the user is shown nothing more.',
    advice:
      'see close. The event by which the system tells of our own close has author.kind "self" or "system".',
    async run(rig) {
      const path = await createWholePath(rig);
      const handed = await path.handOver();
      await handed.user.closeByUser();
      await isClosedInSystem(rig, handed.externalId);
      await isOver(rig, path, handed, 'user');
    },
  },
  {
    id: 'agent-closes',
    title: 'an agent who closes ends the conversation for the user',
    needs: ['close'],
    expected: 'the service is told that the human has closed.',
    advice: 'have parse or poll turn the change of status into { kind: "closed" } with author.kind "agent".',
    async run(rig) {
      const path = await createWholePath(rig);
      const handed = await path.handOver();
      await rig.system.agent.reply(handed.externalId, 'All done.');
      await gets(rig, handed, ['All done.']);
      await rig.system.agent.close?.(handed.externalId);
      await isOver(rig, path, handed, 'human');
    },
  },
  {
    id: 'reply-then-close',
    title: 'reply and close in one event deliver the reply first',
    needs: ['replyAndClose'],
    expected: 'the user is shown the last words, and then the conversation is over.',
    advice: 'have parse return the message before the close: events are taken in the order of the list.',
    async run(rig) {
      const path = await createWholePath(rig);
      const handed = await path.handOver();
      await rig.system.agent.replyAndClose?.(handed.externalId, 'Last words.');
      await isOver(rig, path, handed, 'human');
      await gets(rig, handed, ['Last words.']);
    },
  },
  {
    id: 'close-race',
    title: 'both sides close at once',
    needs: ['close'],
    expected: 'it is closed on both sides, and nothing fails for good.',
    advice: 'take "it is closed already" for a success in close.',
    async run(rig) {
      const path = await createWholePath(rig);
      const handed = await path.handOver();
      const [delivery] = await Promise.all([
        handed.user.closeByUser(),
        rig.system.agent.close?.(handed.externalId),
      ]);
      if (!delivery.accepted) found(`the close of the user was answered ${delivery.status}.`);
      await isClosedInSystem(rig, handed.externalId);
      await rig.until(
        'the receiver to know that it is closed',
        async () => (await path.conversation(handed.user.id))?.state === 'closed',
      );
      await path.carrier.idle();
      const bad = path.carrier.statuses.filter((status) => status !== 200);
      if (bad.length > 0) found(`a webhook of the system was answered ${bad.join(', ')}.`);
    },
  },
  {
    id: 'after-close',
    title: 'a message after the close has no effect',
    expected:
      'what the user says late does not open the conversation again, and what an agent writes late is not shown.',
    advice:
      'the bridge sends nothing after a close: send and close must not do anything later, by a timer or a queue.',
    async run(rig) {
      const path = await createWholePath(rig);
      const first = await path.handOver();
      const second = await path.handOver();
      await first.user.closeByUser();
      await isClosedInSystem(rig, first.externalId);
      const status = await path.post('chat', chatBody(first.user.id, Date.now() + 1, 'Too late.'));
      if (status !== 200) found(`a chat after the close was answered ${status}.`);
      if ((await timesShown(rig, first.externalId, 'Too late.')) > 0)
        found('what the user said late is shown.');
      if (!(await rig.system.read(first.externalId)).isClosed) found('the conversation is open again.');
      // A system that lets nobody write in a closed conversation has nothing to tell.
      await rig.system.agent.reply(first.externalId, 'Are you still there?').catch(() => {});
      await second.user.say('I am still here.');
      await isShownOnce(rig, second.externalId, 'I am still here.');
      await rig.system.agent.reply(second.externalId, 'And I with you.');
      await gets(rig, second, ['And I with you.']);
      if (first.user.replies.length > 0) found('what an agent wrote after the close is shown to the user.');
    },
  },
];

async function isOver(rig: Rig, path: WholePath, { user }: HandedOver, by: 'user' | 'human'): Promise<void> {
  await rig.until(`the service to know that the ${by} has closed`, () => user.endedBy === by);
  await rig.until(
    'the receiver to know that it is closed',
    async () => (await path.conversation(user.id))?.state === 'closed',
  );
}
