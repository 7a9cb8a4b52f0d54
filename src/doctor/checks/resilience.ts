import type { WebhookEndpoint } from '../../protocol/index.js';
import { statusProblem } from '../assess-answer.js';
import { checkEachEndpoint, type DoctorCheck, expectRefusal, findingOf, notTestable } from '../check.js';
import type { DoctorClient } from '../client.js';
import { isLoopback } from '../target.js';

/** Deliveries sent at the same time. */
const AT_ONCE = 10;

/** Whether a well-formed delivery is still taken. */
async function goesOn(
  session: DoctorClient,
  endpoint: WebhookEndpoint,
  after: string,
): Promise<string | null> {
  const problem = statusProblem(await session.send(endpoint, await session.createBody(endpoint)));
  return problem && `a well-formed delivery after ${after}: ${problem}`;
}

/** Repeats, load, and what comes after garbage. */
export const enduranceChecks: readonly DoctorCheck[] = [
  {
    id: 'repeat.later',
    expects: 'answers a second delivery of the same event with HTTP 200',
    advice:
      'The service may send an event twice. Answer 200 again and do nothing: a refusal says that it was lost.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const body = await session.createBody(endpoint);
        const first = statusProblem(await session.send(endpoint, body));
        const second = statusProblem(await session.send(endpoint, body));
        return [first && `the first: ${first}`, second && `the second: ${second}`];
      }),
  },
  {
    id: 'repeat.at-once',
    expects: 'answers two deliveries of the same event at the same time with HTTP 200',
    advice: 'Let a unique key decide which of them does the work, and answer 200 to both.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const body = await session.createBody(endpoint);
        const answers = await Promise.all([session.send(endpoint, body), session.send(endpoint, body)]);
        return [...new Set(answers.map(statusProblem))];
      }),
  },
  {
    id: 'repeat.effect',
    expects: 'handles an event that came twice once',
    advice:
      'Remember what was handled: messages by conversation_id and message_id, handoff events by conversation, time and content.',
    run: async () =>
      notTestable(
        'what happens inside cannot be seen from here: look that no doctor-… event was handled twice',
      ),
  },
  {
    id: 'concurrent',
    expects: `answers ${AT_ONCE} deliveries at the same time with HTTP 200`,
    advice: 'Handle requests independently of each other; where order matters, queue per conversation.',
    run: (session) =>
      checkEachEndpoint(session, ['message', 'chat'], async (endpoint) => {
        const bodies = await Promise.all(Array.from({ length: AT_ONCE }, () => session.createBody(endpoint)));
        const answers = await Promise.all(bodies.map((body) => session.send(endpoint, body)));
        const problems = answers.map(statusProblem).filter((problem) => problem !== null);
        return problems.length > 0 ? [`${problems.length} of ${AT_ONCE}: ${problems[0]}`] : [];
      }),
  },
  {
    id: 'body.oversized',
    expects: 'refuses a body that is far too large, with 413 or by hanging up',
    advice:
      'Set a limit for bodies, some hundred kilobytes; without one, anybody can fill the memory. If yours is larger than what was sent, send more with --oversize.',
    run: async (session) => {
      const [endpoint] = await session.workingEndpoints();
      if (!endpoint) return notTestable('no endpoint took a well-formed delivery');
      const padding = { doctor_padding: 'x'.repeat(session.oversizeBytes) };
      const answer = await session.send(endpoint, { ...(await session.createBody(endpoint)), ...padding });
      const hungUp = answer.status === null && answer.latencyMs < session.timeoutMs;
      return findingOf([
        hungUp ? null : expectRefusal(`${session.oversizeBytes} bytes`, answer),
        await goesOn(session, endpoint, 'it'),
      ]);
    },
  },
  {
    id: 'survives',
    expects: 'goes on after senders that hang up in the middle of a body',
    advice:
      'Listen for errors of the request, and keep one request from reaching another: no state between them but what is stored.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const broken = await session.createBody(endpoint);
        for (let times = 0; times < 3; times += 1) await session.send(endpoint, broken, { breakAt: 'body' });
        await session.sendText(endpoint, '{'.repeat(1_000));
        return [await goesOn(session, endpoint, 'broken ones')];
      }),
  },
  {
    id: 'transport',
    expects: 'is reached over HTTPS',
    advice:
      'Put TLS in front of it: credentials, tokens in paths and what customers write travel in the clear.',
    run: async ({ target }) => {
      const urls = [target.url, ...(target.handoffUrl ? [target.handoffUrl] : [])];
      const outside = urls.filter((url) => !isLoopback(url));
      if (outside.length === 0) return notTestable('it is on this machine');
      return findingOf(
        outside.map((url) => (url.startsWith('https:') ? null : `${new URL(url).host}: http`)),
      );
    },
  },
];
