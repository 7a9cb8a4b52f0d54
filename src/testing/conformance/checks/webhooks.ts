import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, AdapterError, type InboundEvent, type InboundRequest } from '../../../bridge/index.js';
import { newSession } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { describeError, fail, NotApplicableError, quote } from '../failures.js';
import { observeCall } from '../instrumentation.js';
import { faultOf, malformedWebhooks } from '../malformed-webhooks.js';
import {
  createWebhookAdapter,
  cutSignatures,
  isAgentReply,
  recordAgentReply,
  type TamperedRequests,
  tamperWith,
  type WebhookAdapter,
} from '../webhook-events.js';

const HOUR_MS = 3_600_000;

/** Requests that `verify` must refuse. */
export const verifyChecks: readonly ConformanceCheck[] = [
  {
    id: 'signature-wrong',
    title: 'a wrong signature is refused',
    needs: ['signature'],
    expected: 'verify returns "forged" if the signature is changed, cut or empty.',
    advice: 'compare the whole signature in constant time, as verifySignature does.',
    async run(context) {
      const { adapter, request } = await recordSignedRequest(context);
      const isGenuine = (changed: InboundRequest) => adapter.verify(changed) === 'genuine';
      if (tamperWith(request).wrongSignature.some(isGenuine)) fail('verify returned "genuine".');
      if (cutSignatures(request, isGenuine).some(isGenuine))
        fail('verify returned "genuine" for a part of the signature, or for an empty one.');
    },
  },
  {
    id: 'signature-missing',
    title: 'a missing signature is refused',
    needs: ['signature'],
    expected: 'verify returns "unsigned" or "forged" if the signature is missing.',
    advice: 'a request without a signature is not genuine: verifySignature returns "unsigned".',
    run: (context) => expectRefused(context, 'unsigned'),
  },
  {
    id: 'signature-body',
    title: 'a changed body is refused',
    needs: ['signature', 'signedBody'],
    expected: 'verify returns "forged" if one character of the body is changed.',
    advice: 'compute the signature of the raw bytes of request.body, not of the parsed body.',
    run: (context) => expectRefused(context, 'changedBody'),
  },
  {
    id: 'signature-bytes',
    title: 'a body with other white space is refused',
    needs: ['signature', 'signedBody'],
    expected: 'verify returns "forged" if only white space was added to the body.',
    advice:
      'compute the signature of the raw bytes of request.body, never of JSON that was parsed and written again.',
    run: (context) => expectRefused(context, 'changedWhiteSpace'),
  },
  {
    id: 'signature-stale',
    title: 'a stale signature is refused',
    needs: ['signature', 'signedTime'],
    expected: 'verify returns "stale" for a genuine request that arrives an hour late.',
    advice: 'compare the signed time with request.receivedAt: verifySignature takes both.',
    async run(context) {
      const { adapter, request } = await recordSignedRequest(context);
      const late = { ...request, receivedAt: request.receivedAt + HOUR_MS };
      const verdict = adapter.verify(late);
      if (verdict === 'genuine') fail('verify returned "genuine".');
    },
  },
  {
    id: 'signature-future',
    title: 'a signature of the future is refused',
    needs: ['signature', 'signedTime'],
    expected: 'verify returns "stale" for a request that was signed an hour from now.',
    advice:
      'limit the difference between the signed time and request.receivedAt in both directions, as verifySignature does.',
    async run(context) {
      const { adapter, request } = await recordSignedRequest(context);
      const verdict = adapter.verify({ ...request, receivedAt: request.receivedAt - HOUR_MS });
      if (verdict === 'genuine') fail('verify returned "genuine".');
    },
  },
];

async function expectRefused(context: CheckContext, change: keyof TamperedRequests): Promise<void> {
  const { adapter, request } = await recordSignedRequest(context);
  for (const changed of tamperWith(request)[change]) {
    if (adapter.verify(changed) === 'genuine') fail('verify returned "genuine".');
  }
}

