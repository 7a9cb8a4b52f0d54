import type { WebhookEndpoint } from '../../protocol/index.js';
import type { JsonPostResult } from '../../simulator/sending/index.js';
import { assessBody } from '../assess-answer.js';
import type { WireBody } from '../bodies.js';
import { type BodyChange, withFields, withoutFields } from '../bodies.js';
import { checkEachEndpoint, type DoctorCheck, expectRefusal } from '../check.js';
import { sendByMethod } from '../client.js';
import { appendPath, handoffBaseUrl, redactSecrets } from '../target.js';

type Wrong = readonly (readonly [what: string, vary: BodyChange])[];

const without = (field: string) => [`without ${field}`, withoutFields(field)] as const;
const OBJECT_ID = ['conversation_id as an object', withFields({ conversation_id: {} })] as const;

const MISSING: Readonly<Record<WebhookEndpoint, Wrong>> = {
  message: [without('conversation_id'), without('message_id')],
  establish: [without('conversation_id')],
  chat: [without('conversation_id'), without('body')],
  close: [without('conversation_id')],
};

const MISTYPED: Readonly<Record<WebhookEndpoint, Wrong>> = {
  message: [OBJECT_ID, ['output as text', withFields({ output: 'text' })]],
  establish: [OBJECT_ID, ['body as text', withFields({ body: 'text' })]],
  chat: [OBJECT_ID, ['body as a list', withFields({ body: ['text'] })]],
  close: [OBJECT_ID],
};

const NOT_JSON: readonly (readonly [what: string, payload: string, contentType?: string])[] = [
  ['text that is no JSON', 'this is no JSON'],
  ['JSON that is cut short', '{"conversation_id":"doctor-cut'],
  ['an empty body', ''],
  ['a form', 'conversation_id=doctor-form', 'application/x-www-form-urlencoded'],
];

const NOT_AN_OBJECT = ['[]', '"text"', '42', 'null'] as const;

const DEEP = 20_000;
const deeplyNested = (body: WireBody): string =>
  `${JSON.stringify(body).slice(0, -1)},"doctor_deep":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`;

/** Frames of a stack trace of Node, Python or Java. */
const STACK = /\bat .{0,300}:\d+:\d+|Traceback \(most recent call last\)|\.java:\d+\)/;

/** Whether an answer says yes to a delivery, in its status and in its words. */
function saysYes(endpoint: WebhookEndpoint, answer: JsonPostResult): boolean {
  return answer.status === 200 && assessBody(endpoint, answer).deviations.length === 0;
}

const changedBodies = (wrong: Readonly<Record<WebhookEndpoint, Wrong>>): DoctorCheck['run'] => {
  return (session) =>
    checkEachEndpoint(session, undefined, async (endpoint) => {
      const problems: (string | null)[] = [];
      for (const [what, vary] of wrong[endpoint]) {
        const answer = await session.send(endpoint, vary(await session.createBody(endpoint)));
        problems.push(expectRefusal(what, answer));
      }
      return problems;
    });
};

/** What must not be taken for a delivery. */
export const refusalChecks: readonly DoctorCheck[] = [
  {
    id: 'method',
    expects: 'takes deliveries by POST only',
    advice:
      'Answer other methods with 405. In Express, register with app.post() where app.all() or app.use() stands now.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const body = await session.createBody(endpoint);
        const get = await sendByMethod(session, 'GET', endpoint, null);
        const put = await sendByMethod(session, 'PUT', endpoint, body);
        return [
          saysYes(endpoint, get) ? 'GET was answered like a delivery' : null,
          saysYes(endpoint, put) ? 'PUT was answered like a delivery' : null,
        ];
      }),
  },
  {
    id: 'path',
    expects: 'takes no deliveries at paths that do not exist',
    advice: 'Answer unknown paths with 404, so that a mistyped URL shows in the webhook check.',
    run: (session) =>
      checkEachEndpoint(session, ['message', 'chat'], async (endpoint) => {
        const { target } = session;
        const base = endpoint === 'message' ? target.url : handoffBaseUrl(target);
        const url = appendPath(base, 'doctor/no-such-path');
        return [
          expectRefusal(
            'an unknown path',
            await session.send(endpoint, await session.createBody(endpoint), { url }),
          ),
        ];
      }),
  },
  {
    id: 'body.not-json',
    expects: 'refuses what is no JSON',
    advice:
      'Answer 400 when the body cannot be parsed, and catch what the parser throws: a 500 says that the receiver is broken.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const problems: (string | null)[] = [];
        for (const [what, payload, type] of NOT_JSON) {
          problems.push(expectRefusal(what, await session.sendText(endpoint, payload, type)));
        }
        return problems;
      }),
  },
  {
    id: 'body.not-object',
    expects: 'refuses JSON that is no object',
    advice: 'A list, text, a number and null are JSON, too. Answer 400 unless the body is an object.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const problems: (string | null)[] = [];
        for (const payload of NOT_AN_OBJECT) {
          problems.push(expectRefusal(`the body ${payload}`, await session.sendText(endpoint, payload)));
        }
        return problems;
      }),
  },
  {
    id: 'body.missing',
    expects: 'refuses bodies that lack what identifies them',
    advice:
      'Answer 400 when a needed field is missing: a delivery that is answered 200 counts as handled, and this one cannot be.',
    run: changedBodies(MISSING),
  },
  {
    id: 'body.mistyped',
    expects: 'refuses bodies whose fields are of the wrong kind',
    advice:
      'Hold bodies against a schema: ids are text, output and the transcript are lists, what a user says is text.',
    run: changedBodies(MISTYPED),
  },
  {
    id: 'body.deep',
    expects: 'does not stumble over deeply nested JSON',
    advice: 'Limit the depth of what is walked through, and answer 400.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const body = await session.createBody(endpoint);
        const answer = await session.send(endpoint, body, { payload: deeplyNested(body) });
        return [answer.status === 200 ? null : expectRefusal(`${DEEP} levels`, answer)];
      }),
  },
  {
    id: 'answers.quiet',
    expects: 'tells nobody of its insides when it refuses',
    advice:
      'Answer with a short reason of your own. Express shows stack traces unless NODE_ENV is production or an error handler answers.',
    run: (session) =>
      checkEachEndpoint(session, undefined, async (endpoint) => {
        const answers = [
          await session.sendText(endpoint, 'this is no JSON'),
          await session.send(endpoint, {}),
          await sendByMethod(session, 'GET', endpoint, null),
        ];
        const { target } = session;
        return [
          answers.some(({ text }) => STACK.test(text)) ? 'a stack trace is in the answer' : null,
          answers.some(({ text }) => redactSecrets(text, target) !== text)
            ? 'a secret is in the answer'
            : null,
        ];
      }),
  },
];
