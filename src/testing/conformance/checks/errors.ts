import type { Adapter, AdapterError, AdapterErrorKind } from '../../../bridge/index.js';
import { type ConformanceCheck, fail } from '../check.js';
import {
  adapterErrorOf,
  type CheckContext,
  newMessage,
  newSession,
  refOf,
  runAdapterCheck,
} from '../check-context.js';

const RETRY_AFTER_S = 7;

/** What an adapter says of a system that fails. */
export const errorChecks: readonly ConformanceCheck[] = [
  {
    id: 'rate-limited',
    title: '429 is told as rate-limited, with its time',
    expected: `an AdapterError of kind "rate-limited" whose retryAfterMs is that of the answer, and no second try.`,
    advice: 'use createAdapterHttp, and leave waiting and trying again to the bridge.',
    run: (context) =>
      eachVerbFails(
        context,
        'rate-limited',
        () => context.proxy.answer(context.faultAnswers.rateLimited(RETRY_AFTER_S), ALWAYS),
        (error, verb) => {
          const { retryAfterMs } = error;
          // A system may tell a point in time, which is a little nearer by now.
          if (retryAfterMs !== null && retryAfterMs <= RETRY_AFTER_S * 1_000 && retryAfterMs > 0) return;
          fail(`${verb} was told to wait ${RETRY_AFTER_S} s, and its error says ${retryAfterMs} ms.`);
        },
      ),
  },
  {
    id: 'unavailable',
    title: '5xx is told as transient',
    expected: 'an AdapterError of kind "transient", and no second try by the adapter.',
    advice:
      'use createAdapterHttp, and leave trying again to the bridge: it knows the order and the time left.',
    run: (context) =>
      eachVerbFails(context, 'transient', () =>
        context.proxy.answer(context.faultAnswers.unavailable, ALWAYS),
      ),
  },
  {
    id: 'unreachable',
    title: 'a broken connection is told as transient',
    expected: 'an AdapterError of kind "transient".',
    advice: 'use createAdapterHttp, or turn whatever your client throws into an AdapterError.',
    run: (context) => eachVerbFails(context, 'transient', () => context.proxy.refuse(ALWAYS)),
  },
  {
    id: 'unauthorized',
    title: '401 is told as auth and not tried again',
    expected: 'an AdapterError of kind "auth" after a single request: only a person can put that right.',
    advice: 'use createAdapterHttp; do not try again what was refused for its credentials.',
    run: (context) =>
      eachVerbFails(context, 'auth', () => context.proxy.answer(context.faultAnswers.unauthorized, ALWAYS)),
  },
  {
    id: 'check-right',
    title: 'check is content with a system that is set up',
    expected: 'a list of results that are all ok.',
    advice: 'see the detail of the result: it is what an operator will read.',
    async run(context) {
      const results = await runAdapterCheck(await context.createAdapter(), context.call);
      const bad = results.filter(({ ok }) => !ok);
      if (results.length === 0) fail('check returned nothing.');
      if (bad.length > 0) fail(bad.map(({ name, detail }) => `${name}: ${detail}`).join(' '));
    },
  },
  {
    id: 'check-wrong',
    title: 'check tells a wrong credential',
    expected: 'a result that is not ok and says what to do.',
    advice: 'make a request in check that needs the credentials, and return its failure as a result.',
    async run(context) {
      const results = await runAdapterCheck(await context.createAdapter('wrong'), context.call);
      if (results.every(({ ok }) => ok)) fail('check says that wrong credentials are fine.');
      if (results.some(({ ok, detail }) => !ok && detail.trim() === ''))
        fail('the result that is not ok has no detail.');
    },
  },
];

const ALWAYS = { times: Number.POSITIVE_INFINITY };

/** Has every call of an adapter fail, and looks at what it says. */
async function eachVerbFails(
  context: CheckContext,
  kind: AdapterErrorKind,
  strike: () => void,
  look: (error: AdapterError, verb: string) => void = () => {},
): Promise<void> {
  const adapter = await context.createAdapter();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, context.call));
  strike();
  for (const [verb, act] of Object.entries(verbsOf(adapter, context, ref, session))) {
    const before = context.proxy.requests.length;
    const error = await adapterErrorOf(verb, act());
    const asked = context.proxy.requests.length - before;
    if (asked > 1) fail(`${verb} made ${asked} requests although the first was refused.`);
    if (asked === 0 && !error) continue;
    if (!error) fail(`${verb} succeeded although the system refused its request.`);
    if (error.kind !== kind) fail(`${verb} failed with kind "${error.kind}": ${error.message}`);
    look(error, verb);
  }
}

function verbsOf(
  adapter: Adapter,
  { call }: CheckContext,
  ref: ReturnType<typeof refOf>,
  session: ReturnType<typeof newSession>,
): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    open: () => adapter.open(newSession(), call),
    find: () => adapter.find(session, call),
    send: () => adapter.send(ref, newMessage('Are you there?'), call),
    close: () => adapter.close(ref, { by: 'user', text: 'The user has left.' }, call),
    poll: async () => adapter.poll?.(null, call),
  };
}
