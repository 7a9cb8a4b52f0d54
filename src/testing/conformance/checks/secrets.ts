import { type ConformanceCheck, fail, NotApplicableError, quote } from '../check.js';
import {
  adapterErrorOf,
  type CheckContext,
  newMessage,
  newSession,
  refOf,
  runAdapterCheck,
} from '../check-context.js';
import { captureConsole } from '../instrumentation.js';
import { recordAgentReply, tamperWith } from '../recorded-events.js';

const WORDS = 'the words of a user that nobody else should read';

/** What an adapter must keep to itself. */
export const secretChecks: readonly ConformanceCheck[] = [
  {
    id: 'no-secrets',
    title: 'no secrets and no words of users in logs and errors',
    expected:
      'neither the secrets of the harness nor what a user wrote, in log lines, errors, results of check or on the console.',
    advice:
      'log ids and counts; make errors of status and path alone, as createAdapterHttp does; never put a whole request or answer into an error.',
    async run(context) {
      const { said } = await captureConsole(() => provoke(context));
      const texts = [...said, ...context.recordedLog.lines];
      for (const secret of context.secrets) {
        const line = texts.find((text) => text.includes(secret) || text.includes(encodeURIComponent(secret)));
        if (line !== undefined) fail(`a secret is in ${quote(line.replaceAll(secret, '[the secret]'))}`);
      }
      const line = texts.find((text) => text.includes(WORDS));
      if (line !== undefined) fail(`what a user wrote is in ${quote(line.replaceAll(WORDS, '[the words]'))}`);
    },
  },
];

/** Has the adapter do everything that could make it talk, and collects what it says. */
async function provoke(context: CheckContext): Promise<string[]> {
  const { proxy, faultAnswers, call } = context;
  const said: string[] = [];
  const note = (error: unknown) => said.push(...describe(error));
  const adapter = await context.createAdapter();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, call));
  const tell = async (text: string) =>
    note(await adapterErrorOf('send', adapter.send(ref, newMessage(text), call)));
  await tell(WORDS);
  const echoing = { ...faultAnswers.unavailable, body: `cannot take ${WORDS}` };
  for (const answer of [
    faultAnswers.unauthorized,
    faultAnswers.rateLimited(1),
    echoing,
    { status: 422, body: WORDS },
  ]) {
    proxy.answer(answer);
    await tell(WORDS);
    proxy.answer(answer);
    note(await adapterErrorOf('open', adapter.open(newSession(), call)));
    proxy.clear();
  }
  proxy.refuse();
  await tell(WORDS);
  said.push(JSON.stringify(await runAdapterCheck(adapter, call)));
  const wrong = await context.createAdapter('wrong');
  said.push(JSON.stringify(await runAdapterCheck(wrong, call)));
  note(await adapterErrorOf('open', wrong.open(newSession(), call)));
  await provokeReading(context, note);
  return said;
}

async function provokeReading(context: CheckContext, note: (error: unknown) => void): Promise<void> {
  try {
    const { adapter, request } = await recordAgentReply(context);
    const { wrongSignature, unsigned, changedBody } = tamperWith(request);
    for (const changed of [...wrongSignature, ...unsigned, ...changedBody]) adapter.verify(changed);
    adapter.parse({ ...request, body: Buffer.from(JSON.stringify({ unexpected: WORDS })) });
  } catch (error) {
    if (!(error instanceof NotApplicableError)) note(error);
  }
}

/** What an error shows of itself, with its causes. */
function describe(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = Object.values(error).map((value) => JSON.stringify(value) ?? '');
  return [error.message, ...own, ...describe(error.cause)];
}
