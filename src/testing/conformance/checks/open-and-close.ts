import type { Adapter, HandoffSession, OpenedConversation } from '../../../bridge/index.js';
import { type ConformanceCheck, fail } from '../check.js';
import { adapterErrorOf, type CheckContext, newMessage, newSession, refOf } from '../check-context.js';
import { trackOpenHandles } from '../instrumentation.js';

/** What an adapter does when a conversation begins. */
export const openCallChecks: readonly ConformanceCheck[] = [
  {
    id: 'open',
    title: 'open brings the transcript to the agents',
    expected: 'one conversation, in which the agents can read what was said before.',
    advice:
      'write the transcript into the conversation (transcriptText gives it as text), and return as externalId the id by which the system names the conversation in its webhooks.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const { externalId } = await adapter.open(session, context.call);
      const [only, ...more] = await context.system.list();
      if (only === undefined || more.length > 0) fail(`there are ${more.length + (only ? 1 : 0)} of them.`);
      if (only !== externalId)
        fail(`open returned the id ${externalId}, and the system has one named ${only}.`);
      await seesTranscript(context, externalId, session.question);
    },
  },
  {
    id: 'find-nothing',
    title: 'find finds nothing where nothing was opened',
    expected: 'null for a session that was never opened, also while another one is open.',
    advice: 'look for session.key alone: neither for the user nor for the e-mail address.',
    async run(context) {
      const adapter = await context.createAdapter();
      await adapter.open(newSession(), context.call);
      const strange = await adapter.find(newSession(), context.call);
      if (strange) fail(`find returned ${strange.externalId} for a session that was never opened.`);
    },
  },
  {
    id: 'lost-answer',
    title: 'create succeeded but the answer was lost: find recovers it',
    expected: 'the conversation is found again, and there is one of it, whichever answer of open was lost.',
    advice:
      'store session.key with the conversation in the same request that makes it, and have find look for it. The kit loses the answer of each writing request of open in turn.',
    async run(context) {
      await losingEachAnswer(context, async (adapter, session, place) => {
        const before = (await context.system.list()).length;
        const opened = await openLosing(context, adapter, session, place);
        const made = (await context.system.list()).length - before;
        if (made !== 1)
          fail(`with the answer to writing request ${place + 1} lost, there are ${made} conversations.`);
        const { externalId } = opened;
        if (!(await context.system.list()).includes(externalId))
          fail(`find returned the id ${externalId}, which the system does not have.`);
      });
    },
  },
  {
    id: 'broken-off',
    title: 'an open that broke off halfway is completed',
    expected: 'the agents can read what was said before, whichever answer of open was lost.',
    advice:
      'an open of several requests can end after any of them: have find write the transcript if it is missing, or make the conversation in one request.',
    async run(context) {
      await losingEachAnswer(context, async (adapter, session, place) => {
        const { externalId } = await openLosing(context, adapter, session, place);
        await seesTranscript(context, externalId, session.question);
      });
    },
  },
];

type Recover = (adapter: Adapter, session: ReturnType<typeof newSession>, place: number) => Promise<void>;

/** Runs a task for each writing request that an open makes. */
async function losingEachAnswer(context: CheckContext, recover: Recover): Promise<void> {
  const adapter = await context.createAdapter();
  await adapter.open(newSession(), context.call);
  const count = context.proxy.requests.filter(({ writes }) => writes).length;
  if (count === 0) fail('open sent no writing request through site.baseUrl, so no answer can be lost.');
  for (let place = 0; place < count; place += 1) await recover(adapter, newSession(), place);
}

/** Opens a session with the answer of one writing request lost, and goes on as the bridge does: find, then open. */
async function openLosing(
  context: CheckContext,
  adapter: Adapter,
  session: HandoffSession,
  place: number,
): Promise<OpenedConversation> {
  context.proxy.loseAnswer({ after: place, match: ({ writes }) => writes });
  const error = await adapterErrorOf('open', adapter.open(session, context.call));
  context.proxy.clear();
  if (error && error.kind !== 'transient')
    fail(`open failed with kind ${error.kind} when an answer was lost; it is transient: ${error.message}`);
  return (await adapter.find(session, context.call)) ?? (await adapter.open(session, context.call));
}

async function seesTranscript(
  { system, waitFor }: CheckContext,
  externalId: string,
  question: string,
): Promise<void> {
  await waitFor('the agents to be shown what the user said before the handoff', async () =>
    (await system.read(externalId)).shown.some((text) => text.includes(question)),
  );
}

/** What an adapter does when something ends. */
export const closeCallChecks: readonly ConformanceCheck[] = [
  {
    id: 'close',
    title: 'close ends the conversation for the agents',
    expected: 'the agents can see that it is over.',
    advice: 'set the status of the conversation, or where the system has none, write that it is over.',
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
    title: 'close of a closed conversation is a success',
    expected: 'no error, and it stays closed.',
    advice: 'take the answer by which the system says "it is closed already" for a success.',
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
    title: 'close after an agent closed is a success',
    needs: ['close'],
    expected: 'no error, and it stays closed.',
    advice: 'take the answer by which the system says "it is closed already" for a success.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, context.call));
      await context.system.agent.close?.(ref.externalId);
      const closing = adapter.close(ref, { by: 'user', text: 'The user has left.' }, context.call);
      const error = await adapterErrorOf('close', closing);
      if (error) fail(`close failed with kind "${error.kind}": ${error.message}`);
      if (!(await context.system.read(ref.externalId)).isClosed) fail('it is open again.');
    },
  },
  {
    id: 'dispose',
    title: 'dispose leaves nothing behind',
    expected: 'no timer, no connection and no server of the adapter is left once dispose has resolved.',
    advice: 'end in dispose what the adapter began: intervals, sockets, agents. Twice must be once.',
    async run(context) {
      const watch = trackOpenHandles();
      try {
        await watch.run(async () => {
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
        // Connections that are kept for later end with the other side.
        await context.cleanUp();
        const left = await watch.openKinds(context.stepTimeoutMs);
        if (left.length > 0) fail(`left open: ${left.join(', ')}.`);
      } finally {
        watch.stop();
      }
    },
  },
];
