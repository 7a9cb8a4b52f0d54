import { randomUUID } from 'node:crypto';
import { chatBody, establishBody } from '../../../simulator/index.js';
import { type ConformanceCheck, fail } from '../check.js';
import { createFullStack, expectClosedInSystem, expectReplies, expectShownOnce } from '../full-stack.js';

const WAIT_TIMEOUT_MS = 60_000;

/** What becomes of conversations on the whole path from user to agent. */
export const outboundChecks: readonly ConformanceCheck[] = [
  {
    id: 'open-twice',
    title: 'open twice is one conversation',
    expected: 'one conversation in the system, however often the service asks for it.',
    advice:
      'make exactly one conversation in open, and have it fail only if it made none or find can find it.',
    async run(context) {
      const path = await createFullStack(context);
      const body = newHandoff();
      const ask = () => path.post('conversation/establish', body);
      const statuses = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
      if (statuses.some((status) => status !== 200)) fail(`establish was answered ${statuses.join(', ')}.`);
      const made = (await context.system.list()).length;
      if (made !== 1) fail(`the system has ${made} conversations.`);
    },
  },
  {
    id: 'lost-open',
    title: 'a handoff goes on although the answer to its creation was lost',
    expected: 'one conversation, and what the user says arrives in it.',
    advice: 'see lost-answer: the bridge calls find after an open that failed with kind transient.',
    async run(context) {
      const path = await createFullStack(context);
      context.proxy.loseAnswer({ match: ({ writes }) => writes });
      const { user, externalId } = await path.handOver();
      const made = (await context.system.list()).length;
      if (made !== 1) fail(`the system has ${made} conversations.`);
      await user.say('Did you find me?');
      await expectShownOnce(context, externalId, 'Did you find me?');
    },
  },
  {
    id: 'chat-before-open',
    title: 'chat arrives before open finished',
    expected: 'what the user said meanwhile is shown once, in the one conversation.',
    advice: 'have open resolve when the conversation can take messages, not earlier.',
    async run(context) {
      const path = await createFullStack(context);
      const body = newHandoff();
      const release = context.proxy.hold({ times: Number.POSITIVE_INFINITY });
      const establishing = path.post('conversation/establish', body);
      await context.waitFor('open to make a request', () => context.proxy.requests.length > 0);
      const saying = path.post('chat', chatBody(body.conversation_id, Date.now(), 'I could not wait.'));
      await context.waitFor('the chat to reach the receiver', () => path.requestCount('chat') > 0);
      release();
      const statuses = [await establishing, await saying];
      if (statuses.some((status) => status !== 200))
        fail(`establish and chat were answered ${statuses.join(' and ')}.`);
      const externalId = await context.waitFor('the system to have the conversation', async () =>
        (await context.system.list()).at(0),
      );
      const made = (await context.system.list()).length;
      if (made !== 1) fail(`the system has ${made} conversations.`);
      await expectShownOnce(context, externalId, 'I could not wait.');
    },
  },
  {
    id: 'placeholder-email',
    title: 'users with the shared placeholder e-mail stay separate',
    expected: 'a conversation for each, of another customer each, and no words of one in that of the other.',
    advice: 'key contacts by session.user.key. The e-mail address may be the same for everybody.',
    async run(context) {
      const path = await createFullStack(context);
      const email = 'support@example.com';
      const ask = () => path.handOver({ user: { userId: `user-${randomUUID()}`, email } });
      const [first, second] = [await ask(), await ask()];
      if (first.externalId === second.externalId) fail('both users are in one conversation.');
      await first.user.say('These are the words of the first.');
      await second.user.say('These are the words of the second.');
      await expectShownOnce(context, first.externalId, 'These are the words of the first.');
      await expectShownOnce(context, second.externalId, 'These are the words of the second.');
      const [one, two] = [
        await context.system.read(first.externalId),
        await context.system.read(second.externalId),
      ];
      if (one.customer !== null && one.customer === two.customer)
        fail(`both users are the customer ${one.customer} in the system.`);
    },
  },
  {
    id: 'restart',
    title: 'a restart in the middle of a conversation loses nothing',
    expected: 'words go on in both directions, in the same conversation, also those from before the restart.',
    advice:
      'keep nothing in the memory of the adapter that a later call needs: what open returns as externalId and extra comes back with each call, and the cursor of poll is stored for you.',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await handed.user.say('Before the restart.');
      await expectShownOnce(context, handed.externalId, 'Before the restart.');
      await context.system.agent.reply(handed.externalId, 'I answer before.');
      await expectReplies(context, handed, ['I answer before.']);
      path.forwarder.pause();
      await path.stopProcess();
      await context.system.agent.reply(handed.externalId, 'I answer meanwhile.');
      await path.startProcess();
      path.forwarder.resume();
      await handed.user.say('After the restart.');
      await expectShownOnce(context, handed.externalId, 'After the restart.');
      await expectReplies(context, handed, ['I answer before.', 'I answer meanwhile.']);
      const made = (await context.system.list()).length;
      if (made !== 1) fail(`the system has ${made} conversations.`);
    },
  },
  {
    id: 'no-agent',
    title: 'no agent before the wait timeout: the agents see that it is over',
    expected: 'the conversation is closed in the system when the service has given up waiting.',
    advice: 'close must work for a conversation that no agent has touched.',
    async run(context) {
      const path = await createFullStack(context);
      const { user, externalId } = await path.handOver();
      path.bench.clock.advance(WAIT_TIMEOUT_MS);
      await path.bench.idle();
      if (user.endedBy !== 'timeout')
        fail(`the service ended it by ${user.endedBy}: something was said to the user.`);
      await expectClosedInSystem(context, externalId);
    },
  },
];

