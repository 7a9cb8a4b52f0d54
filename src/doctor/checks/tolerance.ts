import type { WebhookEndpoint } from '../../protocol/index.js';
import { statusProblem } from '../assess-answer.js';
import { type BodyChange, TEST_TEXT, type WireBody, withFields, withoutFields } from '../bodies.js';
import { checkEachEndpoint, type DoctorCheck, type DoctorLevel } from '../check.js';
import { groupOf } from '../target.js';

type Variant = readonly [name: string, change: BodyChange];

/** Bodies to accept: from the specification (`required`), or sent by some platforms (`advice`). */
interface ToleratedBodies {
  readonly id: string;
  readonly level: DoctorLevel;
  readonly expects: string;
  readonly advice: string;
  readonly variants: Readonly<Partial<Record<WebhookEndpoint, readonly Variant[]>>>;
  readonly type?: string;
}

const content = (kinds: WireBody) =>
  withFields({ output: [{ from_component_name: 'Answer', content: kinds }] });
const transcript = (...items: readonly WireBody[]) => withFields({ body: items });
/** Changes the time of a body, which is `create_time` or `timestamp`. */
const changeTime =
  (form: (time: number) => unknown): BodyChange =>
  (body) => {
    const field = 'create_time' in body ? 'create_time' : 'timestamp';
    return { ...body, [field]: form(Number(body[field])) };
  };
const milliseconds = (time: number): number => (time < 1e11 ? time * 1_000 : time);

const unchanged: Variant = ['unchanged', (body) => body];
const DIGITS: readonly Variant[] = [['the time as a string of digits', changeTime(String)]];
const UNITS: readonly Variant[] = [
  ['the time in seconds', changeTime((time) => Math.floor(milliseconds(time) / 1_000))],
  ['the time in milliseconds', changeTime(milliseconds)],
];
const NEW_FIELDS: readonly Variant[] = [
  ['unknown fields', withFields({ doctor_field: 'new', doctor_object: { more: [1, null] } })],
];
const LONG_ITEM = { text: `${TEST_TEXT} `.repeat(20), message_type: 'QUESTION' };
const UNICODE_TEXT = '你好 👋🏽 שלום\n"quoted" \\ <b>bold</b>';

