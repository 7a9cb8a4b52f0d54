import type { WebhookEndpoint } from '../../protocol/index.js';
import { probeBody } from '../../simulator/sending/index.js';
import { assessBody, contentTypeProblem, statusProblem } from '../assess-answer.js';
import { checkEachEndpoint, type DoctorCheck, findingOf, notTestable } from '../check.js';
import { groupOf, HANDOFF_ENDPOINTS, handoffBaseUrl } from '../target.js';

const accepted = (endpoint: WebhookEndpoint, expects: string, advice: string): DoctorCheck => ({
  id: `${endpoint}.accepted`,
  group: groupOf(endpoint),
  expects,
  advice,
  run: async (session) => findingOf([statusProblem(await session.wellFormedAnswer(endpoint))]),
});

/** Well-formed deliveries, and what is answered to them. */
export const answerChecks: readonly DoctorCheck[] = [
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
      checkEachEndpoint(
        session,
        ['message'],
        async (endpoint) => assessBody(endpoint, await session.wellFormedAnswer(endpoint)).deviations,
      ),
  },
  {
    id: 'handoff.body',
    group: 'handoff',
    expects: 'answers handoff requests with a body such as {"code":200,"message":"success"}',
    advice:
      'Answer with {"code":200,"message":"success"}: code is a whole number, and here the field is message.',
    run: (session) =>
      checkEachEndpoint(
        session,
        HANDOFF_ENDPOINTS,
        async (endpoint) => assessBody(endpoint, await session.wellFormedAnswer(endpoint)).deviations,
      ),
  },
  {
    id: 'answers.type',
    expects: 'says that its answers are JSON',
    advice: 'Send the header content-type: application/json with every answer.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => [
        contentTypeProblem(await session.wellFormedAnswer(endpoint)),
      ]),
  },
  {
    id: 'answers.time',
    expects: 'answers in good time',
    advice:
      'Answer as soon as the delivery is safe, and do the work afterwards: the service does not wait for ever, and does not say how long it does.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const { latencyMs } = await session.wellFormedAnswer(endpoint);
        const late = latencyMs > session.slowAfterMs;
        return [late ? `answered after ${latencyMs} ms, expected at most ${session.slowAfterMs} ms` : null];
      }),
  },
];

const probe = () => probeBody(Date.now());

/** Availability tests: bodies with `istest`, on every path and on the address the paths are below (4.3). */
export const probeChecks: readonly DoctorCheck[] = [
  {
    id: 'probe.message',
    group: 'message',
    expects: 'answers an availability test of the message webhook with HTTP 200',
    advice:
      'When a body has "istest": true, answer 200 and do nothing else; look for it before anything is stored.',
    run: (session) =>
      checkEachEndpoint(session, ['message'], async () => [
        statusProblem(await session.send('message', probe())),
      ]),
  },
  {
    id: 'probe.root',
    group: 'handoff',
    expects: 'answers an availability test at the base URL of the handoff endpoints with HTTP 200',
    advice:
      'The service tests the URL that is set for the human-service component itself. Answer POST there, too: 200 where the body has "istest": true. Until then its webhook check shows the component as unreachable.',
    run: async (session) => {
      if ((await session.workingEndpoints(HANDOFF_ENDPOINTS)).length === 0) {
        return notTestable('no handoff endpoint took a well-formed delivery');
      }
      const url = handoffBaseUrl(session.target);
      return findingOf([statusProblem(await session.send('chat', probe(), { url }))]);
    },
  },
  {
    id: 'probe.handoff',
    group: 'handoff',
    expects: 'answers an availability test of each handoff endpoint with HTTP 200',
    advice: 'Handoff requests may carry "istest": true, too. Answer 200, and open no conversation.',
    run: (session) =>
      checkEachEndpoint(session, HANDOFF_ENDPOINTS, async (endpoint) => {
        const body = {
          ...(await session.createBody(endpoint)),
          conversation_id: session.newId(),
          istest: true,
        };
        return [statusProblem(await session.send(endpoint, body))];
      }),
  },
  {
    id: 'probe.format',
    group: 'handoff',
    expects: 'takes availability tests of the handoff endpoints in the format of agent messages',
    advice:
      'Availability tests come in the standard message format wherever they go. Look for "istest": true before the body is held against what the endpoint expects otherwise.',
    run: (session) =>
      checkEachEndpoint(session, HANDOFF_ENDPOINTS, async (endpoint) => [
        statusProblem(await session.send(endpoint, probe())),
      ]),
  },
  {
    id: 'probe.effect',
    expects: 'does nothing but answer when it is tested',
    advice: 'Store nothing and call nobody for a body with "istest": true.',
    run: async () =>
      notTestable('what happens inside cannot be seen from here: look that no "availability test" turned up'),
  },
];
