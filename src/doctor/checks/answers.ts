import type { WebhookEndpoint } from '../../protocol/index.js';
import { probeBody } from '../../simulator/sending/index.js';
import { assessBody, contentTypeProblem, statusProblem } from '../assess-answer.js';
import { checkEachEndpoint, type DoctorCheck, findingOf, notTestable } from '../check.js';
import { groupOf, HANDOFF_ENDPOINTS, handoffBaseUrl } from '../target.js';

const accepted = (endpoint: WebhookEndpoint, expects: string, advice: string): DoctorCheck => ({
  id: `${endpoint}.accepted`,
  level: 'required',
  group: groupOf(endpoint),
  expects,
  advice,
  run: async (client) => findingOf([statusProblem(await client.wellFormedAnswer(endpoint))]),
});

const REPLY_MAY_FAIL =
  'The platform does not know the users of the doctor and refuses replies to them, so a handler that replies before the answer fails here. The simulator accepts these replies, and with a database replies are sent after the answer.';

const COMPARE_TOKEN =
  'If it answers 401 or 404, compare --handoff-token and --handoff-auth with the settings of the receiver.';

export const answerChecks: readonly DoctorCheck[] = [
  accepted(
    'message',
    'answers a bot message with HTTP 200',
    "Compare --receiver-url, --webhook-username and --webhook-secret with the bot's webhook settings, then read the receiver's log.",
  ),
  accepted(
    'establish',
    'answers a handoff request with HTTP 200',
    `Answer POST <url>/conversation/establish with 200 as soon as the request is accepted, else the user is told "busy". Compare --receiver-url, --handoff-token and --handoff-auth with the settings of the receiver. If it refuses because no agent is available, run the doctor during business hours. ${REPLY_MAY_FAIL}`,
  ),
  accepted(
    'chat',
    "answers a user's message with HTTP 200",
    `Answer POST <url>/chat with 200 while the handoff is open, and do slow work after the answer. ${COMPARE_TOKEN} ${REPLY_MAY_FAIL}`,
  ),
  accepted(
    'close',
    'answers a close notice with HTTP 200',
    `Answer POST <url>/conversation/close with 200: the user has already left. ${COMPARE_TOKEN}`,
  ),
  {
    id: 'message.body',
    level: 'required',
    group: 'message',
    expects: 'answers a message with the body {"code":200,"msg":"success"}',
    advice:
      'Answer messages with exactly {"code":200,"msg":"success"}: code is a number, and the field is msg.',
    run: (client) =>
      checkEachEndpoint(
        client,
        ['message'],
        async (endpoint) => assessBody(endpoint, await client.wellFormedAnswer(endpoint)).deviations,
      ),
  },
  {
    id: 'handoff.body',
    level: 'required',
    group: 'handoff',
    expects: 'answers handoff requests with a body such as {"code":200,"message":"success"}',
    advice:
      'Answer with {"code":200,"message":"success"}: code is a whole number, and here the field is message.',
    run: (client) =>
      checkEachEndpoint(
        client,
        HANDOFF_ENDPOINTS,
        async (endpoint) => assessBody(endpoint, await client.wellFormedAnswer(endpoint)).deviations,
      ),
  },
  {
    id: 'answers.type',
    level: 'advice',
    expects: 'sends its answers as application/json',
    advice: 'Send the header content-type: application/json with every answer.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => [
        contentTypeProblem(await client.wellFormedAnswer(endpoint)),
      ]),
  },
  {
    id: 'answers.time',
    level: 'advice',
    expects: 'answers within the time limit',
    advice:
      'Answer as soon as the event is stored, and do the work afterwards: the platform has a timeout, which it does not publish.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const { latencyMs } = await client.wellFormedAnswer(endpoint);
        const isLate = latencyMs > client.slowAfterMs;
        return [isLate ? `answered after ${latencyMs} ms, expected at most ${client.slowAfterMs} ms` : null];
      }),
  },
];

const probe = () => probeBody(Date.now());

/** Availability tests: bodies with `istest: true`, on every endpoint and on the base URL. */
export const probeChecks: readonly DoctorCheck[] = [
  {
    id: 'probe.message',
    level: 'required',
    group: 'message',
    expects: 'answers an availability test of the message webhook with HTTP 200',
    advice:
      'If a body has "istest": true, answer 200 and do nothing else. Check for it before you store anything.',
    run: (client) =>
      checkEachEndpoint(client, ['message'], async () => [
        statusProblem(await client.send('message', probe())),
      ]),
  },
  {
    id: 'probe.root',
    level: 'advice',
    group: 'handoff',
    expects: 'answers an availability test at the base URL of the handoff endpoints with HTTP 200',
    advice:
      'The platform may test the base URL of the human-service component itself, with the credentials of handoff requests. Answer POST there with 200 if the body has "istest": true, else its webhook check may show the component as unreachable.',
    run: async (client) => {
      if ((await client.workingEndpoints(HANDOFF_ENDPOINTS)).length === 0) {
        return notTestable('no handoff endpoint accepted a well-formed request');
      }
      const url = handoffBaseUrl(client.target);
      return findingOf([statusProblem(await client.send('chat', probe(), { url }))]);
    },
  },
  {
    id: 'probe.handoff',
    level: 'required',
    group: 'handoff',
    expects: 'answers an availability test of each handoff endpoint with HTTP 200',
    advice: 'Handoff requests may carry "istest": true, too. Answer 200 and open no conversation.',
    run: (client) =>
      checkEachEndpoint(client, HANDOFF_ENDPOINTS, async (endpoint) => {
        const body = {
          ...(await client.createBody(endpoint)),
          conversation_id: client.newId(),
          istest: true,
        };
        return [statusProblem(await client.send(endpoint, body))];
      }),
  },
  {
    id: 'probe.format',
    level: 'required',
    group: 'handoff',
    expects: 'accepts availability tests of the handoff endpoints in the format of bot messages',
    advice:
      'Availability tests use the standard message format on every endpoint. Check for "istest": true before you validate the body.',
    run: (client) =>
      checkEachEndpoint(client, HANDOFF_ENDPOINTS, async (endpoint) => [
        statusProblem(await client.send(endpoint, probe())),
      ]),
  },
  {
    id: 'probe.effect',
    level: 'required',
    expects: 'has no side effects in an availability test',
    advice: 'Do not store or forward a body with "istest": true.',
    run: async () =>
      notTestable(
        'side effects are not visible from outside: make sure that no "availability test" was stored',
      ),
  },
];
