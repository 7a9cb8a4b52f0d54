import type { Adapter } from '../../../bridge/index.js';
import { newSession, refOf } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail, NotApplicableError, quote } from '../failures.js';
import { createFullStack, expectClosedBy, expectClosedInSystem, expectReplies } from '../full-stack.js';
import { createWebhookAdapter, isAgentReply, REPLIES, replyInReverse } from '../webhook-events.js';

const NOTE = 'Between us: this user is difficult.';
const REASON = { kind: 'failed', text: 'The platform refused it.' } as const;

/** The order of agents' actions, and missed actions. */
export const orderingChecks: readonly ConformanceCheck[] = [
  {
    id: 'catch-up',
    title: "catchUp lists agents' actions, in order and with the ids of their events",
    expected: "each reply once, in the order in which the agent wrote, with its event's id.",
    advice:
      "list the conversation in the helpdesk's order, and derive event ids from the same values as parse, poll or stream.",
    async run(context) {
      const adapter = await createCatchingUpAdapter(context);
      const { session, opened, recorder } = await openAndRecord(context, adapter);
      const { externalId } = opened;
      const ids: string[] = [];
      for (const text of REPLIES) {
        await context.helpdesk.agent.reply(externalId, text);
        const { event } = await recorder.waitFor(`the event of ${quote(text)}`, (recorded) =>
          isAgentReply(recorded.event, externalId, text),
        );
        ids.push(event.id);
      }
      const listed = await adapter.catchUp(refOf(session, opened), session.requestedAt, context.call);
      const replies = listed.filter((event) => REPLIES.some((text) => isAgentReply(event, externalId, text)));
      const texts = replies.map((event) => (event.kind === 'message' ? event.text.trim() : ''));
      if (texts.join() !== REPLIES.join())
        fail(`catchUp listed ${texts.map(quote).join(', ') || 'nothing'}.`);
      if (replies.some(({ id }, index) => id !== ids[index]))
        fail(
          `catchUp listed the ids ${replies.map(({ id }) => quote(id)).join(', ')} instead of ${ids.map(quote).join(', ')}.`,
        );
    },
  },
  {
    id: 'catch-up-notes',
    title: 'catchUp marks internal notes',
    needs: ['note'],
    expected: 'the reply, and the note only with internal: true.',
    advice: 'set internal in catchUp as parse does: share the function that maps an event.',
    async run(context) {
      const adapter = await createCatchingUpAdapter(context);
      const { session, opened, recorder } = await openAndRecord(context, adapter);
      const { externalId } = opened;
      const [reply = ''] = REPLIES;
      await context.helpdesk.agent.note?.(externalId, NOTE);
      await context.helpdesk.agent.reply(externalId, reply);
      await recorder.waitFor(`the event of ${quote(reply)}`, ({ event }) =>
        isAgentReply(event, externalId, reply),
      );
      const listed = await adapter.catchUp(refOf(session, opened), session.requestedAt, context.call);
      if (!listed.some((event) => isAgentReply(event, externalId, reply)))
        fail('catchUp did not list the reply.');
      if (listed.some((event) => event.kind === 'message' && event.text.includes(NOTE) && !event.internal))
        fail('catchUp listed the note without internal: true.');
    },
  },
  {
    id: 'catch-up-pages',
    title: 'catchUp lists more than one page',
    expected: 'every reply, however many there are.',
    advice:
      'follow the pages of the list to its end, within a limit of your own. If pages have another size, set pageSize in the harness.',
    async run(context) {
      const adapter = await createCatchingUpAdapter(context);
      const { session, opened } = await openAndRecord(context, adapter);
      const { externalId } = opened;
      const texts = Array.from({ length: context.pageSize + 3 }, (_, index) => `Reply ${index + 1} of many.`);
      for (const text of texts) await context.helpdesk.agent.reply(externalId, text);
      let found: readonly string[] = [];
      await context.waitFor(
        () => `catchUp to list ${texts.length} replies (listed: ${found.length})`,
        async () => {
          const listed = await adapter.catchUp(refOf(session, opened), session.requestedAt, context.call);
          found = texts.filter((text) => listed.some((event) => isAgentReply(event, externalId, text)));
          return found.length === texts.length;
        },
      );
    },
  },
  {
    id: 'overtaking-close',
    title: 'a close whose webhook overtakes two replies takes effect after them',
    needs: ['close'],
    expected: 'the user receives both replies in order, then the conversation ends.',
    advice: 'list in catchUp everything that agents wrote, even after the conversation was closed.',
    async run(context) {
      const adapter = await createWebhookAdapter(context);
      await createCatchingUpAdapter(context);
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      const { externalId } = handover;
      await stack.forwarder.idle();
      stack.forwarder.pause();
      for (const text of REPLIES.slice(0, 2)) await context.helpdesk.agent.reply(externalId, text);
      await context.helpdesk.agent.close?.(externalId);
      await context.waitFor('the webhook of the close', () =>
        context.webhookSink.requests
          .flatMap((request) => adapter.parse(request).events)
          .some((event) => event.kind === 'closed' && event.externalId === externalId),
      );
      stack.forwarder.resume('newest-first');
      await expectClosedBy(context, stack, handover, 'agent');
      await stack.forwarder.idle();
      await expectReplies(context, handover, REPLIES.slice(0, 2));
    },
  },
  {
    id: 'reply-order',
    title: 'replies whose webhooks overtake one another reach the user in order',
    expected: 'the user receives each reply once, in the order in which the agent wrote.',
    advice: 'set capabilities.unordered if webhooks can overtake one another, and list in order in catchUp.',
    async run(context) {
      const adapter = await createWebhookAdapter(context);
      await createCatchingUpAdapter(context);
      if (adapter.capabilities.unordered !== true)
        throw new NotApplicableError('the adapter does not set capabilities.unordered.');
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await replyInReverse(context, stack, handover.externalId);
      await expectReplies(context, handover, REPLIES);
      await stack.forwarder.idle();
      await expectReplies(context, handover, REPLIES);
    },
  },
  {
    id: 'missed-events',
    title: "agents' replies while no process was running reach the user",
    expected: 'the user receives both replies once and in order, although their webhooks were lost.',
    advice: 'list in catchUp everything since the given time; keep no state in memory.',
    async run(context) {
      await createWebhookAdapter(context);
      await createCatchingUpAdapter(context);
      const stack = await createFullStack(context);
      const handover = await stack.handOver();
      await context.helpdesk.agent.reply(handover.externalId, REPLIES[0] ?? '');
      await expectReplies(context, handover, REPLIES.slice(0, 1));
      await stack.forwarder.idle();
      await stack.stopProcess();
      for (const text of REPLIES.slice(1)) await context.helpdesk.agent.reply(handover.externalId, text);
      await stack.forwarder.idle();
      await stack.startProcess();
      await expectReplies(context, handover, REPLIES);
    },
  },
  {
    id: 'undelivered',
    title: 'agents see which replies did not reach the user',
    expected: 'agents see it at the reply or in a note that quotes it; a closed conversation stays closed.',
    advice:
      'mark the message in undelivered, or write a note with the text of undeliveredNote. Do not reopen a closed conversation.',
    async run(context) {
      const adapter = await context.createAdapter();
      const undelivered = adapter.undelivered?.bind(adapter);
      if (!undelivered) throw new NotApplicableError('the adapter has no undelivered.');
      const { session, opened, recorder } = await openAndRecord(context, adapter);
      const { externalId } = opened;
      const ref = refOf(session, opened);
      const texts = REPLIES.slice(0, 2);
      for (const text of texts) {
        await context.helpdesk.agent.reply(externalId, text);
        const { event } = await recorder.waitFor(`the event of ${quote(text)}`, (recorded) =>
          isAgentReply(recorded.event, externalId, text),
        );
        const messageId = event.kind === 'message' ? event.messageId : null;
        await undelivered(ref, { messageId, text }, REASON, context.call);
      }
      for (const text of texts)
        await context.waitFor(`the agents to see that ${quote(text)} was not delivered`, async () => {
          const seen = await context.helpdesk.read(externalId);
          return seen.undelivered?.includes(text) || seen.shown.some((shown) => shown.includes(text));
        });
      await adapter.close(ref, { by: 'user', text: 'The user has left.' }, context.call);
      await expectClosedInSystem(context, externalId);
      // A dead letter does not name the message.
      await undelivered(ref, { messageId: null, text: REPLIES[2] ?? '' }, REASON, context.call);
      if (!(await context.helpdesk.read(externalId)).isClosed) fail('the conversation is open again.');
    },
  },
];

/** Skips the check if the adapter has no catchUp. */
async function createCatchingUpAdapter(
  context: CheckContext,
): Promise<Adapter & Required<Pick<Adapter, 'catchUp'>>> {
  const adapter = await context.createAdapter();
  if (hasCatchUp(adapter)) return adapter;
  throw new NotApplicableError('the adapter has no catchUp.');
}

const hasCatchUp = (adapter: Adapter): adapter is Adapter & Required<Pick<Adapter, 'catchUp'>> =>
  adapter.catchUp !== undefined;

async function openAndRecord(context: CheckContext, adapter: Adapter) {
  const session = newSession();
  const opened = await adapter.open(session, context.call);
  return { session, opened, recorder: await context.recordEvents(adapter) };
}
