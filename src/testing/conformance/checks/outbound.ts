import { randomUUID } from 'node:crypto';
import { chatBody, establishBody } from '../../../simulator/index.js';
import type { ConformanceCheck } from '../check-context.js';
import { fail } from '../failures.js';
import { createFullStack, expectClosedInSystem, expectReplies, expectShownOnce } from '../full-stack.js';

const WAIT_TIMEOUT_MS = 60_000;

export const outboundChecks: readonly ConformanceCheck[] = [
  {
    id: 'open-twice',
    title: 'duplicate handoff requests open one conversation',
    expected: 'one conversation in the helpdesk, however often the platform sends the request.',
    advice:
      'create exactly one conversation in open, and let it fail only if it created none or find returns it.',
    async run(context) {
      const stack = await createFullStack(context);
      const body = newHandoff();
      const ask = () => stack.post('conversation/establish', body);
      const statuses = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
      if (statuses.some((status) => status !== 200)) fail(`establish was answered ${statuses.join(', ')}.`);
      const conversationCount = (await context.helpdesk.list()).length;
      if (conversationCount !== 1) fail(`the helpdesk has ${conversationCount} conversations.`);
    },
  },
  {
    id: 'lost-open',
    title: 'a handoff continues if the answer to its creation was lost',
    expected: "one conversation, which receives the user's messages.",
    advice: 'see lost-answer: the bridge calls find after an open that failed with kind "transient".',
    async run(context) {
      const stack = await createFullStack(context);
      context.proxy.loseAnswer({ match: ({ writes }) => writes });
      const { user, externalId } = await stack.handOver();
      const conversationCount = (await context.helpdesk.list()).length;
      if (conversationCount !== 1) fail(`the helpdesk has ${conversationCount} conversations.`);
      await user.say('Did you find me?');
      await expectShownOnce(context, externalId, 'Did you find me?');
    },
  },
  {
    id: 'chat-before-open',
    title: 'a message that arrives before open has finished is delivered once',
    expected: 'one conversation, in which the message is shown once.',
    advice: 'let open resolve only when the conversation accepts messages.',
    async run(context) {
      const stack = await createFullStack(context);
      const body = newHandoff();
      const release = context.proxy.hold({ times: Number.POSITIVE_INFINITY });
      const establishing = stack.post('conversation/establish', body);
      await context.waitFor('open to make a request', () => context.proxy.requests.length > 0);
      const saying = stack.post('chat', chatBody(body.conversation_id, Date.now(), 'I could not wait.'));
      await context.waitFor('the chat to reach the receiver', () => stack.requestCount('chat') > 0);
      release();
      const statuses = [await establishing, await saying];
      if (statuses.some((status) => status !== 200))
        fail(`establish and chat were answered ${statuses.join(' and ')}.`);
      const externalId = await context.waitFor('the helpdesk to have the conversation', async () =>
        (await context.helpdesk.list()).at(0),
      );
      const conversationCount = (await context.helpdesk.list()).length;
      if (conversationCount !== 1) fail(`the helpdesk has ${conversationCount} conversations.`);
      await expectShownOnce(context, externalId, 'I could not wait.');
    },
  },
  {
    id: 'placeholder-email',
    title: 'users with the shared placeholder e-mail stay separate',
    expected: "a separate conversation and customer for each, without the other's messages.",
    advice: 'identify contacts by session.user.key. The e-mail address may be the same for all users.',
    async run(context) {
      const stack = await createFullStack(context);
      const email = 'support@example.com';
      const ask = () => stack.handOver({ user: { userId: `user-${randomUUID()}`, email } });
      const [first, second] = [await ask(), await ask()];
      if (first.externalId === second.externalId) fail('both users share one conversation.');
      await first.user.say('These are the words of the first.');
      await second.user.say('These are the words of the second.');
      await expectShownOnce(context, first.externalId, 'These are the words of the first.');
      await expectShownOnce(context, second.externalId, 'These are the words of the second.');
      const [one, two] = [
        await context.helpdesk.read(first.externalId),
        await context.helpdesk.read(second.externalId),
      ];
      if (one.customer !== null && one.customer === two.customer)
        fail(`both users are customer ${one.customer} in the helpdesk.`);
    },
  },
  {
    id: 'restart',
    title: 'a restart in the middle of a conversation loses no messages',
    expected:
      'messages in both directions continue in the same conversation, including messages from before the restart.',
    advice:
      'keep no state in memory that a later call needs: externalId and extra returned by open are passed to each call, and the bridge stores the cursor of poll.',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await handover.user.say('Before the restart.');
      await expectShownOnce(context, handover.externalId, 'Before the restart.');
      await context.helpdesk.agent.reply(handover.externalId, 'I answer before.');
      await expectReplies(context, handover, ['I answer before.']);
      stack.forwarder.pause();
      await stack.stopProcess();
      await context.helpdesk.agent.reply(handover.externalId, 'I answer during the restart.');
      await stack.startProcess();
      stack.forwarder.resume();
      await handover.user.say('After the restart.');
      await expectShownOnce(context, handover.externalId, 'After the restart.');
      await expectReplies(context, handover, ['I answer before.', 'I answer during the restart.']);
      const conversationCount = (await context.helpdesk.list()).length;
      if (conversationCount !== 1) fail(`the helpdesk has ${conversationCount} conversations.`);
    },
  },
  {
    id: 'two-processes',
    title: 'two processes share a conversation',
    expected:
      'each message arrives once in both directions, whichever process handles it, and a webhook that reaches both takes effect once.',
    advice:
      "keep no state in memory, and derive event ids from the helpdesk's data: they must be the same in every process.",
    async run(context) {
      const stack = await createFullStack(context);
      await stack.startProcess();
      stack.forwarder.copies = 2;
      const handover = await stack.handOver();
      const { user, externalId } = handover;
      for (const text of ['To the one.', 'To the other.', 'To the one again.']) {
        await user.say(text);
        await expectShownOnce(context, externalId, text);
      }
      for (const text of ['From both.', 'From both again.'])
        await context.helpdesk.agent.reply(externalId, text);
      await expectReplies(context, handover, ['From both.', 'From both again.']);
      await stack.forwarder.idle();
      await expectReplies(context, handover, ['From both.', 'From both again.']);
      await user.closeByUser();
      await expectClosedInSystem(context, externalId);
      const conversationCount = (await context.helpdesk.list()).length;
      if (conversationCount !== 1) fail(`the helpdesk has ${conversationCount} conversations.`);
    },
  },
  {
    id: 'no-agent',
    title: 'the wait timeout closes the conversation for the agents',
    expected: 'the conversation is closed in the helpdesk after the platform stopped waiting for an agent.',
    advice: 'make sure that close works for a conversation without an agent.',
    async run(context) {
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      stack.bench.clock.advance(WAIT_TIMEOUT_MS);
      await stack.bench.idle();
      if (user.endedBy !== 'timeout')
        fail(`the conversation was ended by ${user.endedBy}, expected timeout: the user received a reply.`);
      await expectClosedInSystem(context, externalId);
    },
  },
];

/** The body of a handoff request. */
function newHandoff() {
  const id = randomUUID();
  return establishBody({
    conversationId: `handoff-${id}`,
    timestamp: Date.now(),
    botId: 'kit-bot',
    user: { userId: `user-${id}`, anonymousId: null, email: 'support@example.com' },
    transcript: [{ text: 'I would like to talk to a human.', message_type: 'QUESTION' }],
  });
}
