import { inspect } from 'node:util';
import { adapterErrorOf, newMessage, newSession, refOf, runAdapterCheck } from '../adapter-calls.js';
import type { CheckContext, ConformanceCheck } from '../check-context.js';
import { fail, NotApplicableError, quote } from '../failures.js';
import { captureConsole } from '../instrumentation.js';
import { recordAgentReply, tamperWith } from '../webhook-events.js';

const USER_TEXT = 'a private message of the user';

export const secretChecks: readonly ConformanceCheck[] = [
  {
    id: 'no-secrets',
    title: 'logs, errors and what open returns contain no secrets and no user messages',
    expected:
      'neither the secrets of the harness nor user messages in log lines, errors, results of open and check or on the console.',
    advice:
      'log ids and counts; build errors from status and path only, as createAdapterHttp does; never put a whole request or answer into an error.',
    async run(context) {
      const captured = await captureConsole(() => provokeErrors(context));
      const texts = [...captured, ...context.recordedLog.lines];
      for (const form of context.secrets.flatMap(formsOf)) {
        const line = texts.find((text) => text.includes(form));
        if (line !== undefined) fail(`a secret appears in ${quote(line.replaceAll(form, '[secret]'))}`);
      }
      const line = texts.find((text) => text.includes(USER_TEXT));
      if (line !== undefined)
        fail(`a user message appears in ${quote(line.replaceAll(USER_TEXT, '[message]'))}`);
    },
  },
];

/** A secret as it is, in an address, and in Base64, whatever is encoded before it, such as a name and a colon. */
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${'x'.repeat(before)}${secret}`).toString('base64');
    // Without the characters that also depend on what is before and after it.
    return encoded.slice(before === 0 ? 0 : 4, 4 * Math.floor((before + Buffer.byteLength(secret)) / 3));
  });
  return [secret, encodeURIComponent(secret), ...inBase64].filter((form) => form !== '');
}

/** Provokes every kind of error and returns their texts. */
async function provokeErrors(context: CheckContext): Promise<string[]> {
  const { proxy, faultAnswers, call } = context;
  const texts: string[] = [];
  const collect = (error: unknown) => texts.push(...textsOf(error));
  const adapter = await context.createAdapter();
  const session = newSession();
  const opened = await adapter.open(session, call);
  // Stored with the conversation, and shown to operators.
  texts.push(JSON.stringify(opened));
  const ref = refOf(session, opened);
  const trySend = async (text: string) =>
    collect(await adapterErrorOf('send', adapter.send(ref, newMessage(text), call)));
  const others = {
    open: async () => adapter.open(newSession(), call),
    find: async () => adapter.find(session, call),
    catchUp: async () => adapter.catchUp?.(ref, session.requestedAt, call),
  };
  await trySend(USER_TEXT);
  const echoingAnswer = { ...faultAnswers.unavailable, body: `cannot take ${USER_TEXT}` };
  for (const answer of [
    faultAnswers.unauthorized,
    faultAnswers.rateLimited(1),
    echoingAnswer,
    { status: 422, body: USER_TEXT },
  ]) {
    proxy.answer(answer);
    await trySend(USER_TEXT);
    for (const [method, run] of Object.entries(others)) {
      proxy.answer(answer);
      collect(await adapterErrorOf(method, run()));
      proxy.clear();
    }
  }
  proxy.refuse();
  await trySend(USER_TEXT);
  texts.push(JSON.stringify(await runAdapterCheck(adapter, call)));
  const adapterWithWrongCredentials = await context.createAdapter('wrong');
  texts.push(JSON.stringify(await runAdapterCheck(adapterWithWrongCredentials, call)));
  collect(await adapterErrorOf('open', adapterWithWrongCredentials.open(newSession(), call)));
  await provokeWebhookErrors(context, collect);
  return texts;
}

async function provokeWebhookErrors(context: CheckContext, collect: (error: unknown) => void): Promise<void> {
  try {
    const { adapter, request } = await recordAgentReply(context);
    const { wrongSignature, unsigned, changedBody } = tamperWith(request);
    for (const changed of [...wrongSignature, ...unsigned, ...changedBody]) adapter.verify(changed);
    adapter.parse({ ...request, body: Buffer.from(JSON.stringify({ unexpected: USER_TEXT })) });
  } catch (error) {
    if (!(error instanceof NotApplicableError)) collect(error);
  }
}

/** The message and fields of an error and its causes, which need not be errors. */
const textsOf = (error: unknown): string[] =>
  error instanceof Error ? [error.message, inspect(error, { depth: 10, maxStringLength: null })] : [];
