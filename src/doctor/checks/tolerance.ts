import type { WebhookEndpoint } from '../../protocol/index.js';
import { statusProblem } from '../assess-answer.js';
import { type BodyChange, TEST_TEXT, type WireBody, withFields, withoutFields } from '../bodies.js';
import { checkEachEndpoint, type DoctorCheck } from '../check.js';
import { groupOf } from '../target.js';

type Variant = readonly [what: string, vary: BodyChange];

/** Something that deployments send, or may send tomorrow, and that is no reason to refuse. */
interface Tolerated {
  readonly id: string;
  readonly expects: string;
  readonly advice: string;
  readonly variants: Readonly<Partial<Record<WebhookEndpoint, readonly Variant[]>>>;
  readonly type?: string;
}

const content = (kinds: WireBody) =>
  withFields({ output: [{ from_component_name: 'Answer', content: kinds }] });
const transcript = (...items: readonly WireBody[]) => withFields({ body: items });
/** The time of a body, whatever it is called there, in another form. */
const timed =
  (form: (time: number) => unknown): BodyChange =>
  (body) => {
    const field = 'create_time' in body ? 'create_time' : 'timestamp';
    return { ...body, [field]: form(Number(body[field])) };
  };
const milliseconds = (time: number): number => (time < 1e11 ? time * 1_000 : time);

const asIs: Variant = ['as it is', (body) => body];
const DIGITS: readonly Variant[] = [['the time as digits in text', timed(String)]];
const UNITS: readonly Variant[] = [
  ['the time in seconds', timed((time) => Math.floor(milliseconds(time) / 1_000))],
  ['the time in milliseconds', timed(milliseconds)],
];
const NEW_FIELDS: readonly Variant[] = [
  ['fields nobody knows', withFields({ doctor_field: 'new', doctor_object: { more: [1, null] } })],
];
const LONG_ITEM = { text: `${TEST_TEXT} `.repeat(20), message_type: 'QUESTION' };
const WORLD = '你好 👋🏽 שלום\n"quoted" \\ <b>bold</b>';

const TOLERATED: readonly Tolerated[] = [
  {
    id: 'tolerates.null',
    expects: 'takes null where nothing is known',
    advice:
      'Let user_id, anonymous_id, usage, email, phone, user_info and what a component is called be null.',
    variants: {
      message: [
        ['null users and usage', withFields({ user_id: null, anonymous_id: null, usage: null })],
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
          'a user nobody knows',
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
    expects: 'takes bodies without fields that nothing depends on',
    advice: 'Require the ids and what a user said, nothing else.',
    variants: {
      message: [['without users and usage', withoutFields('user_id', 'anonymous_id', 'usage')]],
      establish: [['without email, bot_id and user_info', withoutFields('email', 'bot_id', 'user_info')]],
    },
  },
  {
    id: 'tolerates.digits',
    expects: 'takes times as digits in text',
    advice: 'A long may come as a number or as digits in text: turn both into a number.',
    variants: { message: DIGITS, establish: DIGITS, chat: DIGITS, close: DIGITS },
  },
  {
    id: 'tolerates.units',
    expects: 'takes times in seconds and in milliseconds',
    advice: 'The unit is not promised. Take a value below 1e11 as seconds, any other as milliseconds.',
    variants: { message: UNITS, establish: UNITS, chat: UNITS, close: UNITS },
  },
  {
    id: 'tolerates.fields',
    expects: 'takes fields it does not know',
    advice: 'Ignore unknown fields: the service adds some without asking.',
    variants: { message: NEW_FIELDS, establish: NEW_FIELDS, chat: NEW_FIELDS, close: NEW_FIELDS },
  },
  {
    id: 'tolerates.values',
    expects: 'takes values of type and message_type it does not know',
    advice: 'Treat an unknown type like a plain close, and an unknown message_type like any other line.',
    variants: {
      establish: [['a new message_type', transcript({ text: TEST_TEXT, message_type: 'DOCTOR_NEW' })]],
      close: [['a new type', withFields({ type: 'DOCTOR_NEW' })]],
    },
  },
  {
    id: 'tolerates.content',
    expects: 'takes content of kinds it does not know, and of all kinds it does',
    advice:
      'An element of output may hold text, audio, both, or something new: use what you know, leave the rest.',
    variants: {
      message: [
        ['a new kind', content({ doctor_new: [{ url: 'https://example.com/1' }] })],
        [
          'speech without text',
          content({ audio: [{ audio: 'https://example.com/1.mp3', transcript: TEST_TEXT }] }),
        ],
        ['no output', withFields({ output: [] })],
      ],
    },
  },
  {
    id: 'tolerates.tokens',
    expects: 'takes usage.tokens as a list',
    advice: 'The specification lists usage.tokens as an array and sends an object: take both.',
    variants: {
      message: [['tokens as a list', withFields({ usage: { tokens: [{ total_tokens: 3 }], credits: {} } })]],
    },
  },
  {
    id: 'tolerates.empty',
    expects: 'takes an empty answer in the transcript of a handoff',
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
    expects: 'takes a long conversation (about 80 kB)',
    advice: 'Raise the limit for bodies to some hundred kilobytes: transcripts grow.',
    variants: {
      message: [['a long answer', content({ text: `${TEST_TEXT} `.repeat(1_300) })]],
      establish: [['a long transcript', transcript(...Array.from({ length: 60 }, () => LONG_ITEM))]],
    },
  },
  {
    id: 'tolerates.text',
    expects: 'takes every kind of text',
    advice: 'Read bodies as UTF-8, and store text so that it may hold anything.',
    variants: {
      message: [['text of all kinds', content({ text: WORLD })]],
      establish: [['text of all kinds', transcript({ text: WORLD, message_type: 'QUESTION' })]],
      chat: [['text of all kinds', withFields({ body: WORLD })]],
    },
  },
  {
    id: 'tolerates.charset',
    expects: 'takes a content type with a charset',
    advice: 'application/json; charset=UTF-8 is application/json.',
    type: 'application/json; charset=UTF-8',
    variants: { message: [asIs], establish: [asIs], chat: [asIs], close: [asIs] },
  },
];

const ENDPOINTS = ['message', 'establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

function toCheck({ variants, type, ...check }: Tolerated): DoctorCheck {
  const endpoints = ENDPOINTS.filter((endpoint) => variants[endpoint] !== undefined);
  const [group, ...more] = new Set(endpoints.map(groupOf));
  return {
    ...check,
    ...(group && more.length === 0 && { group }),
    run: (session) =>
      checkEachEndpoint(session, endpoints, async (endpoint) => {
        const problems: (string | null)[] = [];
        for (const [what, vary] of variants[endpoint] ?? []) {
          const body = vary(await session.createBody(endpoint));
          const problem = statusProblem(
            await session.send(endpoint, body, type === undefined ? {} : { type }),
          );
          problems.push(problem && `${what}: ${problem}`);
        }
        return problems;
      }),
  };
}

/** What a receiver must not stumble over. */
export const toleranceChecks: readonly DoctorCheck[] = TOLERATED.map(toCheck);
