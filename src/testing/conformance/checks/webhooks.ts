import { isDeepStrictEqual } from 'node:util';
import { type Adapter, AdapterError, type InboundRequest } from '../../../bridge/index.js';
import { type ConformanceCheck, describeError, fail } from '../check.js';
import { type CheckContext, newSession } from '../check-context.js';
import { observeCall } from '../instrumentation.js';
import { recordAgentReply, type TamperedRequests, tamperWith } from '../recorded-events.js';

const HOUR_MS = 3_600_000;

/** What `verify` must refuse. */
export const verifyChecks: readonly ConformanceCheck[] = [
  {
    id: 'signature-wrong',
    title: 'a wrong signature is refused',
    needs: ['signature'],
    expected: 'verify says "forged" when what the system signs with is changed.',
    advice: 'compare the whole signature, and in constant time: judgeSignature does both.',
    run: (context) => refuses(context, 'wrongSignature'),
  },
  {
    id: 'signature-missing',
    title: 'a missing signature is refused',
    needs: ['signature'],
    expected: 'verify says "unsigned" or "forged" when the signature is left out.',
    advice: 'a request without a signature is not genuine: judgeSignature says "unsigned".',
    run: (context) => refuses(context, 'unsigned'),
  },
  {
    id: 'signature-body',
    title: 'a changed body is refused',
    needs: ['signature', 'signedBody'],
    expected: 'verify says "forged" when a single character of the body is changed.',
    advice: 'sign the raw bytes of request.body, not what was parsed from them.',
    run: (context) => refuses(context, 'changedBody'),
  },
  {
    id: 'signature-stale',
    title: 'a stale signature is refused',
    needs: ['signature', 'signedTime'],
    expected: 'verify says "stale" of a genuine request that came an hour late.',
    advice: 'hold the time that was signed against request.receivedAt: judgeSignature takes both.',
    async run(context) {
      const { adapter, request } = await signed(context);
      const late = { ...request, receivedAt: request.receivedAt + HOUR_MS };
      const verdict = adapter.verify(late);
      if (verdict === 'genuine') fail('verify says "genuine".');
    },
  },
];

async function refuses(context: CheckContext, change: keyof TamperedRequests): Promise<void> {
  const { adapter, request } = await signed(context);
  for (const changed of tamperWith(request)[change]) {
    if (adapter.verify(changed) === 'genuine') fail('verify says "genuine".');
  }
}

async function signed(
  context: CheckContext,
): Promise<{ adapter: Required<Pick<Adapter, 'verify'>>; request: InboundRequest }> {
  const { adapter, request } = await recordAgentReply(context);
  if (adapter.verify(request) !== 'genuine') fail('verify refuses a request that the system sent itself.');
  return { adapter, request };
}

/** What `verify` and `parse` make of requests. */
export const parseChecks: readonly ConformanceCheck[] = [
  {
    id: 'pure',
    title: 'verify and parse are pure',
    expected: 'the same outcome for the same request, whatever the time is, with no request to anybody.',
    advice:
      'read request and settings only: request.receivedAt is the time that counts, and ids come from the body, not from a counter or randomUUID.',
    async run(context) {
      const { adapter, request } = await recordAgentReply(context);
      for (const verb of ['verify', 'parse'] as const) {
        const first = once(context, verb, () => adapter[verb](copyOf(request)), 0);
        const again = once(context, verb, () => adapter[verb](copyOf(request)), YEAR_MS);
        if (first instanceof Promise) fail(`${verb} returned a promise.`);
        if (!isDeepStrictEqual(first, again)) fail(`${verb} said two things of one request.`);
        const kept = copyOf(request);
        adapter[verb](kept);
        if (!isDeepStrictEqual(kept, request)) fail(`${verb} changed the request that it was given.`);
      }
    },
  },
  {
    id: 'unreadable',
    title: 'a request that cannot be read is told as invalid',
    expected:
      'no events, or an AdapterError of kind "invalid", for bodies that are cut off, empty or of another shape.',
    advice: 'check the shape of what was parsed before you look into it.',
    async run(context) {
      const { adapter, request } = await recordAgentReply(context);
      for (const [name, body] of Object.entries(unreadable(request))) {
        try {
          const { events } = adapter.parse({ ...request, body });
          if (events.length > 0) fail(`parse made an event of a body that is ${name}.`);
        } catch (error) {
          if (!(error instanceof AdapterError))
            fail(`of a body that is ${name}, parse threw ${describeError(error)}`, error);
          if (error.kind !== 'invalid') fail(`of a body that is ${name}, parse said "${error.kind}".`);
        }
      }
    },
  },
  {
    id: 'joined',
    title: 'an agent who takes the conversation is told',
    needs: ['join'],
    expected: 'an event of kind "joined" for the conversation.',
    advice: 'have parse or poll turn an assignment into { kind: "joined" } with the name of the agent.',
    async run(context) {
      const adapter = await context.createAdapter();
      const { externalId } = await adapter.open(newSession(), context.call);
      const recorder = await context.recordEvents(adapter);
      await context.system.agent.join?.(externalId);
      await recorder.waitFor(
        'an event of kind "joined"',
        ({ event }) => event.kind === 'joined' && event.externalId === externalId,
      );
    },
  },
];

const YEAR_MS = 365 * 86_400_000;

function once<Value>(context: CheckContext, verb: string, act: () => Value, aheadMs: number): Value {
  const before = context.proxy.requests.length;
  const { value, asked } = observeCall(act, aheadMs);
  if (asked > 0 || context.proxy.requests.length > before) fail(`${verb} made a request.`);
  return value;
}

/** Frozen as far as it can be: bytes cannot. */
const copyOf = (request: InboundRequest): InboundRequest =>
  Object.freeze({
    ...request,
    headers: Object.freeze({ ...request.headers }),
    body: Buffer.from(request.body),
  });

const unreadable = ({ body }: InboundRequest) => ({
  empty: Buffer.alloc(0),
  'cut off': body.subarray(0, Math.floor(body.length / 2)),
  'an empty object': Buffer.from('{}'),
  'a list': Buffer.from('[1]'),
  null: Buffer.from('null'),
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00]),
});
