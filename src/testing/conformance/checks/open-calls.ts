import type { Adapter, HandoffSession, OpenedConversation } from '../../../bridge/index.js';
import { adapterErrorOf, newSession } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail } from '../failures.js';

export const openCallChecks: readonly ConformanceCheck[] = [
  {
    id: 'open',
    title: 'open creates a conversation with the transcript',
    expected: 'one conversation in which the agents see the transcript.',
    advice:
      'write the transcript into the conversation (transcriptText formats it), and return as externalId the id that the helpdesk uses in its webhooks.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const { externalId } = await adapter.open(session, context.call);
      const [only, ...more] = await context.helpdesk.list();
      if (only === undefined || more.length > 0)
        fail(`the helpdesk has ${more.length + (only ? 1 : 0)} conversations.`);
      if (only !== externalId)
        fail(`open returned the id ${externalId}, but the helpdesk has the conversation ${only}.`);
      await expectTranscript(context, externalId, session.question);
    },
  },
  {
    id: 'find-nothing',
    title: 'find returns null for a session that was never opened',
    expected:
      'null, even while another conversation is open, of the same user and with the same conversationId.',
    advice:
      'search by session.key only, not by the user, the e-mail address or the conversationId: a user who asks again has another key.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      await adapter.open(session, context.call);
      const others = {
        'a session that was never opened': newSession(),
        'another session of the same user': { ...newSession(), user: session.user },
        'another session with the same conversationId': { ...session, key: newSession().key },
      };
      for (const [what, other] of Object.entries(others)) {
        const found = await adapter.find(other, context.call);
        if (found) fail(`find returned ${found.externalId} for ${what}.`);
      }
    },
  },
  {
    id: 'find-opened',
    title: 'find returns a conversation that was opened',
    expected: 'the id that open returned, also from another process.',
    advice:
      'search for session.key. It is not enough that a second open recovers: the bridge also calls find without open.',
    async run(context) {
      const adapter = await context.createAdapter();
      const session = newSession();
      const { externalId } = await adapter.open(session, context.call);
      const found = await (await context.createAdapter()).find(session, context.call);
      if (!found) fail(`find returned null for the session of ${externalId}.`);
      if (found.externalId !== externalId)
        fail(`find returned ${found.externalId} instead of ${externalId}.`);
    },
  },
  {
    id: 'lost-answer',
    title: 'find recovers a conversation if the answer to its creation was lost',
    expected: 'exactly one conversation, which find returns, whichever answer of open was lost.',
    advice:
      'store session.key in the request that creates the conversation, and let find search for it. The kit loses the answer to each writing request of open, one per attempt.',
    async run(context) {
      await losingEachAnswer(context, async (adapter, session, index) => {
        const before = (await context.helpdesk.list()).length;
        const opened = await openLosing(context, adapter, session, index);
        const createdCount = (await context.helpdesk.list()).length - before;
        if (createdCount !== 1)
          fail(
            `with the answer to writing request ${index + 1} lost, there are ${createdCount} conversations.`,
          );
        const { externalId } = opened;
        if (!(await context.helpdesk.list()).includes(externalId))
          fail(`find returned the id ${externalId}, which the helpdesk does not have.`);
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
  { helpdesk, waitFor }: CheckContext,
  externalId: string,
  question: string,
): Promise<void> {
  await waitFor('the agents to see the transcript', async () =>
    (await helpdesk.read(externalId)).shown.some((text) => text.includes(question)),
  );
}
