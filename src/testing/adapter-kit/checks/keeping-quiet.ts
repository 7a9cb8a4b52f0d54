import { agentsRequest } from '../agents-request.js';
import { changedRequests } from '../changed-requests.js';
import type { Check } from '../check.js';
import { NotApplicable } from '../check.js';
import { found, shortened } from '../failure.js';
import { overheard } from '../overheard.js';
import { checkResults, errorOf, newMessage, newSession, type Rig, refOf } from '../rig.js';

const WORDS = 'the words of a user that nobody else should read';

/** What an adapter must keep to itself. */
export const quietChecks: readonly Check[] = [
  {
    id: 'no-secrets',
    title: 'no secrets and no words of users in logs and errors',
    expected:
      'neither the secrets of the harness nor what a user wrote, in log lines, errors, results of check or on the console.',
    advice:
      'log ids and counts; make errors of status and path alone, as createAdapterHttp does; never put a whole request or answer into an error.',
    async run(rig) {
      const { said } = await overheard(() => provoke(rig));
      const texts = [...said, ...rig.recorded.lines];
      for (const secret of rig.secrets) {
        const line = texts.find((text) => text.includes(secret) || text.includes(encodeURIComponent(secret)));
        if (line !== undefined) found(`a secret is in ${shortened(line.replaceAll(secret, '[the secret]'))}`);
      }
      const line = texts.find((text) => text.includes(WORDS));
      if (line !== undefined)
        found(`what a user wrote is in ${shortened(line.replaceAll(WORDS, '[the words]'))}`);
    },
  },
];

/** Has the adapter do everything that could make it talk, and collects what it says. */
async function provoke(rig: Rig): Promise<string[]> {
  const { proxy, refusals, call } = rig;
  const said: string[] = [];
  const note = (error: unknown) => said.push(...describe(error));
  const adapter = await rig.make();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, call));
  const tell = async (text: string) => note(await errorOf('send', adapter.send(ref, newMessage(text), call)));
  await tell(WORDS);
  const echoing = { ...refusals.unavailable, body: `cannot take ${WORDS}` };
  for (const answer of [
    refusals.unauthorized,
    refusals.rateLimited(1),
    echoing,
    { status: 422, body: WORDS },
  ]) {
    proxy.answer(answer);
    await tell(WORDS);
    proxy.answer(answer);
    note(await errorOf('open', adapter.open(newSession(), call)));
    proxy.clear();
  }
  proxy.refuse();
  await tell(WORDS);
  said.push(JSON.stringify(await checkResults(adapter, call)));
  const wrong = await rig.make('wrong');
  said.push(JSON.stringify(await checkResults(wrong, call)));
  note(await errorOf('open', wrong.open(newSession(), call)));
  await provokeReading(rig, note);
  return said;
}

async function provokeReading(rig: Rig, note: (error: unknown) => void): Promise<void> {
  try {
    const { adapter, request } = await agentsRequest(rig);
    const { wrongSignature, unsigned, changedBody } = changedRequests(request);
    for (const changed of [...wrongSignature, ...unsigned, ...changedBody]) adapter.verify(changed);
    adapter.parse({ ...request, body: Buffer.from(JSON.stringify({ unexpected: WORDS })) });
  } catch (error) {
    if (!(error instanceof NotApplicable)) note(error);
  }
}

/** What an error shows of itself, with its causes. */
function describe(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = Object.values(error).map((value) => JSON.stringify(value) ?? '');
  return [error.message, ...own, ...describe(error.cause)];
}