async function recordSignedRequest(
  context: CheckContext,
): Promise<{ adapter: Required<Pick<Adapter, 'verify'>>; request: InboundRequest }> {
  const { adapter, request } = await recordAgentReply(context);
  if (adapter.verify(request) !== 'genuine') fail('verify refused a genuine request from the helpdesk.');
  return { adapter, request };
}

/** Properties of `verify` and `parse`. */
export const parseChecks: readonly ConformanceCheck[] = [
  {
    id: 'pure',
    title: 'verify and parse are pure functions',
    expected: 'the same result for the same request at any time, without network requests.',
    advice:
      'use only the request and the settings: take the time from request.receivedAt, and ids from the body, not from a counter, the time of arrival or randomUUID.',
    async run(context) {
      const { adapter, requests } = await recordAgentActions(context);
      for (const request of requests) {
        for (const verb of ['verify', 'parse'] as const) expectPure(context, adapter, verb, request);
        const idsAfter = (ms: number) =>
          adapter.parse({ ...request, receivedAt: request.receivedAt + ms }).events.map(({ id }) => id);
        if (!isDeepStrictEqual(idsAfter(0), idsAfter(SECOND_MS)))
          fail('parse returned other ids for the same request that arrived a second later.');
      }
    },
  },
  {
    id: 'unreadable',
    title: 'an unreadable webhook is reported as invalid',
    expected:
      'no events, or an AdapterError of kind "invalid", for bodies that are truncated, empty or of another shape.',
    advice: 'validate the parsed body before you use it.',
    async run(context) {
      const { adapter, request } = await recordAgentReply(context);
      for (const [name, body] of Object.entries(unreadable(request))) {
        const events = parseChanged(adapter, { ...request, body }, `a body that is ${name}`);
        if (events.length > 0) fail(`parse returned an event for a body that is ${name}.`);
      }
    },
  },
  {
    id: 'malformed',
    title: 'a webhook with a missing or unknown field is reported as invalid, or its events are complete',
    expected:
      'an AdapterError of kind "invalid", or events whose kind is "message", "joined" or "closed", with an id, an externalId and an author. The kit changes each field of the webhooks of a reply and a close.',
    advice:
      'validate each entry of the body, with a zod schema and readAs for instance, and leave out kinds of events that you do not know.',
    async run(context) {
      const { adapter, requests } = await recordAgentActions(context);
      for (const { change, request } of requests.flatMap(malformedWebhooks))
        for (const event of parseChanged(adapter, request, `a webhook whose ${change}`)) {
          const fault = faultOf(event);
          if (fault !== null) fail(`parse of a webhook whose ${change} returned ${fault}.`);
        }
    },
  },
  {
    id: 'unique-ids',
    title: 'each event has an id of its own',
    expected:
      'different ids for the events of a conversation, and for those of two conversations in which the agents do the same; one event for a close.',
    advice:
      'if the helpdesk numbers its events within each conversation, prefix the number with the conversation id. Give an event the same id wherever the helpdesk reports it.',
    async run(context) {
      const { agent } = context.helpdesk;
      const adapter = await context.createAdapter();
      const first = await adapter.open(newSession(), context.call);
      const second = await adapter.open(newSession(), context.call);
      const recorder = await context.recordEvents(adapter);
      const idIn = async (kind: string, { externalId }: typeof first) =>
        (
          await recorder.waitFor(
            `an event of kind "${kind}" for ${externalId}`,
            ({ event }) =>
              event.kind === kind && event.externalId === externalId && event.author.kind === 'agent',
          )
        ).event.id;
      for (const text of MANY_REPLIES) await agent.reply(first.externalId, text);
      const ids = new Map<string, string>();
      for (const text of MANY_REPLIES) {
        const { event } = await recorder.waitFor(`the event of ${quote(text)}`, (recorded) =>
          isAgentReply(recorded.event, first.externalId, text),
        );
        const other = ids.get(event.id);
        if (other !== undefined)
          fail(`${quote(other)} and ${quote(text)} of one conversation have the id ${quote(event.id)}.`);
        ids.set(event.id, text);
      }
      const actions: Readonly<Record<string, ((id: string) => Promise<void>) | undefined>> = {
        message: (id) => agent.reply(id, 'The same words.'),
        closed: agent.close && ((id) => agent.close?.(id) ?? Promise.resolve()),
      };
      for (const [kind, act] of Object.entries(actions)) {
        if (!act) continue;
        await act(first.externalId);
        await act(second.externalId);
        const id = await idIn(kind, first);
        if (id === (await idIn(kind, second))) fail(`events of two conversations have the id ${quote(id)}.`);
      }
      const closes = recorder.recorded.filter(
        ({ event }) => event.kind === 'closed' && event.externalId === first.externalId,
      );
      const closeIds = new Set(closes.map(({ event }) => event.id));
      if (closeIds.size > 1)
        fail(`one close was reported with the ids ${[...closeIds].map(quote).join(', ')}.`);
    },
  },
  {
    id: 'agent-name',
    title: "the agent's name is reported",
    needs: ['name'],
    expected: 'author.name, or agentName for author.id, is the name of the agent who wrote the reply.',
    advice:
      "use the helpdesk's name for the event's author. If events have only an id, put it into author.id and look the name up in agentName.",
    async run(context) {
      const { agent } = context.helpdesk;
      const adapter = await context.createAdapter();
      const { externalId } = await adapter.open(newSession(), context.call);
      const recorder = await context.recordEvents(adapter);
      await agent.reply(externalId, 'Good morning.');
      const { event } = await recorder.waitFor("the agent's reply", (recorded) =>
        isAgentReply(recorded.event, externalId, 'Good morning.'),
      );
      const { name, id } = event.author;
      const found = name === null && id !== undefined ? await adapter.agentName?.(id, context.call) : name;
      if (found !== agent.name)
        fail(`the name is ${JSON.stringify(found)} instead of ${quote(agent.name ?? '')}.`);
    },
  },
  {
    id: 'joined',
    title: 'an agent who takes the conversation is reported as joined, once',
    needs: ['join'],
    expected: 'one event of kind "joined" for the conversation, and none when the agent writes.',
    advice:
      'let parse or poll map an assignment to { kind: "joined" } with the agent\'s name, and give it the same id wherever the helpdesk reports it.',
    async run(context) {
      const adapter = await context.createAdapter();
      const { externalId } = await adapter.open(newSession(), context.call);
      const recorder = await context.recordEvents(adapter);
      await context.helpdesk.agent.join?.(externalId);
      await recorder.waitFor('an event of kind "joined"', ({ event }) => isJoin(event, externalId));
      await context.helpdesk.agent.reply(externalId, 'I am here now.');
      await recorder.waitFor("the agent's reply", ({ event }) =>
        isAgentReply(event, externalId, 'I am here now.'),
      );
      const joins = recorder.recorded.map(({ event }) => event).filter((event) => isJoin(event, externalId));
      const { size } = new Set(joins.map(({ id }) => id));
      if (size > 1) fail(`${size} events of kind "joined" were reported.`);
    },
  },
  {
    id: 'several-events',
    title: 'every event of a webhook is reported, in order',
    needs: ['replyAndClose'],
    expected: 'the reply, then the close, if the helpdesk sends both in one webhook.',
    advice:
      'let parse return all events of the body, in its order. Do not rely on catchUp to find the others.',
    async run(context) {
      const adapter = await createWebhookAdapter(context);
      const { externalId } = await adapter.open(newSession(), context.call);
      await context.recordEvents(adapter);
      const before = await settledRequests(context);
      await context.helpdesk.agent.replyAndClose?.(externalId, 'Good bye.');
      await context.waitFor('a webhook', () => context.webhookSink.requests.length > before);
      const sent = (await settledRequests(context)) - before;
      if (sent > 1) throw new NotApplicableError('the helpdesk sends one event in each webhook.');
      const events = context.webhookSink.requests
        .slice(before)
        .flatMap((request) => adapter.parse(request).events);
      const reply = events.findIndex((event) => isAgentReply(event, externalId, 'Good bye.'));
      const close = events.findIndex((event) => event.kind === 'closed' && event.externalId === externalId);
      if (reply < 0 || close < reply)
        fail(`parse returned ${events.map(({ kind }) => quote(kind)).join(', ') || 'no event'}.`);
    },
  },
];

