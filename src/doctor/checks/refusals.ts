import type { WebhookEndpoint } from '../../protocol/index.js';
import type { JsonPostResult } from '../../simulator/sending/index.js';
import { assessBody } from '../assess-answer.js';
import type { WireBody } from '../bodies.js';
import { type BodyChange, withFields, withoutFields } from '../bodies.js';
import { checkEachEndpoint, type DoctorCheck, expectRefusal } from '../check.js';
import { sendByMethod } from '../client.js';
import { appendPath, handoffBaseUrl, redactSecrets } from '../target.js';

const NOT_JSON: readonly (readonly [what: string, payload: string, contentType?: string])[] = [
  ['text that is not JSON', 'this is not JSON'],
  ['truncated JSON', '{"conversation_id":"doctor-cut'],
  ['an empty body', ''],
  ['form data', 'conversation_id=doctor-form', 'application/x-www-form-urlencoded'],
];

const NOT_AN_OBJECT = ['[]', '"text"', '42', 'null'] as const;

const DEEP = 20_000;
const deeplyNested = (body: WireBody): string =>
  `${JSON.stringify(body).slice(0, -1)},"doctor_deep":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`;

/** Stack frames of Node, Python or Java. */
const STACK = /\bat .{0,300}:\d+:\d+|Traceback \(most recent call last\)|\.java:\d+\)/;

/** Whether an answer accepts a request, by its status and its body. */
function isAccepted(endpoint: WebhookEndpoint, answer: JsonPostResult): boolean {
  return answer.status === 200 && assessBody(endpoint, answer).deviations.length === 0;
}

/** An event is useless without its conversation. Other missing fields can be tolerated, so they are not tested. */
const refusesConversation =
  (what: string, change: BodyChange): DoctorCheck['run'] =>
  (client) =>
    checkEachEndpoint(client, undefined, async (endpoint) => [
      expectRefusal(what, await client.send(endpoint, change(await client.createBody(endpoint)))),
    ]);

/** Requests that a receiver should refuse, although the specification does not mention them. */
export const refusalChecks: readonly DoctorCheck[] = [
  {
    id: 'method',
    level: 'advice',
    expects: 'accepts POST requests only',
    advice: 'Answer other methods with 405. In Express, use app.post() instead of app.all() or app.use().',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const body = await client.createBody(endpoint);
        const get = await sendByMethod(client, 'GET', endpoint, null);
        const put = await sendByMethod(client, 'PUT', endpoint, body);
        return [
          isAccepted(endpoint, get) ? 'GET was accepted' : null,
          isAccepted(endpoint, put) ? 'PUT was accepted' : null,
        ];
      }),
  },
  {
    id: 'path',
    level: 'advice',
    expects: 'refuses requests at unknown paths',
    advice: 'Answer unknown paths with 404, so that the webhook check reveals a mistyped URL.',
    run: (client) =>
      checkEachEndpoint(client, ['message', 'chat'], async (endpoint) => {
        const { target } = client;
        const base = endpoint === 'message' ? target.url : handoffBaseUrl(target);
        const url = appendPath(base, 'doctor/no-such-path');
        return [
          expectRefusal(
            'an unknown path',
            await client.send(endpoint, await client.createBody(endpoint), { url }),
          ),
        ];
      }),
  },
  {
    id: 'body.not-json',
    level: 'advice',
    expects: 'refuses bodies that are not JSON',
    advice:
      'Answer 400 if the body cannot be parsed, and catch the parser error: a 500 means that the receiver is broken.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const problems: (string | null)[] = [];
        for (const [what, payload, type] of NOT_JSON) {
          problems.push(expectRefusal(what, await client.sendText(endpoint, payload, type)));
        }
        return problems;
      }),
  },
  {
    id: 'body.not-object',
    level: 'advice',
    expects: 'refuses JSON that is not an object',
    advice: 'Arrays, strings, numbers and null are JSON, too. Answer 400 unless the body is an object.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const problems: (string | null)[] = [];
        for (const payload of NOT_AN_OBJECT) {
          problems.push(expectRefusal(`the body ${payload}`, await client.sendText(endpoint, payload)));
        }
        return problems;
      }),
  },
  {
    id: 'body.missing',
    level: 'advice',
    expects: 'refuses bodies without a conversation_id',
    advice:
      'Answer 400 if conversation_id is missing: 200 means that the event was handled, which is impossible without it.',
    run: refusesConversation('without conversation_id', withoutFields('conversation_id')),
  },
  {
    id: 'body.mistyped',
    level: 'advice',
    expects: 'refuses bodies whose conversation_id is not text',
    advice: 'Validate bodies against a schema: an object as conversation_id turns into "[object Object]".',
    run: refusesConversation('an object as conversation_id', withFields({ conversation_id: {} })),
  },
  {
    id: 'body.deep',
    level: 'advice',
    expects: 'survives deeply nested JSON',
    advice: 'Limit the nesting depth, and answer 400 beyond it.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const body = await client.createBody(endpoint);
        const answer = await client.send(endpoint, body, { payload: deeplyNested(body) });
        return [answer.status === 200 ? null : expectRefusal(`${DEEP} levels`, answer)];
      }),
  },
  {
    id: 'answers.quiet',
    level: 'advice',
    expects: 'reveals no internals in refusals',
    advice:
      'Answer with a short reason. Express sends stack traces unless NODE_ENV is production or an error handler answers.',
    run: (client) =>
      checkEachEndpoint(client, undefined, async (endpoint) => {
        const answers = [
          await client.sendText(endpoint, 'this is not JSON'),
          await client.send(endpoint, {}),
          await sendByMethod(client, 'GET', endpoint, null),
        ];
        const { target } = client;
        return [
          answers.some(({ text }) => STACK.test(text)) ? 'the answer contains a stack trace' : null,
          answers.some(({ text }) => redactSecrets(text, target) !== text)
            ? 'the answer contains a secret'
            : null,
        ];
      }),
  },
];
