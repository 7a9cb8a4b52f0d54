import * as fc from 'fast-check';

type Fields = Record<string, fc.Arbitrary<unknown>>;
type Wire = fc.Arbitrary<Record<string, unknown>>;

/** The prefix of unknown fields. */
export const UNKNOWN = 'x_';

/** A JSON value: without negative zero. */
const anyJson = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

const extras = fc.dictionary(
  fc.string().map((name) => UNKNOWN + name),
  anyJson,
  { maxKeys: 2, noNullPrototype: true },
);

/** An object with required, optional and unknown fields. */
const object = (required: Fields, optional: Fields = {}): Wire =>
  fc
    .tuple(
      fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required), noNullPrototype: true }),
      extras,
    )
    .map(([fields, unknown]) => ({ ...unknown, ...fields }));

const orNull = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: null });
const openEnum = (...known: string[]) => fc.oneof(fc.constantFrom(...known), fc.string());

const text = fc.string();
const name = fc.string({ minLength: 1 });
const id = fc.oneof(name, fc.maxSafeNat());
const optionalId = orNull(fc.oneof(id, fc.constant('')));
const count = fc.nat();
const moment = fc.oneof(fc.integer({ min: 1, max: 1e11 - 1 }), fc.integer({ min: 1e11, max: 8.64e15 }));
const nanoseconds = fc.bigInt({ min: 10n ** 17n, max: 10n ** 19n }).map(String);
const time = orNull(fc.oneof(moment, moment.map(String), nanoseconds, fc.constant('')));
/** Text, or other values that deployments send instead. */
const looseText = orNull(fc.oneof(text, fc.integer()));
const quantity = orNull(
  fc.oneof(count, count.map(String), fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constant('0.25')),
);
const istest = fc.boolean();
const named = (...names: string[]): Fields => Object.fromEntries(names.map((field) => [field, quantity]));

/** `tokens` in all forms that occur: an object, a list of one object, a list with one field per element. */
const asSent = (tokens: Wire): fc.Arbitrary<unknown> =>
  fc.oneof(
    tokens,
    tokens.map((whole) => [whole]),
    tokens.map((whole) => Object.entries(whole).map((entry) => Object.fromEntries([entry]))),
  );

const tokens = object(
  {},
  {
    ...named('total_tokens', 'prompt_tokens', 'completion_tokens'),
    prompt_tokens_details: orNull(object({}, named('audio_tokens', 'text_tokens'))),
    completion_tokens_details: orNull(object({}, named('reasoning_tokens', 'audio_tokens', 'text_tokens'))),
  },
);
const credits = object(
  {},
  named(
    'total_credits',
    'text_input_credits',
    'text_output_credits',
    'audio_input_credits',
    'audio_output_credits',
  ),
);
const clip = object({}, { audio: orNull(fc.webUrl()), transcript: orNull(text) });
const content = object({}, { text: orNull(text), audio: orNull(fc.array(clip, { maxLength: 3 })) });
const outputItem = object(
  {},
  {
    from_component_branch: orNull(text),
    from_component_name: orNull(text),
    content: orNull(content),
  },
);

/** The fields that identify and route a bot's message. */
export const messageIds = object(
  { conversation_id: id, message_id: id },
  { user_id: optionalId, anonymous_id: optionalId, create_time: time, istest },
);

export const message = fc
  .tuple(
    messageIds,
    object(
      {},
      {
        output: orNull(fc.array(outputItem, { maxLength: 3 })),
        usage: orNull(object({}, { tokens: orNull(asSent(tokens)), credits: orNull(credits) })),
      },
    ),
  )
  .map(([ids, rest]) => ({ ...ids, ...rest }));

const transcriptItem = object({}, { text: looseText, message_type: orNull(openEnum('QUESTION', 'ANSWER')) });
const userInfo = object(
  {},
  { phone: looseText, email: looseText, user_id: optionalId, anonymous_id: optionalId },
);

export const establish = object(
  { conversation_id: id },
  {
    timestamp: time,
    email: looseText,
    bot_id: optionalId,
    body: fc.oneof(
      looseText,
      transcriptItem,
      fc.array(fc.oneof({ weight: 3, arbitrary: transcriptItem }, looseText), { maxLength: 4 }),
    ),
    user_info: fc.oneof(
      orNull(userInfo),
      userInfo.map((user) => [user]),
      fc.constantFrom('', []),
    ),
    istest,
  },
);

/** A user's message during a handoff. */
export const chat = object({ conversation_id: id }, { body: looseText, timestamp: time, istest });

export const close = object(
  { conversation_id: id },
  { timestamp: time, type: orNull(fc.oneof(openEnum('TIMEOUT', 'USER_CLOSED'), fc.integer())), istest },
);

export const reply = object({ conversation_id: name, timestamp: moment, body: name });

export const agentClosing = object({ conversation_id: name, timestamp: moment });

const processing = {
  knowledge_base_id: name,
  header_row: count,
  chunk_token: fc.integer({ min: 1 }),
  splitter: text,
};
const pairs = fc.array(object({ question: name, answer: name }), { minLength: 1, maxLength: 4 });
const files = (fields: Fields) =>
  fc.array(object({ file_name: name, ...fields }), { minLength: 1, maxLength: 20 });

/** Requests to add pairs, of every purpose. */
export const add = fc.oneof(
  object({ purpose: fc.constant('QA_TEXT'), name, qaList: pairs }, processing),
  object(
    { purpose: fc.constant('QA_FILE'), files: files({ file_url: fc.webUrl() }) },
    { name, ...processing },
  ),
  object(
    { purpose: fc.constant('FILE_2_QA'), files: files({ source_url: fc.webUrl() }) },
    { name, ...processing },
  ),
);

const none = fc.constant([]);

/** Requests to replace pairs, by pairs and by files. */
export const update = fc.oneof(
  object({ doc_id: name, qaList: pairs }, { files: none, ...processing }),
  object(
    { files: files({ doc_id: name, source_url: fc.webUrl() }) },
    { doc_id: name, qaList: none, ...processing },
  ),
);

/** Answers to requests that add or replace pairs. */
export const knowledgeAnswer = object(
  {},
  {
    doc: orNull(fc.array(object({ doc_id: text, doc_name: text }), { maxLength: 3 })),
    failed: orNull(fc.array(text, { maxLength: 3 })),
  },
);

export const checkAnswer = object({
  results: fc.array(
    object(
      { type: openEnum('message', 'human_service'), webhook_url: text, reachable: fc.boolean() },
      {
        component_id: orNull(text),
        component_name: orNull(text),
        http_status: orNull(fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 599 }))),
        latency_ms: quantity,
      },
    ),
    { maxLength: 3 },
  ),
});

export const failure = object({ code: fc.integer(), message: text });