/** A request for a human as the service sends it. */
function newHandoff() {
  const id = randomUUID();
  return establishBody({
    conversationId: `handoff-${id}`,
    timestamp: Date.now(),
    agentId: 'kit-agent',
    user: { userId: `user-${id}`, anonymousId: null, email: 'support@example.com' },
    transcript: [{ text: 'I would like to talk to a human.', message_type: 'QUESTION' }],
  });
}

/** How long the system asks to be left alone, and by how much clocks may be out. */
const ASKED_FOR_MS = 1_000;
const CLOCKS_DIFFER_MS = 100;

/** What becomes of a user's words while the system refuses them. */
export const outageChecks: readonly ConformanceCheck[] = [
  {
    id: 'rate-limit-honoured',
    title: '429 is honoured, and what waited is sent',
    expected: 'what the user said is shown once, after the time that the system asked for.',
    advice: 'see rate-limited.',
    async run(context) {
      const path = await createFullStack(context);
      const { user, externalId } = await path.handOver();
      const before = context.proxy.requests.length;
      context.proxy.answer(context.faultAnswers.rateLimited(ASKED_FOR_MS / 1_000), {
        match: ({ writes }) => writes,
      });
      await user.say('One moment, please.');
      await expectShownOnce(context, externalId, 'One moment, please.');
      const [refused, again] = context.proxy.requests.slice(before).filter(({ writes }) => writes);
      const waited = Math.round((again?.at ?? Number.POSITIVE_INFINITY) - (refused?.at ?? 0));
      if (waited < ASKED_FOR_MS - CLOCKS_DIFFER_MS) fail(`it was tried again after ${waited} ms.`);
    },
  },
  {
    id: 'outage',
    title: '5xx is tried again, and order is kept',
    expected: 'what the user said during a short outage is shown once and in order.',
    advice:
      'see unavailable. Send nothing in the background: the bridge waits for send before it sends the next.',
    async run(context) {
      const path = await createFullStack(context);
      const { user, externalId } = await path.handOver();
      context.proxy.answer(context.faultAnswers.unavailable, { times: 2, match: ({ writes }) => writes });
      const words = ['One of three.', 'Two of three.', 'Three of three.'];
      await Promise.all(words.map((text) => user.say(text)));
      for (const text of words) await expectShownOnce(context, externalId, text);
      const all = (await context.system.read(externalId)).shown.join('\n');
      const places = words.map((text) => all.indexOf(text));
      if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
        fail('the words are in another order than the user said them.');
    },
  },
  {
    id: 'refused-told',
    title: '401 is not tried again, and operators are told',
    expected: 'a single request, and an error in the log that says that the credentials are refused.',
    advice: 'see unauthorized.',
    async run(context) {
      const path = await createFullStack(context);
      const { user } = await path.handOver();
      const before = context.proxy.requests.length;
      context.proxy.answer(context.faultAnswers.unauthorized, {
        times: Number.POSITIVE_INFINITY,
        match: ({ writes }) => writes,
      });
      // It is not answered before somebody has put the credentials right.
      const saying = user.say('Is anybody there?').catch(() => {});
      await context.waitFor('the log to say that the credentials are refused', () =>
        context.recordedLog.errors().some((line) => line.includes('credentials refused')),
      );
      const asked = context.proxy.requests.slice(before).filter(({ writes }) => writes).length;
      await path.stopProcess();
      await saying;
      if (asked !== 1) fail(`the message was sent ${asked} times.`);
    },
  },
];
