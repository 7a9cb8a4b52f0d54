import { chatBody } from '../../../simulator/index.js';
import type { ConformanceCheck } from '../check-context.js';
import { fail } from '../failures.js';
import {
  countShown,
  createFullStack,
  expectClosedBy,
  expectClosedInSystem,
  expectReplies,
  expectShownOnce,
} from '../full-stack.js';

export const closingChecks: readonly ConformanceCheck[] = [
  {
    id: 'user-closes',
    title: 'a close by the user closes the conversation for the agents',
    expected: 'the agents see that the conversation has ended, and the user receives no more replies.',
    advice: 'see close. Set author.kind to "self" or "system" in the event that the adapter\'s close causes.',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await handover.user.closeByUser();
      await expectClosedInSystem(context, handover.externalId);
      await expectClosedBy(context, stack, handover, 'user');
    },
  },
  {
    id: 'agent-closes',
    title: 'a close by an agent closes the conversation for the user',
    needs: ['close'],
    expected: 'the platform learns that the agent closed the conversation.',
    advice: 'let parse or poll map the change of status to { kind: "closed" } with author.kind "agent".',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await context.helpdesk.agent.reply(handover.externalId, 'All done.');
      await expectReplies(context, handover, ['All done.']);
      await context.helpdesk.agent.close?.(handover.externalId);
      await expectClosedBy(context, stack, handover, 'agent');
    },
  },
  {
    id: 'reply-then-close',
    title: 'a reply and a close in one webhook deliver the reply first',
    needs: ['replyAndClose'],
    expected: 'the user receives the reply, then the conversation ends.',
    advice: 'let parse return the message before the close: events are handled in order.',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await context.helpdesk.agent.replyAndClose?.(handover.externalId, 'Last words.');
      await expectClosedBy(context, stack, handover, 'agent');
      await expectReplies(context, handover, ['Last words.']);
    },
  },
  {
    id: 'close-race',
    title: 'both sides can close at the same time',
    needs: ['close'],
    expected: 'the conversation is closed on both sides without a permanent failure.',
    advice: 'treat the answer "already closed" as success in close.',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      const [delivery] = await Promise.all([
        handover.user.closeByUser(),
        context.helpdesk.agent.close?.(handover.externalId),
      ]);
      if (!delivery.accepted) fail(`the close by the user was answered ${delivery.status}.`);
      await expectClosedInSystem(context, handover.externalId);
      await context.waitFor(
        'the receiver to see that the conversation is closed',
        async () => (await stack.conversation(handover.user.id))?.state === 'closed',
      );
      await stack.forwarder.idle();
      const failedStatuses = stack.forwarder.statuses.filter((status) => status !== 200);
      if (failedStatuses.length > 0)
        fail(`a webhook from the helpdesk was answered ${failedStatuses.join(', ')}.`);
    },
  },
  {
    id: 'after-close',
    title: 'messages after the close have no effect',
    expected:
      'a late message from the user does not reopen the conversation, and a late reply does not reach the user.',
    advice:
      'the bridge sends nothing after a close: send and close must not defer work to a timer or a queue.',
    async run(context) {
      const stack = await createFullStack(context);
      const first = await stack.handOver();
      const second = await stack.handOver();
      await first.user.closeByUser();
      await expectClosedInSystem(context, first.externalId);
      const status = await stack.post('chat', chatBody(first.user.id, Date.now() + 1, 'Too late.'));
      if (status !== 200) fail(`a chat after the close was answered ${status}.`);
      if ((await countShown(context, first.externalId, 'Too late.')) > 0)
        fail('a message after the close is shown.');
      if (!(await context.helpdesk.read(first.externalId)).isClosed) fail('the conversation is open again.');
      // A helpdesk may refuse replies in a closed conversation.
      await context.helpdesk.agent.reply(first.externalId, 'Are you still there?').catch(() => {});
      await second.user.say('I am still here.');
      await expectShownOnce(context, second.externalId, 'I am still here.');
      await context.helpdesk.agent.reply(second.externalId, 'And I with you.');
      await expectReplies(context, second, ['And I with you.']);
      if (first.user.replies.length > 0) fail('a reply after the close reached the user.');
    },
  },
];
