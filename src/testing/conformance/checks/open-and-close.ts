import type { Adapter, HandoffSession, OpenedConversation } from '../../../bridge/index.js';
import { adapterErrorOf, newMessage, newSession, refOf } from '../adapter-calls.js';
import { type ConformanceCheck, fail } from '../check.js';
import type { CheckContext } from '../check-context.js';
import { trackOpenHandles } from '../instrumentation.js';

/** Calls of `open` and `find`. */
export const openCallChecks: readonly ConformanceCheck[] = [
  {
    id: 'open',
    title: 'open creates a conversation with the transcript',
    expected: 'one conversation in which the agents see the transcript.',
    advice:
      'write the transcript into the conversation (transcriptText formats it), and return as externalId the id that the system uses in its webhooks.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const { externalId } = await adapter.open(session, context.call);
      const [only, ...more] = await context.system.list();
      if (only === undefined || more.length > 0)
        fail(`the system has ${more.length + (only ? 1 : 0)} conversations.`);
      if (only !== externalId)
        fail(`open returned the id ${externalId}, but the system has the conversation ${only}.`);
      await expectTranscript(context, externalId, session.question);
    },
  },
  {
    id: 'find-nothing',
    title: 'find returns null for a session that was never opened',
    expected: 'null, even while another conversation is open.',
    advice: 'search by session.key only, not by the user or the e-mail address.',
    async run(context) {
      const adapter = await context.createAdapter();
      await adapter.open(newSession(), context.call);
      const other = await adapter.find(newSession(), context.call);
      if (other) fail(`find returned ${other.externalId} for a session that was never opened.`);
    },
  },
  {
    id: 'lost-answer',
    title: 'find recovers a conversation if the answer to its creation was lost',
    expected: 'exactly one conversation, which find returns, whichever answer of open was lost.',
    advice:
      'store session.key with the conversation in the request that creates it, and let find search for it. The kit loses the answer to each writing request of open, one per attempt.',
    async run(context) {
      await losingEachAnswer(context, async (adapter, session, index) => {
        const before = (await context.system.list()).length;
        const opened = await openLosing(context, adapter, session, index);
        const made = (await context.system.list()).length - before;
        if (made !== 1)
          fail(`with the answer to writing request ${index + 1} lost, there are ${made} conversations.`);
        const { externalId } = opened;
        if (!(await context.system.list()).includes(externalId))
          fail(`find returned the id ${externalId}, which the system does not have.`);
      });
    },
  },
  {
    id: 'broken-off',
    title: 'an interrupted open is completed',
    expected: 'the agents see the transcript, whichever answer of open was lost.',
    advice:
      'an open of several requests can fail after any of them: let find add a missing transcript, or create the conversation in one request.',
    async run(context) {
      await losingEachAnswer(context, async (adapter, session, index) => {
        const { externalId } = await openLosing(context, adapter, session, index);
        await expectTranscript(context, externalId, session.question);
      });
    },
  },
];

type Recover = (adapter: Adapter, session: ReturnType<typeof newSession>, index: number) => Promise<void>;

/** Runs a task for each writing request that open makes. */
async function losingEachAnswer(context: CheckContext, recover: Recover): Promise<void> {
  const adapter = await context.createAdapter();
  await adapter.open(newSession(), context.call);
  const count = context.proxy.requests.filter(({ writes }) => writes).length;
  if (count === 0) fail('open sent no writing request through site.baseUrl, so no answer can be lost.');
  for (let index = 0; index < count; index += 1) await recover(adapter, newSession(), index);
}

/** Opens a session with one lost answer, then recovers as the bridge does: find, then open. */
async function openLosing(
  context: CheckContext,
  adapter: Adapter,
  session: HandoffSession,
  index: number,
): Promise<OpenedConversation> {
  context.proxy.loseAnswer({ after: index, match: ({ writes }) => writes });
  const error = await adapterErrorOf('open', adapter.open(session, context.call));
  context.proxy.clear();
  if (error && error.kind !== 'transient')
    fail(`open failed with kind ${error.kind} after a lost answer, expected transient: ${error.message}`);
  return (await adapter.find(session, context.call)) ?? (await adapter.open(session, context.call));
}

async function expectTranscript(
  { system, waitFor }: CheckContext,
  externalId: string,
  question: string,
): Promise<void> {
  await waitFor('the agents to see the transcript', async () =>
    (await system.read(externalId)).shown.some((text) => text.includes(question)),
  );
}

/** Calls of `close` and `dispose`. */
export const closeCallChecks: readonly ConformanceCheck[] = [
  {
    id: 'close',
    title: 'close closes the conversation in the system',
    expected: 'the agents see that it has ended.',
    advice: 'set the status of the conversation, or write a closing message if the system has no status.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      await adapter.close(ref, { by: 'user', text: 'The user has left.' }, context.call);
      await context.waitFor(
        'the conversation to be closed',
        async () => (await context.system.read(ref.externalId)).isClosed,
      );
    },
  },
  {
    id: 'close-twice',
    title: 'close of a closed conversation succeeds',
    expected: 'no error, and it stays closed.',
    advice: 'treat an "already closed" answer of the system as success.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      for (const time of ['first', 'second']) {
        const closing = adapter.close(ref, { by: 'user', text: 'The user has left.' }, context.call);
        const error = await adapterErrorOf('close', closing);
        if (error) fail(`the ${time} close failed with kind "${error.kind}": ${error.message}`);
      }
      await context.waitFor(
        'the conversation to be closed',
        async () => (await context.system.read(ref.externalId)).isClosed,
      );
    },
  },
  {
    id: 'close-after-agent',
    title: 'close succeeds after an agent has closed the conversation',
    needs: ['close'],
    expected: 'no error, and it stays closed.',
    advice: 'treat an "already closed" answer of the system as success.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      await context.system.agent.close?.(ref.externalId);
      const closing = adapter.close(ref, { by: 'user', text: 'The user has left.' }, context.call);
      const error = await adapterErrorOf('close', closing);
      if (error) fail(`close failed with kind "${error.kind}": ${error.message}`);
      if (!(await context.system.read(ref.externalId)).isClosed) fail('the conversation is open again.');
    },
  },
  {
    id: 'dispose',
    title: 'dispose leaves nothing behind',
    expected: 'no timer, connection or server of the adapter is open after dispose.',
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
        const left = await tracker.openKinds(context.stepTimeoutMs);
        if (left.length > 0) fail(`still open: ${left.join(', ')}.`);
      } finally {
        tracker.stop();
      }
    },
  },
];
