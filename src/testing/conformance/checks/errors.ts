import { setImmediate } from 'node:timers/promises';
import type { Adapter, AdapterCall, AdapterError, AdapterErrorKind } from '../../../bridge/index.js';
import { adapterErrorOf, newMessage, newSession, refOf, runAdapterCheck } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail } from '../failures.js';
import type { FaultAnswer } from '../harness.js';

const RETRY_AFTER_S = 7;

/** Errors of the helpdesk, and the adapter's `check`. */
export const errorChecks: readonly ConformanceCheck[] = [
  {
    id: 'rate-limited',
    title: '429 is reported as rate-limited with Retry-After',
    expected: `an AdapterError of kind "rate-limited" with the retryAfterMs of the answer, and no retry by the adapter.`,
    advice: 'use createAdapterHttp, and leave waiting and retries to the bridge.',
    run: (context) =>
      expectEachCallFails(
        context,
        'rate-limited',
        () => context.proxy.answer(context.faultAnswers.rateLimited(RETRY_AFTER_S), ALWAYS),
        (error, method) => {
          const { retryAfterMs } = error;
          // A helpdesk may send a date, which is slightly closer by now.
          if (retryAfterMs !== null && retryAfterMs <= RETRY_AFTER_S * 1_000 && retryAfterMs > 0) return;
          fail(
            `the helpdesk asked ${method} to wait ${RETRY_AFTER_S} s, but its error has retryAfterMs ${retryAfterMs}.`,
          );
        },
      ),
  },
  {
    id: 'unavailable',
    title: '5xx is reported as transient',
    expected: 'an AdapterError of kind "transient", and no retry by the adapter.',
    advice:
      'use createAdapterHttp, and leave retries to the bridge, which knows the order and the time left.',
    run: (context) =>
      expectEachCallFails(context, 'transient', () =>
        context.proxy.answer(context.faultAnswers.unavailable, ALWAYS),
      ),
  },
  {
    id: 'unreachable',
    title: 'a broken connection is reported as transient',
    expected: 'an AdapterError of kind "transient".',
    advice: "use createAdapterHttp, or convert your HTTP client's errors into an AdapterError.",
    run: (context) => expectEachCallFails(context, 'transient', () => context.proxy.refuse(ALWAYS)),
  },
  {
    id: 'unauthorized',
    title: '401 is reported as auth and not retried',
    expected: 'an AdapterError of kind "auth" after a single request, because only an operator can fix it.',
    advice: 'use createAdapterHttp, and do not retry after 401.',
    run: (context) =>
      expectEachCallFails(context, 'auth', () =>
        context.proxy.answer(context.faultAnswers.unauthorized, ALWAYS),
      ),
  },
  {
    id: 'gone',
    title: 'a conversation that no longer exists is reported as gone',
    expected:
      'an AdapterError of kind "gone" from send, so that the bridge ends the conversation for the user, and from close and catchUp, unless they succeed. The same from send to a conversation that an agent has closed, if that does not reopen it.',
    advice:
      "use createAdapterHttp, which does so for 404 and 410. If the helpdesk answers differently, throw the error yourself, and set the harness's faults.gone.",
    async run(context) {
      await expectSendFails(context, 'gone', context.faultAnswers.gone);
      context.proxy.clear();
      const adapter = await context.createAdapter();
      const ref = await openNew(context, adapter);
      const calls = callsOf(adapter, ref, newSession());
      const { agent } = context.helpdesk;
      if (agent.close && !context.lacks('close')) {
        await agent.close(ref.externalId);
        await expectNothingBut(
          context,
          'gone',
          { send: calls.send },
          ' to a conversation that an agent has closed',
        );
      }
      context.proxy.answer(context.faultAnswers.gone, ALWAYS);
      await expectNothingBut(context, 'gone', { close: calls.close, catchUp: calls.catchUp });
    },
  },
  {
    id: 'refused',
    title: 'a message that the helpdesk refuses for good is reported as invalid',
    expected: 'an AdapterError of kind "invalid" from send after a single request.',
    advice:
      "use createAdapterHttp, which does so for other 4xx statuses. If the helpdesk answers differently, throw the error yourself, and set the harness's faults.refused.",
    run: (context) => expectSendFails(context, 'invalid', context.faultAnswers.refused),
  },
  {
    id: 'hanging',
    title: 'a call ends when its signal aborts',
    expected: 'an AdapterError of kind "transient" soon after call.signal aborted, while the helpdesk hangs.',
    advice: 'pass call.signal to every request; createAdapterHttp takes it from the call.',
    run: expectAbortable,
  },
  {
    id: 'check-right',
    title: 'check passes with a correctly configured system',
    expected: 'at least one result, all of them ok.',
    advice: "read the failed result's detail, which operators will see.",
    async run(context) {
      const results = await runAdapterCheck(await context.createAdapter(), context.call);
      const failedResults = results.filter(({ ok }) => !ok);
      if (results.length === 0) fail('check returned no results.');
      if (failedResults.length > 0)
        fail(failedResults.map(({ name, detail }) => `${name}: ${detail}`).join(' '));
    },
  },
  {
    id: 'check-wrong',
    title: 'check detects wrong credentials',
    expected: 'a result that is not ok, with a detail that says what to do.',
    advice: 'send an authenticated request in check, and return its failure as a result.',
    async run(context) {
      const results = await runAdapterCheck(await context.createAdapter('wrong'), context.call);
      if (results.every(({ ok }) => ok)) fail('check accepted wrong credentials.');
      if (results.some(({ ok, detail }) => !ok && detail.trim() === ''))
        fail('the result that is not ok has no detail.');
    },
  },
];

