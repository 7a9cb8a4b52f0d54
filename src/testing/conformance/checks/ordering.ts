import type { Adapter, InboundEvent } from '../../../bridge/index.js';
import { newMessage, newSession, refOf } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail, NotApplicableError, quote } from '../failures.js';
import { createFullStack, expectClosedBy, expectClosedInSystem, expectReplies } from '../full-stack.js';
import { createWebhookAdapter, isAgentReply, REPLIES, replyInReverse } from '../webhook-events.js';

const NOTE = 'Between us: this user is difficult.';
const FILE = { name: 'invoice-4711.pdf', contentType: 'application/pdf', text: 'Here is your invoice.' };
const REASON = { kind: 'failed', text: 'The platform refused it.' } as const;

/** The order of agents' actions, and missed actions. */
export const orderingChecks: readonly ConformanceCheck[] = [
  {
    id: 'catch-up',
    title: "catchUp lists agents' actions, in order and with the ids of their events",
    expected:
      "each reply once, in the order in which the agent wrote, with the id, the agent's name and the files of its event, and no message of the adapter as an agent's.",
    advice:
      "list the conversation in the helpdesk's order, and share the function that maps an event with parse, poll or stream. Leave out what the list does not tell completely.",
    async run(context) {
      const { agent } = context.helpdesk;
      const adapter = await createCatchingUpAdapter(context);
      const { session, opened, recorder } = await openAndRecord(context, adapter);
      const { externalId } = opened;
      const ref = refOf(session, opened);
      const { messageId } = await adapter.send(ref, newMessage('Is an agent there?'), context.call);
      const events: InboundEvent[] = [];
      const record = async (text: string) => {
        const { event } = await recorder.waitFor(`the event of ${quote(text)}`, (recorded) =>
          isAgentReply(recorded.event, externalId, text),
        );
        events.push(event);
      };
      for (const text of REPLIES) {
        await agent.reply(externalId, text);
        await record(text);
      }
      const listed = await adapter.catchUp(ref, session.requestedAt, context.call);
      const byAgents = listed
        .filter((event) => event.kind === 'message')
        .filter(({ author }) => author.kind === 'agent');
      const texts = byAgents
        // An echo that the bridge knows by its id.
        .filter((event) => messageId === null || event.messageId !== messageId)
        .map((event) => event.text.trim());
      if (texts.join() !== REPLIES.join())
        fail(`catchUp listed ${texts.map(quote).join(', ') || 'nothing'} as messages of agents.`);
      const replies = byAgents.filter(({ text }) => REPLIES.includes(text.trim()));
      if (replies.some(({ id }, index) => id !== events[index]?.id))
        fail(`catchUp listed the ids ${idsOf(replies)} instead of ${idsOf(events)}.`);
      if (!context.lacks('attach') && agent.attach) {
        await agent.attach(externalId, FILE);
        await recorder.waitFor(`the file ${quote(FILE.name)}`, ({ event }) =>
          filesOf(event).includes(FILE.name),
        );
      }
      const again = await adapter.catchUp(ref, session.requestedAt, context.call);
      for (const { event } of recorder.recorded) await expectSameDetails(context, adapter, event, again);
    },
  },
  {
    id: 'catch-up-close',
    title: 'catchUp lists the close',
    needs: ['close'],
    expected: 'one event of kind "closed".',
    advice:
      'read the status of the conversation in catchUp, so that a close takes effect whose webhook was lost.',
    async run(context) {
      const { listed } = await listClosed(context);
      if (listed.length !== 1) fail(`catchUp listed ${listed.length} events of kind "closed".`);
    },
  },
  {
    id: 'catch-up-close-id',
    title: 'catchUp lists the close with the id of its event',
    needs: ['close'],
    expected: 'the id under which the close arrives by webhook, poll or stream.',
    advice: 'derive the id of a close from the same values as parse, poll or stream.',
    async run(context) {
      const { reported, listed } = await listClosed(context);
      if (listed.length === 0) throw new NotApplicableError('catchUp lists no close.');
      if (listed.some(({ id }) => id !== reported.id))
        fail(`catchUp listed the close as ${idsOf(listed)} instead of ${quote(reported.id)}.`);
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
    title: 'catchUp lists more than two pages',
    expected: 'every reply, however many there are.',
    advice:
      'follow the pages of the list to its end, within a limit of your own. If pages have another size, set pageSize in the harness.',
    async run(context) {
      const adapter = await createCatchingUpAdapter(context);
      const { session, opened } = await openAndRecord(context, adapter);
      const { externalId } = opened;
      const texts = Array.from(
        { length: 2 * context.pageSize + 3 },
        (_, index) => `Reply ${index + 1} of many.`,
      );
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

const listOf = (texts: readonly string[]): string => texts.map(quote).join(', ');
const idsOf = (events: readonly InboundEvent[]): string => listOf(events.map(({ id }) => id));

/** An agent closes a conversation: the event that is reported, and those that catchUp lists. */
async function listClosed(context: CheckContext) {
  const adapter = await createCatchingUpAdapter(context);
  const { session, opened, recorder } = await openAndRecord(context, adapter);
  const { externalId } = opened;
  const isClose = (event: InboundEvent) => event.kind === 'closed' && event.externalId === externalId;
  await context.helpdesk.agent.close?.(externalId);
  const { event } = await recorder.waitFor('the event of the close', (recorded) => isClose(recorded.event));
  const listed = await adapter.catchUp(refOf(session, opened), session.requestedAt, context.call);
  return { reported: event, listed: listed.filter(isClose) };
}

const filesOf = (event: InboundEvent): readonly string[] =>
  event.kind === 'message' ? (event.attachments ?? []).map(({ name }) => name) : [];

/** Fails if the list has an event with other details than the event that arrived. It may lack the event. */
async function expectSameDetails(
  { call }: CheckContext,
  adapter: Adapter,
  event: InboundEvent,
  listed: readonly InboundEvent[],
): Promise<void> {
  const same = listed.find(({ id }) => id === event.id);
  if (event.kind !== 'message' || !same) return;
  if (filesOf(same).join() !== filesOf(event).join())
    fail(
      `catchUp listed ${quote(event.text)} with the files ${listOf(filesOf(same)) || 'none'} instead of ${listOf(filesOf(event))}.`,
    );
  const nameIn = async ({ author: { name, id } }: InboundEvent) =>
    name ?? (id === undefined ? null : ((await adapter.agentName?.(id, call)) ?? null));
  const [name, expected] = [await nameIn(same), await nameIn(event)];
  if (event.author.kind === 'agent' && name !== expected)
    fail(
      `catchUp listed ${quote(event.text)} with the name ${quote(String(name))} instead of ${quote(String(expected))}.`,
    );
}

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
