import type { Adapter, InboundRequest, PollResult } from '../../../bridge/index.js';
import { newSession } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail, quote } from '../failures.js';
import {
  countShown,
  createFullStack,
  expectReplies,
  expectShownOnce,
  expectTexts,
  type FullStack,
  overrideAdapter,
} from '../full-stack.js';
import { withSecondFile } from '../malformed-webhooks.js';
import { createWebhookAdapter, REPLIES, replyInReverse, tamperWith } from '../webhook-events.js';

const HOUR_MS = 3_600_000;
const LONG_NOTE = 'This note among agents is long. '.repeat(100).trim();
const SECOND_FILE = 'receipt-4712.pdf';
const FILE = { name: 'invoice-4711.pdf', contentType: 'application/pdf', text: 'Here is your invoice.' };

export const inboundChecks: readonly ConformanceCheck[] = [
  {
    id: 'own-echo',
    title: 'messages of the adapter are not echoed to the user',
    expected: "the user receives agents' replies, and no messages that the adapter wrote.",
    advice:
      'set author.kind to "self" for messages from the adapter\'s account, or return from send the id that the helpdesk reports for the message.',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      for (const text of ['First message.', 'Second message.']) {
        await handover.user.say(text);
        await expectShownOnce(context, handover.externalId, text);
      }
      await context.helpdesk.agent.reply(handover.externalId, 'Reply of an agent.');
      await expectReplies(context, handover, ['Reply of an agent.']);
    },
  },
  {
    id: 'same-words',
    title: 'users and agents can repeat an earlier text',
    expected:
      'each message arrives, even with one character, or with the text of another message of the same or the other side.',
    advice:
      "use the helpdesk's event ids, never ids derived from the text. In send, only an equal message.key is a repetition.",
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      for (const count of [1, 2]) {
        await handover.user.say('Yes.');
        await context.waitFor(
          `the agents to see "Yes." (${count} of 2)`,
          async () => (await countShown(context, handover.externalId, 'Yes.')) >= count,
        );
      }
      const replies = ['Yes.', 'Yes.', '1', 'Good bye.'];
      for (const text of replies) await context.helpdesk.agent.reply(handover.externalId, text);
      await expectReplies(context, handover, replies);
    },
  },
  {
    id: 'internal-note',
    title: 'internal notes do not reach the user',
    needs: ['note'],
    expected: 'the user receives replies, and no internal notes.',
    advice: 'set internal: true for notes, and when in doubt.',
    async run(context) {
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      for (const note of ['This user is difficult.', LONG_NOTE])
        await context.helpdesk.agent.note?.(handover.externalId, note);
      await context.helpdesk.agent.reply(handover.externalId, 'How can I help you?');
      await expectReplies(context, handover, ['How can I help you?']);
    },
  },
  {
    id: 'attachment',
    title: "an agent's file reaches the user as its name and link",
    needs: ['attach'],
    expected:
      "the user receives the text, the file's name, and its address if the user can open it, and so for each file of a message.",
    advice: "report all files in the message's attachments; the bridge writes them as text.",
    async run(context) {
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      const url = await context.helpdesk.agent.attach?.(externalId, FILE);
      for (const part of [FILE.text, FILE.name, url ?? FILE.name])
        await context.waitFor(`the user to receive ${quote(part)}`, () =>
          user.replies.some(({ text }) => text.includes(part)),
        );
      expectBothFiles(context, await context.createAdapter());
    },
  },
  {
    id: 'reordered',
    title: 'all replies reach the user if their webhooks arrive out of order',
    expected: 'the user receives each reply once, although the last webhook arrives first.',
    advice: 'let parse return every event, without regard to earlier events.',
    async run(context) {
      await createWebhookAdapter(context);
      const stack = await createFullStack(context);
      const { user, externalId } = await stack.handOver();
      await replyInReverse(context, stack, externalId);
      const received = () => user.replies.map(({ text }) => text.trim());
      for (const text of REPLIES)
        await context.waitFor(`the user to receive ${quote(text)}`, () => received().includes(text));
      await stack.forwarder.idle();
      expectTexts(received().toSorted(), REPLIES.toSorted());
    },
  },
  {
    id: 'duplicate',
    title: 'a duplicate event reaches the user once',
    expected: 'the user receives each reply once, although the helpdesk reports it three times.',
    advice: "use the helpdesk's event id, so that repeated deliveries have the same id.",
    async run(context) {
      const stack = await createFullStack(context, { wrap: withRepeatedEvents });
      stack.forwarder.copies = 3;
      const handover = await stack.handOver();
      await context.helpdesk.agent.reply(handover.externalId, 'I say this once.');
      await context.helpdesk.agent.reply(handover.externalId, 'And this.');
      await expectReplies(context, handover, ['I say this once.', 'And this.']);
      await stack.forwarder.idle();
      expectTexts(
        handover.user.replies.map(({ text }) => text.trim()),
        ['I say this once.', 'And this.'],
      );
    },
  },
  {
    id: 'forged',
    title: 'webhooks with a wrong or missing signature are answered 401 and ignored',
    needs: ['signature'],
    expected: '401, and no reply to the user.',
    advice: 'see signature-wrong, signature-missing and signature-body.',
    async run(context) {
      await createWebhookAdapter(context);
      const stack = await createFullStack(context);
      const { request, handover } = await holdAgentReply(context, stack);
      const { wrongSignature, unsigned, changedBody } = tamperWith(request);
      const bodies = context.lacks('signedBody') ? [] : changedBody;
      for (const changed of [...wrongSignature, ...unsigned, ...bodies])
        await expectUnauthorized(stack, changed);
      await expectOnlyGenuineReply(context, stack, handover);
    },
  },
  {
    id: 'stale',
    title: 'a webhook with a stale signature is answered 401 and ignored',
    needs: ['signature', 'signedTime'],
    expected: '401 for a genuine request that arrives an hour late, and no reply to the user.',
    advice: 'see signature-stale.',
    async run(context) {
      await createWebhookAdapter(context);
      let lateMs = HOUR_MS;
      const wrap = (adapter: Adapter) =>
        overrideAdapter(adapter, {
          verify: (request) =>
            adapter.verify?.({ ...request, receivedAt: request.receivedAt + lateMs }) ?? 'unsigned',
        });
      const stack = await createFullStack(context, { wrap });
      const { request, handover } = await holdAgentReply(context, stack);
      await expectUnauthorized(stack, request);
      lateMs = 0;
      await expectOnlyGenuineReply(context, stack, handover);
    },
  },
  {
    id: 'unknown-conversation',
    title: 'webhooks for unknown conversations are answered 200 and ignored',
    expected: '200, so that the helpdesk does not retry, and no reply to any user.',
    advice: "let parse return every conversation's events; the bridge selects its own.",
    async run(context) {
      const otherAdapter = await context.createAdapter();
      const { externalId } = await otherAdapter.open(newSession(), context.call);
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await context.helpdesk.agent.reply(externalId, 'To another user.');
      await context.helpdesk.agent.reply(handover.externalId, 'To you.');
      await expectReplies(context, handover, ['To you.']);
      const failedStatuses = stack.forwarder.statuses.filter((status) => status !== 200);
      if (failedStatuses.length > 0)
        fail(`a webhook from the helpdesk was answered ${failedStatuses.join(', ')}.`);
    },
  },
];