/** More than an id that is cut short can tell apart. */
const MANY_REPLIES = Array.from({ length: 12 }, (_, index) => `Reply ${index + 1} of twelve.`);

/** The events of a changed webhook; none if `parse` refuses it as it should. */
function parseChanged(
  adapter: WebhookAdapter,
  request: InboundRequest,
  what: string,
): readonly InboundEvent[] {
  try {
    return adapter.parse(request).events;
  } catch (error) {
    if (!(error instanceof AdapterError)) fail(`parse of ${what} threw ${describeError(error)}`, error);
    if (error.kind !== 'invalid') fail(`parse of ${what} threw an AdapterError of kind "${error.kind}".`);
    return [];
  }
}

/** The webhooks of an agent's reply and, if agents can, of a join and a close. */
async function recordAgentActions(
  context: CheckContext,
): Promise<{ adapter: WebhookAdapter; requests: readonly InboundRequest[] }> {
  const { agent } = context.helpdesk;
  const { adapter, externalId, recorder } = await recordAgentReply(context);
  const actions = { join: 'joined', close: 'closed' } as const;
  for (const action of ['join', 'close'] as const) {
    if (context.lacks(action) || !agent[action]) continue;
    await agent[action](externalId);
    await recorder.waitFor(
      `an event of kind "${actions[action]}"`,
      ({ event }) => event.kind === actions[action] && event.externalId === externalId,
    );
  }
  const requests = recorder.recorded.map(({ request }) => request).filter((request) => request !== null);
  return { adapter, requests: [...new Set(requests)] };
}

