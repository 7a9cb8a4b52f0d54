import { randomUUID } from 'node:crypto';
import { chatBody, establishBody } from '../../../simulator/index.js';
import type { Check } from '../check.js';
import { found } from '../failure.js';
import { gets, isClosedInSystem, isShownOnce } from '../seen.js';
import { createWholePath } from '../whole-path.js';

const WAIT_TIMEOUT_MS = 60_000;

/** What becomes of conversations on the whole path from user to agent. */
export const carryingChecks: readonly Check[] = [
  {
    id: 'open-twice',
    title: 'open twice is one conversation',
    expected: 'one conversation in the system, however often the service asks for it.',
    advice:
      'make exactly one conversation in open, and have it fail only if it made none or find can find it.',
    async run(rig) {
      const path = await createWholePath(rig);
      const body = newHandoff();
      const ask = () => path.post('conversation/establish', body);
      const statuses = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
      if (statuses.some((status) => status !== 200)) found(`establish was answered ${statuses.join(', ')}.`);
      const made = (await rig.system.list()).length;
      if (made !== 1) found(`the system has ${made} conversations.`);
    },
  },
  {
    id: 'lost-open',
    title: 'a handoff goes on although the answer to its creation was lost',
    expected: 'one conversation, and what the user says arrives in it.',
    advice: 'see lost-answer: the bridge calls find after an open that failed with kind transient.',
    async run(rig) {
      const path = await createWholePath(rig);
      rig.proxy.loseAnswer({ match: ({ writes }) => writes });
      const { user, externalId } = await path.handOver();
      const made = (await rig.system.list()).length;
      if (made !== 1) found(`the system has ${made} conversations.`);
      await user.say('Did you find me?');
      await isShownOnce(rig, externalId, 'Did you find me?');
    },
  },
  {
    id: 'chat-before-open',
    title: 'chat arrives before open finished',
    expected: 'what the user said meanwhile is shown once, in the one conversation.',
    advice: 'have open resolve when the conversation can take messages, not earlier.',
    async run(rig) {
      const path = await createWholePath(rig);
      const body = newHandoff();
      const release = rig.proxy.hold({ times: Number.POSITIVE_INFINITY });
      const establishing = path.post('conversation/establish', body);
      await rig.until('open to make a request', () => rig.proxy.requests.length > 0);
      const saying = path.post('chat', chatBody(body.conversation_id, Date.now(), 'I could not wait.'));
      await rig.until('the chat to reach the receiver', () => path.arrived('chat') > 0);
      release();
      const statuses = [await establishing, await saying];
      if (statuses.some((status) => status !== 200))
        found(`establish and chat were answered ${statuses.join(' and ')}.`);
      const externalId = await rig.until('the system to have the conversation', async () =>
        (await rig.system.list()).at(0),
      );
      const made = (await rig.system.list()).length;
      if (made !== 1) found(`the system has ${made} conversations.`);
      await isShownOnce(rig, externalId, 'I could not wait.');
    },
  },
  {
    id: 'placeholder-email',
    title: 'users with the shared placeholder e-mail stay separate',
    expected: 'a conversation for each, of another customer each, and no words of one in that of the other.',
    advice: 'key contacts by session.user.key. The e-mail address may be the same for everybody.',
    async run(rig) {
      const path = await createWholePath(rig);
      const email = 'support@example.com';
      const ask = () => path.handOver({ user: { userId: `user-${randomUUID()}`, email } });
      const [first, second] = [await ask(), await ask()];
      if (first.externalId === second.externalId) found('both users are in one conversation.');
      await first.user.say('These are the words of the first.');
      await second.user.say('These are the words of the second.');
      await isShownOnce(rig, first.externalId, 'These are the words of the first.');
      await isShownOnce(rig, second.externalId, 'These are the words of the second.');
      const [one, two] = [await rig.system.read(first.externalId), await rig.system.read(second.externalId)];
      if (one.customer !== null && one.customer === two.customer)
        found(`both users are the customer ${one.customer} in the system.`);
    },
  },
  {
    id: 'restart',
    title: 'a restart in the middle of a conversation loses nothing',
    expected: 'words go on in both directions, in the same conversation, also those from before the restart.',
    advice:
      'keep nothing in the memory of the adapter that a later call needs: what open returns as externalId and extra comes back with each call, and the cursor of poll is stored for you.',
    async run(rig) {
      const path = await createWholePath(rig);
      const handed = await path.handOver();
      await handed.user.say('Before the restart.');
      await isShownOnce(rig, handed.externalId, 'Before the restart.');
      await rig.system.agent.reply(handed.externalId, 'I answer before.');
      await gets(rig, handed, ['I answer before.']);
      path.carrier.hold();
      await path.stopProcess();
      await rig.system.agent.reply(handed.externalId, 'I answer meanwhile.');
      await path.startProcess();
      path.carrier.goOn();
      await handed.user.say('After the restart.');
      await isShownOnce(rig, handed.externalId, 'After the restart.');
      await gets(rig, handed, ['I answer before.', 'I answer meanwhile.']);
      const made = (await rig.system.list()).length;
      if (made !== 1) found(`the system has ${made} conversations.`);
    },
  },
  {
    id: 'no-agent',
    title: 'no agent before the wait timeout: the agents see that it is over',
    expected: 'the conversation is closed in the system when the service has given up waiting.',
    advice: 'close must work for a conversation that no agent has touched.',
    async run(rig) {
      const path = await createWholePath(rig);
      const { user, externalId } = await path.handOver();
      path.bench.clock.advance(WAIT_TIMEOUT_MS);
      await path.bench.idle();
      if (user.endedBy !== 'timeout')
        found(`the service ended it by ${user.endedBy}: something was said to the user.`);
      await isClosedInSystem(rig, externalId);
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
