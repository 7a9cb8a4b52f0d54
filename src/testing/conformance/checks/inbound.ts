import type { Adapter, PollResult } from '../../../bridge/index.js';
import { type ConformanceCheck, fail } from '../check.js';
import { type CheckContext, newSession } from '../check-context.js';
import {
  createFullStack,
  expectReplies,
  expectShownOnce,
  expectTexts,
  type FullStack,
  overrideAdapter,
} from '../full-stack.js';
import { createWebhookAdapter, tamperWith } from '../recorded-events.js';

const HOUR_MS = 3_600_000;

/** What reaches the user of what happens in the system. */
export const inboundChecks: readonly ConformanceCheck[] = [
  {
    id: 'own-echo',
    title: 'own messages are not echoed',
    expected: 'the user is shown what agents write, and nothing of what the adapter itself wrote.',
    advice:
      'give messages of the account that the adapter writes with author.kind "self", or return from send the id under which the message comes back.',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      for (const text of ['The first of the user.', 'The second of the user.']) {
        await handed.user.say(text);
        await expectShownOnce(context, handed.externalId, text);
      }
      await context.system.agent.reply(handed.externalId, 'The answer of an agent.');
      await expectReplies(context, handed, ['The answer of an agent.']);
    },
  },
  {
    id: 'same-words',
    title: 'an agent may say what was said before',
    expected: 'the user is shown each reply, also one in the words of another or of the user.',
    advice: 'give each event an id of its own, from the system; never one made from its text.',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await handed.user.say('Yes.');
      await expectShownOnce(context, handed.externalId, 'Yes.');
      for (const text of ['Yes.', 'Yes.', 'Good bye.'])
        await context.system.agent.reply(handed.externalId, text);
      await expectReplies(context, handed, ['Yes.', 'Yes.', 'Good bye.']);
    },
  },
  {
    id: 'internal-note',
    title: 'an internal note is not leaked',
    needs: ['note'],
    expected: 'the user is shown what agents write to them, and nothing of what they write to each other.',
    advice: 'set internal: true for notes. When in doubt, it is internal.',
    async run(context) {
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await context.system.agent.note?.(handed.externalId, 'This user is difficult.');
      await context.system.agent.reply(handed.externalId, 'How can I help you?');
      await expectReplies(context, handed, ['How can I help you?']);
    },
  },
  {
    id: 'duplicate',
    title: 'a duplicate delivery is sent once',
    expected: 'the user is shown each reply once, although the system tells of it three times.',
    advice: "take the event's id from the system, so that each delivery of the same event has the same.",
    async run(context) {
      const path = await createFullStack(context, { wrap: telling3Times });
      path.forwarder.copies = 3;
      const handed = await path.handOver();
      await context.system.agent.reply(handed.externalId, 'I say this once.');
      await context.system.agent.reply(handed.externalId, 'And this.');
      await expectReplies(context, handed, ['I say this once.', 'And this.']);
      await path.forwarder.idle();
      expectTexts(
        handed.user.replies.map(({ text }) => text.trim()),
        ['I say this once.', 'And this.'],
      );
    },
  },
  {
    id: 'forged',
    title: 'bad and missing signatures are answered 401 and have no effect',
    needs: ['signature'],
    expected: '401 for what is not from the system, and nothing of it reaches the user.',
    advice: 'see signature-wrong, signature-missing and signature-body.',
    async run(context) {
      await createWebhookAdapter(context);
      const path = await createFullStack(context);
      const { request, handed } = await heldReply(context, path);
      const { wrongSignature, unsigned, changedBody } = tamperWith(request);
      const bodies = context.lacks('signedBody') ? [] : changedBody;
      for (const changed of [...wrongSignature, ...unsigned, ...bodies]) await isRefused(path, changed);
      await hasHadNoEffect(context, path, handed);
    },
  },
  {
    id: 'stale',
    title: 'a stale signature is answered 401 and has no effect',
    needs: ['signature', 'signedTime'],
    expected: '401 for a genuine request that comes an hour late, and nothing of it reaches the user.',
    advice: 'see signature-stale.',
    async run(context) {
      await createWebhookAdapter(context);
      let lateMs = HOUR_MS;
      const wrap = (adapter: Adapter) =>
        overrideAdapter(adapter, {
          verify: (request) =>
            adapter.verify?.({ ...request, receivedAt: request.receivedAt + lateMs }) ?? 'unsigned',
        });
      const path = await createFullStack(context, { wrap });
      const { request, handed } = await heldReply(context, path);
      await isRefused(path, request);
      lateMs = 0;
      await hasHadNoEffect(context, path, handed);
    },
  },
  {
    id: 'unknown-conversation',
    title: 'an unknown external conversation is answered 200 and ignored',
    expected: '200, so that the system does not send it again, and no word to any user.',
    advice: 'let parse tell of every conversation; the bridge knows which of them are its own.',
    async run(context) {
      const stranger = await context.createAdapter();
      const { externalId } = await stranger.open(newSession(), context.call);
      const path = await createFullStack(context);
      const handed = await path.handOver();
      await context.system.agent.reply(externalId, 'To somebody else.');
      await context.system.agent.reply(handed.externalId, 'To you.');
      await expectReplies(context, handed, ['To you.']);
      const bad = path.forwarder.statuses.filter((status) => status !== 200);
      if (bad.length > 0) fail(`a webhook of the system was answered ${bad.join(', ')}.`);
    },
  },
];

/** An agent's reply that the system has told of, and that is not carried on. */
async function heldReply(context: CheckContext, path: FullStack) {
  const handed = await path.handOver();
  await path.forwarder.idle();
  path.forwarder.pause();
  const before = context.webhookSink.requests.length;
  await context.system.agent.reply(handed.externalId, 'Signed, an agent.');
  const request = await context.waitFor('the system to tell of the reply', () =>
    context.webhookSink.requests.slice(before).findLast(({ body }) => body.length > 0),
  );
  return { handed, request };
}

async function isRefused(
  path: FullStack,
  request: Parameters<FullStack['forwarder']['forward']>[0],
): Promise<void> {
  const status = await path.forwarder.forward(request);
  if (status !== 401) fail(`the request was answered ${status}.`);
}

/** What comes later is shown alone: so nothing came of what was refused. */
async function hasHadNoEffect(
  context: CheckContext,
  path: FullStack,
  handed: Awaited<ReturnType<typeof heldReply>>['handed'],
) {
  expectTexts(
    handed.user.replies.map(({ text }) => text),
    [],
  );
  path.forwarder.resume();
  await expectReplies(context, handed, ['Signed, an agent.']);
}

/** Systems that are polled or streamed from repeat themselves when they are asked again from where they were. */
function telling3Times(adapter: Adapter): Adapter {
  const again: NonNullable<Adapter['poll']> = async (cursor, call) => {
    const told: PollResult[] = [];
    for (let time = 0; time < 3; time += 1) told.push((await adapter.poll?.(cursor, call)) ?? NOTHING);
    return { events: told.flatMap(({ events }) => events), cursor: told[0]?.cursor ?? '' };
  };
  const twice: NonNullable<Adapter['stream']> = async (emit, call) =>
    adapter.stream?.(async (event) => {
      await emit(event);
      return emit(event);
    }, call);
  return overrideAdapter(adapter, {
    ...('poll' in adapter ? { poll: again } : {}),
    ...('stream' in adapter ? { stream: twice } : {}),
  });
}

const NOTHING: PollResult = { events: [], cursor: '' };
