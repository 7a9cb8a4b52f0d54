import type { WebhookEndpoint } from '../../protocol/index.js';
import { atEach, type Check, found } from '../check.js';
import { judgeBody, judgeStatus, judgeType } from '../judge-answer.js';
import { groupOf, HANDOFF_ENDPOINTS } from '../target.js';

const accepted = (endpoint: WebhookEndpoint, expects: string, advice: string): Check => ({
  id: `${endpoint}.accepted`,
  group: groupOf(endpoint),
  expects,
  advice,
  run: async (session) => found([judgeStatus(await session.baseline(endpoint))]),
});

/** Well-formed deliveries, and what is answered to them. */
export const answerChecks: readonly Check[] = [
  accepted(
    'message',
    'answers an agent message with HTTP 200',
    'Compare --url, --username and --secret with the webhook settings of the agent, then look into the log of the receiver.',
  ),
  accepted(
    'establish',
    'answers a handoff request with HTTP 200',
    'POST <url>/conversation/establish must be answered 200 as soon as the request is taken, else the user is shown "busy". Compare --url, --token and --handoff-auth with its settings. If nobody is on duty now, examine it when somebody is.',
  ),
  accepted(
    'chat',
    "answers a user's message with HTTP 200",
    'POST <url>/chat must be answered 200 while the handoff is open; what takes time belongs after the answer.',
  ),
  accepted(
    'close',
    'answers a close notice with HTTP 200',
    'POST <url>/conversation/close must be answered 200: the user is gone already, and nobody can refuse that.',
  ),
  {
    id: 'message.body',
    group: 'message',
    expects: 'answers a message with the body {"code":200,"msg":"success"}',
    advice:
      'Answer messages with exactly {"code":200,"msg":"success"}: code is a number, and the field is msg.',
    run: (session) =>
      atEach(
        session,
        ['message'],
        async (endpoint) => judgeBody(endpoint, await session.baseline(endpoint)).deviations,
      ),
  },
  {
    id: 'handoff.body',
    group: 'handoff',
    expects: 'answers handoff requests with a body such as {"code":200,"message":"success"}',
    advice:
      'Answer with {"code":200,"message":"success"}: code is a whole number, and here the field is message.',
    run: (session) =>
      atEach(
        session,
        HANDOFF_ENDPOINTS,
        async (endpoint) => judgeBody(endpoint, await session.baseline(endpoint)).deviations,
      ),
  },
  {
    id: 'answers.type',
    expects: 'says that its answers are JSON',
    advice: 'Send the header content-type: application/json with every answer.',
    run: (session) =>
      atEach(session, undefined, async (endpoint) => [judgeType(await session.baseline(endpoint))]),
  },
  {
    id: 'answers.time',
    expects: 'answers in good time',
    advice:
      'Answer as soon as the delivery is safe, and do the work afterwards: the service does not wait for ever, and does not say how long it does.',
    run: (session) =>
      atEach(session, undefined, async (endpoint) => {
        const { latencyMs } = await session.baseline(endpoint);
        const late = latencyMs > session.goodTimeMs;
        return [late ? `answered after ${latencyMs} ms, expected at most ${session.goodTimeMs} ms` : null];
      }),
  },
];
