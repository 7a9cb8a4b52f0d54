import type { ConformanceCheck } from '../check-context.js';
import { fail } from '../failures.js';
import { createFullStack, expectClosedInSystem, expectShownOnce, overrideAdapter } from '../full-stack.js';

const RETRY_AFTER_MS = 1_000;
const SLOW_MS = 1_500;
const CLOCK_TOLERANCE_MS = 100;

export const outageChecks: readonly ConformanceCheck[] = [
  {
    id: 'rate-limit-honoured',
    title: 'Retry-After is honoured, and the message is sent afterwards',
    expected: 'the message is shown once, after the requested delay.',
    advice: 'see rate-limited.',
    async run(context) {
      // The adapter's own limit is a way to wait, where the helpdesk's client hides Retry-After.
      const stack = await createFullStack(context, { keepsRate: true });
      const { user, externalId } = await stack.handOver();
      const before = context.proxy.requests.length;
      context.proxy.answer(context.faultAnswers.rateLimited(RETRY_AFTER_MS / 1_000), {
        match: ({ writes }) => writes,
      });
      await user.say('One moment, please.');
      await expectShownOnce(context, externalId, 'One moment, please.');
      const [refused, again] = context.proxy.requests.slice(before).filter(({ writes }) => writes);
      const waited = Math.round((again?.at ?? Number.POSITIVE_INFINITY) - (refused?.at ?? 0));
      if (waited < RETRY_AFTER_MS - CLOCK_TOLERANCE_MS)
        fail(`the adapter was called again after ${waited} ms.`);
    },
  },
  {
    id: 'outage',
    title: '5xx is retried, and messages stay in order',
    expected: 'messages sent during a short outage are shown once and in order.',
    advice:
      'see unavailable. Do not send in the background: the bridge waits for send before it sends the next message.',
    async run(context) {
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      context.proxy.answer(context.faultAnswers.unavailable, { times: 2, match: ({ writes }) => writes });
      const messages = ['One of three.', 'Two of three.', 'Three of three.'];
      await Promise.all(messages.map((text) => user.say(text)));
      for (const text of messages) await expectShownOnce(context, externalId, text);
      const all = (await context.helpdesk.read(externalId)).shown.join('\n');
      const places = messages.map((text) => all.indexOf(text));
      if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
        fail('the messages are not in the order in which the user sent them.');
    },
  },
  {
    id: 'slow-answer',
    title: 'a message whose answer is slow is sent once',
    expected: 'the message is shown once, although the helpdesk answers after 1.5 seconds.',
    advice:
      'leave time limits and retries to the bridge: send once, and fail with kind "transient" if there is no answer.',
    async run(context) {
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      context.proxy.delayAnswer(SLOW_MS, { match: ({ writes }) => writes });
      await user.say('Are you slow today?');
      // Sent once send has returned for the message before it.
      await user.say('Never mind.');
      await expectShownOnce(context, externalId, 'Never mind.');
      await expectShownOnce(context, externalId, 'Are you slow today?');
    },
  },
  {
    id: 'refused-message',
    title: 'a message that is refused for good does not block the next',
    expected: 'the message after the refused one is shown once.',
    advice: 'see refused. Keep no state of a failed message or its conversation.',
    async run(context) {
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      context.proxy.answer(context.faultAnswers.refused, { match: ({ writes }) => writes });
      await user.say('This one is refused.');
      await user.say('This one is accepted.');
      await expectShownOnce(context, externalId, 'This one is accepted.');
    },
  },
  {
    id: 'failing-message',
    title: 'a message that always fails does not block the next message and the close',
    expected: 'the agents see the message after it, and that the conversation has ended.',
    advice: 'see unavailable. Keep no state of a failed message or its conversation.',
    async run(context) {
      let isFailing = false;
      const stack = await createFullStack(context, {
        retry: { giveUpAfter: 1 },
        wrap: (adapter) =>
          overrideAdapter(adapter, {
            async send(ref, message, call) {
              isFailing = message.text === 'This one always fails.';
              try {
                return await adapter.send(ref, message, call);
              } finally {
                isFailing = false;
              }
            },
          }),
      });
      const { user, externalId } = await stack.handOver();
      context.proxy.answer(context.faultAnswers.unavailable, {
        times: Number.POSITIVE_INFINITY,
        match: ({ writes }) => writes && isFailing,
      });
      await user.say('This one always fails.');
      await user.say('This one does not.');
      await expectShownOnce(context, externalId, 'This one does not.');
      await user.closeByUser();
      await expectClosedInSystem(context, externalId);
    },
  },
  {
    id: 'failing-close',
    title: 'a close that always fails is given up, and agents and operators are told',
    expected: 'a message asks the agents to close the conversation, and the log has an error.',
    advice: "see unavailable: let close fail with the request's error, and keep no state of a failed close.",
    async run(context) {
      let isClosing = false;
      const stack = await createFullStack(context, {
        retry: { giveUpAfter: 1 },
        wrap: (adapter) =>
          overrideAdapter(adapter, {
            async close(ref, reason, call) {
              isClosing = true;
              try {
                return await adapter.close(ref, reason, call);
              } finally {
                isClosing = false;
              }
            },
          }),
      });
      const { user, externalId } = await stack.handOver();
      context.proxy.answer(context.faultAnswers.unavailable, {
        times: Number.POSITIVE_INFINITY,
        match: () => isClosing,
      });
      await user.closeByUser();
      await expectShownOnce(context, externalId, 'It could not be closed here; please close it.');
      await context.waitFor('the log to report the unclosed conversation', () =>
        context.recordedLog.errors().some((line) => line.includes('could not be closed')),
      );
    },
  },
  {
    id: 'hanging-elsewhere',
    title: 'a call that hangs does not block other conversations',
    expected:
      'the message in the other conversation is shown at once, and the held message afterwards, once.',
    advice: 'do not queue requests in the adapter: the bridge keeps the order within each conversation.',
    async run(context) {
      const stack = await createFullStack(context);
      const slow = await stack.handOver();
      const other = await stack.handOver();
      const before = context.proxy.requests.length;
      const release = context.proxy.hold({ match: ({ writes }) => writes });
      const saying = slow.user.say('This one hangs.');
      await context.waitFor('the message to reach the helpdesk', () =>
        context.proxy.requests.slice(before).some(({ writes }) => writes),
      );
      await other.user.say('This one does not.');
      await expectShownOnce(context, other.externalId, 'This one does not.');
      release();
      await saying;
      await expectShownOnce(context, slow.externalId, 'This one hangs.');
    },
  },
  {
    id: 'refused-told',
    title: '401 is not retried, and operators are alerted',
    expected: 'a single request, and an error in the log about refused credentials.',
    advice: 'see unauthorized.',
    async run(context) {
      const stack = await createFullStack(context);
      const { user } = await stack.handOver();
      const before = context.proxy.requests.length;
      context.proxy.answer(context.faultAnswers.unauthorized, {
        times: Number.POSITIVE_INFINITY,
        match: ({ writes }) => writes,
      });
      // Unanswered until an operator fixes the credentials.
      const saying = user.say('Is anybody there?').catch(() => {});
      await context.waitFor('the log to report refused credentials', () =>
        context.recordedLog.errors().some((line) => line.includes('credentials refused')),
      );
      const sent = context.proxy.requests.slice(before).filter(({ writes }) => writes).length;
      await stack.stopProcess();
      await saying;
      if (sent !== 1) fail(`the message was sent ${sent} times.`);
    },
  },
];