/** Fails if `parse` loses a file when the webhook of {@link FILE} has two. */
function expectBothFiles({ webhookSink }: CheckContext, adapter: Adapter): void {
  const filesOf = (request: InboundRequest): string[] =>
    (adapter.parse?.(request).events ?? [])
      .flatMap((event) => (event.kind === 'message' ? (event.attachments ?? []) : []))
      .map(({ name }) => name);
  const request = webhookSink.requests.find((each) => filesOf(each).includes(FILE.name));
  const changed = request && withSecondFile(request, FILE.name, SECOND_FILE);
  if (!changed) return;
  const files = filesOf(changed);
  if (!files.includes(FILE.name) || !files.includes(SECOND_FILE))
    fail(`of two files, parse returned ${files.map(quote).join(', ')}.`);
}

/** An agent's reply whose webhook was recorded and is held back. */
async function holdAgentReply(context: CheckContext, stack: FullStack) {
  const handover = await stack.handOver();
  await stack.forwarder.idle();
  stack.forwarder.pause();
  const before = context.webhookSink.requests.length;
  await context.helpdesk.agent.reply(handover.externalId, 'Signed, an agent.');
  const request = await context.waitFor('the webhook of the reply', () =>
    context.webhookSink.requests.slice(before).findLast(({ body }) => body.length > 0),
  );
  return { handover, request };
}

async function expectUnauthorized(
  stack: FullStack,
  request: Parameters<FullStack['forwarder']['forward']>[0],
): Promise<void> {
  const status = await stack.forwarder.forward(request);
  if (status !== 401) fail(`the request was answered ${status}.`);
}

/** Forwards the genuine webhook: if only its reply arrives, the refused webhooks had no effect. */
async function expectOnlyGenuineReply(
  context: CheckContext,
  stack: FullStack,
  handover: Awaited<ReturnType<typeof holdAgentReply>>['handover'],
) {
  expectTexts(
    handover.user.replies.map(({ text }) => text),
    [],
  );
  stack.forwarder.resume();
  await expectReplies(context, handover, ['Signed, an agent.']);
}

/** Repeats every polled event three times and every streamed event twice. */
function withRepeatedEvents(adapter: Adapter): Adapter {
  const pollThreeTimes: NonNullable<Adapter['poll']> = async (cursor, call) => {
    const results: PollResult[] = [];
    for (let time = 0; time < 3; time += 1) results.push((await adapter.poll?.(cursor, call)) ?? NO_EVENTS);
    return { events: results.flatMap(({ events }) => events), cursor: results[0]?.cursor ?? '' };
  };
  const streamTwice: NonNullable<Adapter['stream']> = async (emit, call) =>
    adapter.stream?.(async (event) => {
      await emit(event);
      return emit(event);
    }, call);
  return overrideAdapter(adapter, {
    ...('poll' in adapter ? { poll: pollThreeTimes } : {}),
    ...('stream' in adapter ? { stream: streamTwice } : {}),
  });
}

const NO_EVENTS: PollResult = { events: [], cursor: '' };