const TOLERATED: readonly ToleratedBodies[] = [
  {
    id: 'user.unknown',
    level: 'required',
    expects: 'accepts users without user_id, email and phone',
    advice: 'Accept null for user_id, email and phone: the platform knows them only for some users.',
    variants: {
      message: [['no user_id', withFields({ user_id: null })]],
      establish: [
        [
          'no email and no phone',
          (body) => ({
            ...body,
            email: null,
            user_info: { ...Object(body.user_info), email: null, phone: null },
          }),
        ],
      ],
    },
  },
  {
    id: 'content.audio',
    level: 'required',
    expects: 'accepts audio without text',
    advice: 'An element of output contains text, audio, or both: do not require the text.',
    variants: {
      message: [
        [
          'audio without text',
          content({ audio: [{ audio: 'https://example.com/1.mp3', transcript: TEST_TEXT }] }),
        ],
      ],
    },
  },
  {
    id: 'tolerates.null',
    level: 'advice',
    expects: 'accepts null for other unknown values',
    advice: 'Accept null for anonymous_id, usage, user_info and component names, too.',
    variants: {
      message: [
        ['null as anonymous_id and usage', withFields({ anonymous_id: null, usage: null })],
        [
          'null in the output',
          withFields({
            output: [
              {
                from_component_branch: null,
                from_component_name: null,
                content: { text: TEST_TEXT, audio: null },
              },
            ],
          }),
        ],
      ],
      establish: [
        [
          'an unknown user',
          withFields({
            email: null,
            user_info: { phone: null, email: null, user_id: null, anonymous_id: null },
          }),
        ],
        ['no user_info', withFields({ user_info: null })],
      ],
    },
  },
  {
    id: 'tolerates.missing',
    level: 'advice',
    expects: 'accepts bodies without optional fields',
    advice: 'Require the ids and the text of the message, nothing else.',
    variants: {
      message: [['without user ids and usage', withoutFields('user_id', 'anonymous_id', 'usage')]],
      establish: [['without email, bot_id and user_info', withoutFields('email', 'bot_id', 'user_info')]],
    },
  },
  {
    id: 'tolerates.digits',
    level: 'advice',
    expects: 'accepts times as strings of digits',
    advice: 'The platform may send a time as a number or as a string of digits: convert both.',
    variants: { message: DIGITS, establish: DIGITS, chat: DIGITS, close: DIGITS },
  },
  {
    id: 'tolerates.units',
    level: 'advice',
    expects: 'accepts times in seconds and in milliseconds',
    advice: 'The unit is not documented. Treat values below 1e11 as seconds, others as milliseconds.',
    variants: { message: UNITS, establish: UNITS, chat: UNITS, close: UNITS },
  },
  {
    id: 'tolerates.fields',
    level: 'advice',
    expects: 'accepts unknown fields',
    advice: 'Ignore unknown fields: the platform adds fields without notice.',
    variants: { message: NEW_FIELDS, establish: NEW_FIELDS, chat: NEW_FIELDS, close: NEW_FIELDS },
  },
  {
    id: 'tolerates.values',
    level: 'advice',
    expects: 'accepts unknown values of type and message_type',
    advice: 'Treat an unknown type like USER_CLOSED, and an unknown message_type like any other line.',
    variants: {
      establish: [['a new message_type', transcript({ text: TEST_TEXT, message_type: 'DOCTOR_NEW' })]],
      close: [['a new type', withFields({ type: 'DOCTOR_NEW' })]],
    },
  },
  {
    id: 'tolerates.content',
    level: 'advice',
    expects: 'accepts unknown kinds of content, and none',
    advice: 'Elements of output may contain unknown kinds: ignore those that you do not know.',
    variants: {
      message: [
        ['a new kind', content({ doctor_new: [{ url: 'https://example.com/1' }] })],
        ['no output', withFields({ output: [] })],
      ],
    },
  },
  {
    id: 'tolerates.tokens',
    level: 'advice',
    expects: 'accepts usage.tokens as an array',
    advice: 'The documentation shows usage.tokens as an array, platforms send an object: accept both.',
    variants: {
      message: [
        ['tokens as an array', withFields({ usage: { tokens: [{ total_tokens: 3 }], credits: {} } })],
      ],
    },
  },
  {
    id: 'tolerates.empty',
    level: 'advice',
    expects: 'accepts an empty answer in the transcript of a handoff',
    advice: 'An ANSWER item may have an empty text, and the transcript may be empty.',
    variants: {
      establish: [
        ['an empty ANSWER', transcript(LONG_ITEM, { text: '', message_type: 'ANSWER' })],
        ['an empty transcript', transcript()],
      ],
    },
  },
  {
    id: 'tolerates.long',
    level: 'advice',
    expects: 'accepts a long conversation (about 80 kB)',
    advice: 'Raise the body limit to a few hundred kilobytes: transcripts grow.',
    variants: {
      message: [['a long answer', content({ text: `${TEST_TEXT} `.repeat(1_300) })]],
      establish: [['a long transcript', transcript(...Array.from({ length: 60 }, () => LONG_ITEM))]],
    },
  },
  {
    id: 'tolerates.text',
    level: 'required',
    expects: 'accepts any Unicode text',
    advice: 'Read bodies as UTF-8, and use a column type that stores every character.',
    variants: {
      message: [['Unicode text', content({ text: UNICODE_TEXT })]],
      establish: [['Unicode text', transcript({ text: UNICODE_TEXT, message_type: 'QUESTION' })]],
      chat: [['Unicode text', withFields({ body: UNICODE_TEXT })]],
    },
  },
  {
    id: 'tolerates.charset',
    level: 'advice',
    expects: 'accepts a content type with a charset',
    advice: 'Accept application/json; charset=UTF-8 like application/json.',
    type: 'application/json; charset=UTF-8',
    variants: { message: [unchanged], establish: [unchanged], chat: [unchanged], close: [unchanged] },
  },
];

const ENDPOINTS = ['message', 'establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

function toCheck({ variants, type, ...check }: ToleratedBodies): DoctorCheck {
  const endpoints = ENDPOINTS.filter((endpoint) => variants[endpoint] !== undefined);
  const [group, ...more] = new Set(endpoints.map(groupOf));
  return {
    ...check,
    ...(group && more.length === 0 && { group }),
    run: (client) =>
      checkEachEndpoint(client, endpoints, async (endpoint) => {
        const problems: (string | null)[] = [];
        for (const [name, change] of variants[endpoint] ?? []) {
          const body = change(await client.createBody(endpoint));
          const problem = statusProblem(
            await client.send(endpoint, body, type === undefined ? {} : { type }),
          );
          problems.push(problem && `${name}: ${problem}`);
        }
        return problems;
      }),
  };
}

export const toleranceChecks: readonly DoctorCheck[] = TOLERATED.map(toCheck);
