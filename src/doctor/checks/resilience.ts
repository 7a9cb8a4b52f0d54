import type { WebhookEndpoint } from '../../protocol/index.js';
import { statusProblem } from '../assess-answer.js';
import { checkEachEndpoint, type DoctorCheck, expectRefusal, findingOf, notTestable } from '../check.js';
import type { DoctorClient } from '../client.js';
import { isLoopback } from '../target.js';

const CONCURRENT_REQUESTS = 10;

/** The problem if a well-formed request is refused afterwards. */
async function stillWorks(
  client: DoctorClient,
  endpoint: WebhookEndpoint,
  after: string,
): Promise<string | null> {
  const problem = statusProblem(await client.send(endpoint, await client.createBody(endpoint)));
  return problem && `a well-formed request after ${after}: ${problem}`;
}

/** Duplicates, load, oversized and broken requests, and transport. */
export const resilienceChecks: readonly DoctorCheck[] = [
  {
    id: 'repeat.later',
    level: 'advice',
    expects: 'answers the same event with HTTP 200 a second time',
    advice:
      'The platform may send an event twice. Answer 200 again and do nothing: a refusal means that the event was lost.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const body = await client.createBody(endpoint);
        const first = statusProblem(await client.send(endpoint, body));
        const second = statusProblem(await client.send(endpoint, body));
        return [first && `the first: ${first}`, second && `the second: ${second}`];
      }),
  },
  {
    id: 'repeat.at-once',
    level: 'advice',
    expects: 'answers the same event sent twice at once with HTTP 200',
    advice: 'Let a unique key in the database decide which of them does the work, and answer 200 to both.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const body = await client.createBody(endpoint);
        const answers = await Promise.all([client.send(endpoint, body), client.send(endpoint, body)]);
        return [...new Set(answers.map(statusProblem))];
      }),
  },
  {
    id: 'repeat.effect',
    level: 'advice',
    expects: 'handles an event once even if it is delivered twice',
    advice:
      'Remember handled events: messages by conversation_id and message_id, handoff events by conversation, time and content.',
    run: async () =>
      notTestable('handling is not visible from outside: make sure that no doctor-… event was handled twice'),
  },
  {
    id: 'concurrent',
    level: 'required',
    expects: `answers ${CONCURRENT_REQUESTS} concurrent requests with HTTP 200`,
    advice: 'Handle requests independently of each other; where order matters, queue per conversation.',
    run: (client) =>
      checkEachEndpoint(client, ['message', 'chat'], async (endpoint) => {
        const bodies = await Promise.all(
          Array.from({ length: CONCURRENT_REQUESTS }, () => client.createBody(endpoint)),
        );
        const answers = await Promise.all(bodies.map((body) => client.send(endpoint, body)));
        const problems = answers.map(statusProblem).filter((problem) => problem !== null);
        return problems.length > 0 ? [`${problems.length} of ${CONCURRENT_REQUESTS}: ${problems[0]}`] : [];
      }),
  },
  {
    id: 'body.oversized',
    level: 'advice',
    expects: 'refuses an oversized body with 413 or by closing the connection',
    advice:
      'Limit bodies to a few hundred kilobytes; without a limit, anyone can exhaust the memory. If your limit is larger than the test body, raise --oversize.',
    run: async (client) => {
      const [endpoint] = await client.workingEndpoints();
      if (!endpoint) return notTestable('no endpoint accepted a well-formed request');
      const padding = { doctor_padding: 'x'.repeat(client.oversizeBytes) };
      const answer = await client.send(endpoint, { ...(await client.createBody(endpoint)), ...padding });
      const disconnected = answer.status === null && answer.latencyMs < client.timeoutMs;
      return findingOf([
        disconnected ? null : expectRefusal(`${client.oversizeBytes} bytes`, answer),
        await stillWorks(client, endpoint, 'it'),
      ]);
    },
  },
  {
    id: 'survives',
    level: 'required',
    expects: 'keeps working after senders that disconnect in the middle of a body',
    advice:
      'A broken request must not affect the next one. Handle the error event of the request, and share no state between requests except in storage.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const broken = await client.createBody(endpoint);
        for (let times = 0; times < 3; times += 1) await client.send(endpoint, broken, { breakAt: 'body' });
        await client.sendText(endpoint, '{'.repeat(1_000));
        return [await stillWorks(client, endpoint, 'broken requests')];
      }),
  },
  {
    id: 'transport',
    level: 'advice',
    expects: 'uses HTTPS',
    advice: "Put TLS in front of it: credentials, path tokens and users' messages are sent in plain text.",
    run: async ({ target }) => {
      const urls = [target.url, ...(target.handoffUrl ? [target.handoffUrl] : [])];
      const publicUrls = urls.filter((url) => !isLoopback(url));
      if (publicUrls.length === 0) return notTestable('the receiver runs on this machine');
      return findingOf(
        publicUrls.map((url) => (url.startsWith('https:') ? null : `${new URL(url).host}: http`)),
      );
    },
  },
];
