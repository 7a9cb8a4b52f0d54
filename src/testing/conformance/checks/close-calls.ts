import type { Adapter, CloseReason, ConversationRef } from '../../../bridge/index.js';
import { adapterErrorOf, newMessage, newSession, refOf } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail } from '../failures.js';
import { expectClosedInSystem } from '../full-stack.js';
import { trackOpenHandles } from '../instrumentation.js';
import { isAgentReply } from '../webhook-events.js';

const USER_LEFT: CloseReason = { by: 'user', text: 'The user has openHandles.' };

/** More than 1 MiB in total, each short enough for most helpdesks. */
const LONG_REPLY = 'A long reply from an agent. '.repeat(700).trim();
const LONG_REPLIES = 60;

export const closeCallChecks: readonly ConformanceCheck[] = [
  {
    id: 'close',
    title: 'close closes the conversation in the helpdesk',
    expected: 'the agents see that it has ended.',
    advice: 'set the status of the conversation, or write a closing message if the helpdesk has no status.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      await adapter.close(ref, USER_LEFT, context.call);
      await expectClosedInSystem(context, ref.externalId);
    },
  },
  {
    id: 'own-close',
    title: "a close by the adapter is not reported as an agent's",
    expected: 'no event of kind "closed" by an agent for a conversation that the adapter has closed.',
    advice:
      'set author.kind to "self" or "system" in the event that the adapter\'s close causes: compare its author with the account of the adapter.',
    async run(context) {
      const adapter = await context.createAdapter();
      const ref = await openNew(context, adapter);
      const other = await openNew(context, adapter);
      const recorder = await context.recordEvents(adapter);
      await adapter.close(ref, USER_LEFT, context.call);
      await expectClosedInSystem(context, ref.externalId);
      // Reported after the close.
      await context.helpdesk.agent.reply(other.externalId, 'After the close.');
      await recorder.waitFor("the agent's reply", ({ event }) =>
        isAgentReply(event, other.externalId, 'After the close.'),
      );
      const isWrong = ({ event }: (typeof recorder.recorded)[number]) =>
        event.kind === 'closed' && event.externalId === ref.externalId && event.author.kind === 'agent';
      if (recorder.recorded.some(isWrong)) fail("the adapter's own close was reported as an agent's.");
    },
  },
  {
    id: 'close-twice',
    title: 'close of a closed conversation succeeds',
    expected: 'no error, and it stays closed.',
    advice: 'treat the answer "already closed" from the helpdesk as success.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      for (const time of ['first', 'second']) {
        const closing = adapter.close(ref, USER_LEFT, context.call);
        const error = await adapterErrorOf('close', closing);
        if (error) fail(`the ${time} close failed with kind "${error.kind}": ${error.message}`);
      }
      await expectClosedInSystem(context, ref.externalId);
    },
  },
  {
    id: 'close-after-agent',
    title: 'close succeeds after an agent has closed the conversation',
    needs: ['close'],
    expected: 'no error, and it stays closed.',
    advice: 'treat the answer "already closed" from the helpdesk as success.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      await context.helpdesk.agent.close?.(ref.externalId);
      const closing = adapter.close(ref, USER_LEFT, context.call);
      const error = await adapterErrorOf('close', closing);
      if (error) fail(`close failed with kind "${error.kind}": ${error.message}`);
      if (!(await context.helpdesk.read(ref.externalId)).isClosed) fail('the conversation is open again.');
    },
  },
  {
    id: 'close-refused',
    title: 'a close that is refused for good leaves one notice',
    expected:
      'an AdapterError of kind "invalid", or success if the agents see the end anyway, and no second notice however often close is called.',
    advice:
      'before you write a closing message, check whether an earlier attempt wrote it. The kit refuses each writing request of close, one per conversation.',
    async run(context) {
      const adapter = await context.createAdapter();
      const before = context.proxy.requests.length;
      await adapter.close(await openNew(context, adapter), USER_LEFT, context.call);
      const count = context.proxy.requests.slice(before).filter(({ writes }) => writes).length;
      for (let index = 0; index < count; index += 1) await expectOneNotice(context, adapter, index);
    },
  },
  {
    id: 'large-conversation',
    title: 'a conversation of more than 1 MiB is found, continued and closed',
    expected: 'find, send and close work as in a short conversation.',
    advice:
      'request a part of the conversation, such as its status or its last messages, or set maxResponseBytes of createAdapterHttp.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      for (let count = 0; count < LONG_REPLIES; count += 1)
        await context.helpdesk.agent.reply(ref.externalId, LONG_REPLY);
      const calls = {
        find: () => adapter.find(session, context.call),
        send: () => adapter.send(ref, newMessage('Are you there?'), context.call),
        close: () => adapter.close(ref, USER_LEFT, context.call),
      };
      for (const [method, run] of Object.entries(calls)) {
        const error = await adapterErrorOf(method, run());
        if (error) fail(`${method} failed with kind "${error.kind}": ${error.message}`);
      }
      await expectClosedInSystem(context, ref.externalId);
    },
  },
  {
    id: 'dispose',
    title: 'dispose leaves nothing behind',
    expected: 'dispose closes all timers, connections and servers of the adapter.',
    advice: 'close intervals, sockets and HTTP agents in dispose, and make it idempotent.',
    async run(context) {
      const tracker = trackOpenHandles();
      try {
        await tracker.run(async () => {
          const adapter = await context.createAdapter();
          const session = newSession();
          const ref = refOf(session, await adapter.open(session, context.call));
          const recorder = await context.recordEvents(adapter);
          await adapter.send(ref, newMessage('Are you there?'), context.call);
          await adapter.check(context.call);
          await recorder.stop();
          await adapter.dispose?.();
          await adapter.dispose?.();
        });
        // Idle keep-alive connections close with the other side.
        await context.cleanUp();
        const openHandles = await tracker.openKinds(context.stepTimeoutMs);
        if (openHandles.length > 0) fail(`still open: ${openHandles.join(', ')}.`);
      } finally {
        tracker.stop();
      }
    },
  },
];

const openNew = async (context: CheckContext, adapter: Adapter): Promise<ConversationRef> => {
  const session = newSession();
  return refOf(session, await adapter.open(session, context.call));
};

/** Refuses one writing request of `close` in three attempts. */
async function expectOneNotice(context: CheckContext, adapter: Adapter, index: number): Promise<void> {
  const { proxy, helpdesk, faultAnswers } = context;
  const ref = await openNew(context, adapter);
  const shown = async () => (await helpdesk.read(ref.externalId)).shown.length;
  const shownBefore = await shown();
  const firstRequest = proxy.requests.length;
  // A later attempt may skip requests that succeeded before, so the request is recognised by its path.
  const refused = () => proxy.requests.slice(firstRequest).filter(({ writes }) => writes)[index];
  for (const time of ['first', 'second', 'third']) {
    const path = refused()?.path;
    if (path === undefined)
      proxy.answer(faultAnswers.refused, { after: index, match: ({ writes }) => writes });
    else proxy.answer(faultAnswers.refused, { match: (request) => request.writes && request.path === path });
    const error = await adapterErrorOf('close', adapter.close(ref, USER_LEFT, context.call));
    proxy.clear();
    if (error && error.kind !== 'invalid')
      fail(`the ${time} close failed with kind "${error.kind}": ${error.message}`);
    if (!error) await expectClosedInSystem(context, ref.externalId);
  }
  const notices = (await shown()) - shownBefore;
  if (notices > 1) fail(`the agents see ${notices} closing messages after three attempts.`);
}