function expectPure(
  context: CheckContext,
  adapter: WebhookAdapter,
  verb: 'verify' | 'parse',
  request: InboundRequest,
): void {
  const first = runOnce(context, verb, () => adapter[verb](copyOf(request)), 0);
  const second = runOnce(context, verb, () => adapter[verb](copyOf(request)), YEAR_MS);
  if (first instanceof Promise) fail(`${verb} returned a promise.`);
  if (!isDeepStrictEqual(first, second)) fail(`${verb} returned different results for the same request.`);
  const kept = copyOf(request);
  adapter[verb](kept);
  if (!isDeepStrictEqual(kept, request)) fail(`${verb} modified its request.`);
}

const isJoin = (event: InboundEvent, externalId: string): boolean =>
  event.kind === 'joined' && event.externalId === externalId;

/** The number of webhooks so far, once no more have come for a moment. */
async function settledRequests({ webhookSink }: CheckContext): Promise<number> {
  for (;;) {
    const { length } = webhookSink.requests;
    await sleep(200);
    if (webhookSink.requests.length === length) return length;
  }
}

const SECOND_MS = 1_000;
const YEAR_MS = 365 * 86_400_000;

function runOnce<Value>(context: CheckContext, verb: string, act: () => Value, aheadMs: number): Value {
  const before = context.proxy.requests.length;
  const { value, fetchCount } = observeCall(act, aheadMs);
  if (fetchCount > 0 || context.proxy.requests.length > before) fail(`${verb} sent a network request.`);
  return value;
}

/** Frozen, except for the body, whose bytes cannot be frozen. */
const copyOf = (request: InboundRequest): InboundRequest =>
  Object.freeze({
    ...request,
    headers: Object.freeze({ ...request.headers }),
    body: Buffer.from(request.body),
  });

const unreadable = ({ body }: InboundRequest) => ({
  empty: Buffer.alloc(0),
  truncated: body.subarray(0, Math.floor(body.length / 2)),
  'an empty object': Buffer.from('{}'),
  'an array': Buffer.from('[1]'),
  null: Buffer.from('null'),
  'not valid UTF-8': Buffer.from([0xff, 0xfe, 0x00]),
});
