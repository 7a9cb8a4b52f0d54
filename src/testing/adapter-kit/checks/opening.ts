import type { Adapter, HandoffSession, OpenedConversation } from '../../../bridge/index.js';
import type { Check } from '../check.js';
import { found } from '../failure.js';
import { errorOf, newSession, type Rig } from '../rig.js';

/** What an adapter does when a conversation begins. */
export const openingChecks: readonly Check[] = [
  {
    id: 'open',
    title: 'open brings the transcript to the agents',
    expected: 'one conversation, in which the agents can read what was said before.',
    advice:
      'write the transcript into the conversation (transcriptText gives it as text), and return as externalId the id by which the system names the conversation in its webhooks.',
    async run(rig) {
      const adapter = await rig.make();
      const session = newSession();
      const { externalId } = await adapter.open(session, rig.call);
      const [only, ...more] = await rig.system.list();
      if (only === undefined || more.length > 0) found(`there are ${more.length + (only ? 1 : 0)} of them.`);
      if (only !== externalId)
        found(`open returned the id ${externalId}, and the system has one named ${only}.`);
      await seesTranscript(rig, externalId, session.question);
    },
  },
  {
    id: 'find-nothing',
    title: 'find finds nothing where nothing was opened',
    expected: 'null for a session that was never opened, also while another one is open.',
    advice: 'look for session.key alone: neither for the user nor for the e-mail address.',
    async run(rig) {
      const adapter = await rig.make();
      await adapter.open(newSession(), rig.call);
      const strange = await adapter.find(newSession(), rig.call);
      if (strange) found(`find returned ${strange.externalId} for a session that was never opened.`);
    },
  },
  {
    id: 'lost-answer',
    title: 'create succeeded but the answer was lost: find recovers it',
    expected: 'the conversation is found again, and there is one of it, whichever answer of open was lost.',
    advice:
      'store session.key with the conversation in the same request that makes it, and have find look for it. The kit loses the answer of each writing request of open in turn.',
    async run(rig) {
      await losingEachAnswer(rig, async (adapter, session, place) => {
        const before = (await rig.system.list()).length;
        const opened = await openLosing(rig, adapter, session, place);
        const made = (await rig.system.list()).length - before;
        if (made !== 1)
          found(`with the answer to writing request ${place + 1} lost, there are ${made} conversations.`);
        const { externalId } = opened;
        if (!(await rig.system.list()).includes(externalId))
          found(`find returned the id ${externalId}, which the system does not have.`);
      });
    },
  },
  {
    id: 'broken-off',
    title: 'an open that broke off halfway is completed',
    expected: 'the agents can read what was said before, whichever answer of open was lost.',
    advice:
      'an open of several requests can end after any of them: have find write the transcript if it is missing, or make the conversation in one request.',
    async run(rig) {
      await losingEachAnswer(rig, async (adapter, session, place) => {
        const { externalId } = await openLosing(rig, adapter, session, place);
        await seesTranscript(rig, externalId, session.question);
      });
    },
  },
];

type Recover = (adapter: Adapter, session: ReturnType<typeof newSession>, place: number) => Promise<void>;

/** Runs a task for each writing request that an open makes. */
async function losingEachAnswer(rig: Rig, recover: Recover): Promise<void> {
  const adapter = await rig.make();
  await adapter.open(newSession(), rig.call);
  const count = rig.proxy.requests.filter(({ writes }) => writes).length;
  if (count === 0) found('open sent no writing request through site.baseUrl, so no answer can be lost.');
  for (let place = 0; place < count; place += 1) await recover(adapter, newSession(), place);
}

/** Opens a session with the answer of one writing request lost, and goes on as the bridge does: find, then open. */
async function openLosing(
  rig: Rig,
  adapter: Adapter,
  session: HandoffSession,
  place: number,
): Promise<OpenedConversation> {
  rig.proxy.loseAnswer({ after: place, match: ({ writes }) => writes });
  const error = await errorOf('open', adapter.open(session, rig.call));
  rig.proxy.clear();
  if (error && error.kind !== 'transient')
    found(`open failed with kind ${error.kind} when an answer was lost; it is transient: ${error.message}`);
  return (await adapter.find(session, rig.call)) ?? (await adapter.open(session, rig.call));
}

async function seesTranscript({ system, until }: Rig, externalId: string, question: string): Promise<void> {
  await until('the agents to be shown what the user said before the handoff', async () =>
    (await system.read(externalId)).shown.some((text) => text.includes(question)),
  );
}