const UNDELIVERED = { kind: 'failed', text: 'The platform refused it.' } as const;
const ALWAYS = { times: Number.POSITIVE_INFINITY };

/** Makes every adapter call fail and checks its error. */
async function expectEachCallFails(
  context: CheckContext,
  kind: AdapterErrorKind,
  injectFault: () => void,
  inspect: (error: AdapterError, method: string) => void = () => {},
): Promise<void> {
  const adapter = await context.createAdapter();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, context.call));
  injectFault();
  for (const [method, run] of Object.entries(callsOf(adapter, ref, session))) {
    const before = context.proxy.requests.length;
    const error = await adapterErrorOf(method, run(context.call));
    const sent = context.proxy.requests.length - before;
    if (sent > 1) fail(`${method} sent ${sent} requests although the first was refused.`);
    if (sent === 0 && !error) continue;
    if (!error) fail(`${method} succeeded although the helpdesk refused its request.`);
    if (error.kind !== kind) fail(`${method} failed with kind "${error.kind}": ${error.message}`);
    inspect(error, method);
  }
}

async function expectSendFails(
  context: CheckContext,
  kind: AdapterErrorKind,
  answer: FaultAnswer,
): Promise<void> {
  const adapter = await context.createAdapter();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, context.call));
  const before = context.proxy.requests.length;
  context.proxy.answer(answer, ALWAYS);
  const error = await adapterErrorOf('send', adapter.send(ref, newMessage('Are you there?'), context.call));
  if (error?.kind !== kind) fail(`send ${describeOutcome(error)}`);
  const sent = context.proxy.requests.length - before;
  if (sent > 1) fail(`send sent ${sent} requests although the first was refused.`);
}

const openNew = async (context: CheckContext, adapter: Adapter) => {
  const session = newSession();
  return refOf(session, await adapter.open(session, context.call));
};

/** Fails if a call fails with another kind. */
async function expectNothingBut(
  context: CheckContext,
  kind: AdapterErrorKind,
  calls: Readonly<Record<string, ((call: AdapterCall) => Promise<unknown>) | undefined>>,
  where = '',
): Promise<void> {
  for (const [method, run] of Object.entries(calls)) {
    const error = run ? await adapterErrorOf(method, run(context.call)) : null;
    if (error && error.kind !== kind) fail(`${method}${where} ${describeOutcome(error)}`);
  }
}

const describeOutcome = (error: AdapterError | null): string =>
  error ? `failed with kind "${error.kind}": ${error.message}` : 'succeeded.';

/** Holds each call's requests, and aborts the call. */
async function expectAbortable(context: CheckContext): Promise<void> {
  const { proxy, waitFor } = context;
  const adapter = await context.createAdapter();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, context.call));
  for (const [method, run] of Object.entries(callsOf(adapter, ref, session))) {
    const before = proxy.requests.length;
    const hasSent = () => proxy.requests.length > before;
    const aborted = new AbortController();
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    proxy.hold(ALWAYS);
    const ending = adapterErrorOf(method, run({ ...context.call, signal: aborted.signal }));
    ending.then(end, end);
    // A call without a request ends at once. A request may be a late one of the call before.
    await setImmediate();
    await waitFor(`${method} to send a request`, () => hasSent() || hasEnded);
    const isHanging = !hasEnded;
    aborted.abort();
    await waitFor(`${method} to end after its signal was aborted`, () => hasEnded);
    const error = await ending;
    proxy.clear();
    if (isHanging && error?.kind !== 'transient') fail(`${method} ${describeOutcome(error)}`);
  }
}

function callsOf(
  adapter: Adapter,
  ref: ReturnType<typeof refOf>,
  session: ReturnType<typeof newSession>,
): Readonly<Record<string, (call: AdapterCall) => Promise<unknown>>> {
  return {
    open: (call) => adapter.open(newSession(), call),
    find: (call) => adapter.find(session, call),
    send: (call) => adapter.send(ref, newMessage('Are you there?'), call),
    close: (call) => adapter.close(ref, { by: 'user', text: 'The user has left.' }, call),
    ...(adapter.catchUp && {
      catchUp: async (call: AdapterCall) => adapter.catchUp?.(ref, session.requestedAt, call),
    }),
    ...(adapter.undelivered && {
      undelivered: async (call: AdapterCall) =>
        adapter.undelivered?.(ref, { messageId: null, text: 'A reply.' }, UNDELIVERED, call),
    }),
    ...(adapter.poll && { poll: async (call: AdapterCall) => adapter.poll?.(null, call) }),
  };
}
