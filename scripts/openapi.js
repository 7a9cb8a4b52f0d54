#!/usr/bin/env node
// @ts-check
// The platform's contract, written from its specification, and not from the schemas of src/protocol: they accept more,
// because platforms send more. Writes openapi.json: `paths` are the endpoints that the platform hosts, `webhooks` the
// requests that it sends. `--check` writes nothing and fails when the committed file differs.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../openapi.json', import.meta.url);

/** @typedef {Readonly<Record<string, unknown>>} Schema */

// The types of the specification.
const string = { type: 'string' };
const text = { type: 'string', minLength: 1 };
const url = { type: 'string', format: 'uri' };
const boolean = { type: 'boolean' };
const int = { type: 'integer' };
const long = { type: 'integer', format: 'int64' };
const double = { type: 'number', format: 'double' };

const ref = (/** @type {string} */ name) => ({ $ref: `#/components/schemas/${name}` });
const list = (/** @type {Schema} */ items, /** @type {Schema} */ more = {}) => ({
  type: 'array',
  items,
  ...more,
});
const object = (/** @type {Record<string, Schema>} */ properties, /** @type {string[]} */ required = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const orNull = (/** @type {Schema} */ schema) =>
  '$ref' in schema ? { anyOf: [schema, { type: 'null' }] } : { ...schema, type: [schema.type, 'null'] };
/** Fields of what the platform sends: platforms leave them out, or send null. */
const sentFields = (/** @type {Record<string, Schema>} */ fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, orNull(schema)]));
/** Values that the platform sends. There may be new ones, so they are no enum. */
const oneOfKnown = (/** @type {string[]} */ ...values) => ({
  type: 'string',
  examples: values,
  description: `${values.join(' or ')}. Accept other values too: there may be new ones.`,
});

const time = {
  ...long,
  minimum: 0,
  description: 'A timestamp. Its unit is not specified: seconds or milliseconds.',
};
const istest = {
  ...boolean,
  description: 'true in an availability test: answer 200 and do not process it as a real message.',
};
const conversationId = {
  ...text,
  description: 'The id of the handoff, from the create-conversation request.',
};

const processing = {
  header_row: { ...int, minimum: 0, description: 'The number of the header row.' },
  chunk_token: { ...int, minimum: 1, default: 600, description: 'Tokens per chunk.' },
  splitter: { ...string, description: 'The separator.' },
};
const fileFields = { file_url: url, source_url: url, file_name: text, doc_id: text };
const files = list(ref('FileEntry'), { maxItems: 20 });
/** At least one file, each with these fields. */
const filesWith = (/** @type {(keyof typeof fileFields)[]} */ ...names) => ({
  minItems: 1,
  items: object(Object.fromEntries(names.map((name) => [name, fileFields[name]])), names),
});
const qaList = list(ref('QaPair'));

const schemas = {
  QaPair: object({ question: text, answer: text }, ['question', 'answer']),
  FileEntry: object(fileFields),
  QaAdd: {
    ...object(
      {
        purpose: { type: 'string', enum: ['QA_TEXT', 'QA_FILE', 'FILE_2_QA'] },
        knowledge_base_id: { ...text, description: 'The default knowledge base when omitted.' },
        name: { ...text, description: 'The name of the document.' },
        qaList,
        files,
        ...processing,
      },
      ['purpose'],
    ),
    oneOf: [
      {
        title: 'Pairs',
        required: ['purpose', 'name', 'qaList'],
        properties: { purpose: { const: 'QA_TEXT' }, qaList: { minItems: 1 } },
      },
      {
        title: 'CSV files with a pair in each row',
        required: ['purpose', 'files'],
        properties: {
          purpose: { const: 'QA_FILE' },
          files: filesWith('file_url', 'file_name'),
        },
      },
      {
        title: 'Documents that the platform converts into pairs',
        required: ['purpose', 'files'],
        properties: {
          purpose: { const: 'FILE_2_QA' },
          files: filesWith('source_url', 'file_name'),
        },
      },
    ],
  },
  QaUpdate: {
    ...object({
      doc_id: { ...text, description: 'Required with qaList.' },
      knowledge_base_id: text,
      qaList: { ...qaList, description: 'The complete list: it replaces every pair of the document.' },
      files: { ...files, description: 'Each entry names the document that it replaces.' },
      ...processing,
    }),
    description: 'qaList and files exclude each other, and cannot both be empty.',
    oneOf: [
      {
        title: 'The pairs of one document',
        required: ['doc_id', 'qaList'],
        properties: { qaList: { minItems: 1 }, files: { maxItems: 0 } },
      },
      {
        title: 'The files of several documents',
        required: ['files'],
        properties: {
          qaList: { maxItems: 0 },
          files: filesWith('doc_id', 'source_url', 'file_name'),
        },
      },
    ],
  },
  QaAnswer: object(
    {
      doc: list(ref('DocumentResult'), { description: 'The documents that were added or updated.' }),
      failed: list(string, { description: 'The names of the files that failed; empty when none did.' }),
    },
    ['doc', 'failed'],
  ),
  DocumentResult: object({ doc_id: string, doc_name: string }, ['doc_id', 'doc_name']),
  WebhookCheckAnswer: object({ results: list(ref('WebhookCheckResult')) }, ['results']),
  WebhookCheckResult: object(
    {
      type: oneOfKnown('message', 'human_service'),
      component_id: orNull({ ...string, description: 'null for type message.' }),
      component_name: orNull({ ...string, description: 'null for type message.' }),
      webhook_url: { ...string, description: 'The URL that was probed.' },
      reachable: { ...boolean, description: 'Whether the status was 200.' },
      http_status: orNull({ ...int, description: 'null or 0 on a connection failure or a timeout.' }),
      latency_ms: orNull({ ...long, description: 'The duration of the probe in milliseconds.' }),
    },
    ['type', 'webhook_url', 'reachable'],
  ),
  AgentReply: object(
    { conversation_id: conversationId, timestamp: time, body: { ...text, description: 'The reply.' } },
    ['conversation_id', 'timestamp', 'body'],
  ),
  AgentClose: object({ conversation_id: conversationId, timestamp: time }, ['conversation_id', 'timestamp']),
  AgentCloseAnswer: object({ conversation_id: string, timestamp: time }, ['conversation_id', 'timestamp']),
  Failure: object(
    {
      code: { ...int, description: 'The specified codes are in the examples; platforms have more.' },
      message: string,
    },
    ['code', 'message'],
  ),
  BotMessage: object(
    {
      ...sentFields({
        user_id: { ...string, description: 'The user that the developer bound; null when none is bound.' },
        anonymous_id: { ...string, description: 'The anonymous user, a device.' },
      }),
      conversation_id: { ...text, description: "The bot's conversation. A handoff has another id." },
      ...sentFields({ message_id: { ...string, description: 'Unique within the conversation.' } }),
      ...sentFields({ create_time: time, output: list(ref('OutputItem')), usage: ref('Usage') }),
      istest,
    },
    ['conversation_id'],
  ),
  OutputItem: object(
    sentFields({
      from_component_branch: { ...string, description: 'The branch of a FlowAgent.' },
      from_component_name: { ...string, description: 'The upstream component of a FlowAgent.' },
      content: object(sentFields({ text: string, audio: list(ref('AudioClip')) })),
    }),
  ),
  AudioClip: object(sentFields({ audio: { ...string, description: 'A URL.' }, transcript: string })),
  Usage: object({
    tokens: {
      description: 'An object in practice; the field tables of the platform call it an array.',
      anyOf: [ref('TokenUsage'), list(ref('TokenUsage')), { type: 'null' }],
    },
    credits: orNull(ref('CreditUsage')),
  }),
  TokenUsage: object(
    sentFields({
      total_tokens: { ...int, description: 'Input and output.' },
      prompt_tokens: { ...int, description: 'Input.' },
      completion_tokens: { ...int, description: 'Output.' },
      prompt_tokens_details: object(sentFields({ audio_tokens: int, text_tokens: int })),
      completion_tokens_details: object(
        sentFields({ reasoning_tokens: int, audio_tokens: int, text_tokens: int }),
      ),
    }),
  ),
  CreditUsage: object(
    sentFields({
      total_credits: double,
      text_input_credits: double,
      text_output_credits: double,
      audio_input_credits: double,
      audio_output_credits: double,
    }),
  ),
  MessageAnswer: object(
    { code: { type: 'integer', const: 200 }, msg: { type: 'string', const: 'success' } },
    ['code', 'msg'],
  ),
  HandoffRequest: object(
    {
      conversation_id: { ...text, description: 'The id of the handoff, to be sent back with every reply.' },
      ...sentFields({
        timestamp: time,
        email: { ...string, description: 'Possibly a placeholder that several users share.' },
        bot_id: { ...string, description: 'The bot.' },
        body: list(ref('HandoffMessageItem')),
        user_info: ref('UserInfo'),
      }),
      istest,
    },
    ['conversation_id'],
  ),
  HandoffMessageItem: object(sentFields({ text: string, message_type: oneOfKnown('QUESTION', 'ANSWER') })),
  UserInfo: object(
    sentFields({
      phone: { ...string, description: 'From messaging channels that provide it.' },
      email: { ...string, description: 'When the user entered one.' },
      user_id: { ...string, description: "The developer's own id of the user." },
      anonymous_id: { ...string, description: 'From the platform, on channels other than the API.' },
    }),
  ),
  HandoffChat: object(
    {
      conversation_id: conversationId,
      ...sentFields({
        timestamp: time,
        body: { ...string, description: "The user's words. Without any, it is accepted with an empty text." },
      }),
      istest,
    },
    ['conversation_id'],
  ),
  HandoffClose: object(
    {
      conversation_id: conversationId,
      ...sentFields({ timestamp: time, type: oneOfKnown('TIMEOUT', 'USER_CLOSED') }),
    },
    ['conversation_id'],
  ),
  HandoffAnswer: object({ code: int, message: string }, ['code', 'message']),
};

const json = (/** @type {object} */ schema, /** @type {object} */ more = {}) => ({
  'application/json': { schema, ...more },
});
const answer = (/** @type {string} */ description, /** @type {object} */ schema) => ({
  description,
  content: json(schema),
});

const PARAMETER_ERROR = { code: 40000, message: 'Parameter error' };
const INTERNAL_ERROR = { code: 50000, message: 'Internal system error' };
const AUTHENTICATION_FAILED = { code: 40127, message: 'Developer authentication failed' };
const BOT_DELETED = { code: 40378, message: 'Agent deleted' };

/** Which status comes with which code is not specified. */
const failure = (/** @type {{ code: number, message: string }[]} */ failures) => ({
  description: 'A refusal. `code` gives the reason, whatever the status.',
  content: json(
    ref('Failure'),
    failures.length > 0
      ? { examples: Object.fromEntries(failures.map((value) => [value.code, { value }])) }
      : {},
  ),
});

/** An endpoint that the platform hosts. */
const hosted = (
  /** @type {{ id: string, tag: string, summary: string, description?: string, body?: string, example?: object,
   *   success: string, failures?: { code: number, message: string }[] }} */
  { id, tag, summary, description, body, example, success, failures = [] },
) => ({
  operationId: id,
  tags: [tag],
  summary,
  ...(description && { description }),
  ...(body && { requestBody: { required: true, content: json(ref(body), { example }) } }),
  responses: { 200: answer('Done.', ref(success)), '4XX': failure(failures), '5XX': failure(failures) },
});

/** A request that the platform sends. */
const sent = (
  /** @type {{ id: string, summary: string, description: string, body: string, example: object, answer: string,
   *   security: object[] }} */
  { id, summary, description, body, example, answer: answerName, security },
) => ({
  post: {
    operationId: id,
    tags: ['Webhooks'],
    summary,
    description,
    security,
    requestBody: { required: true, content: json(ref(body), { example }) },
    responses: {
      200: answer('Accepted; also the answer to an availability test.', ref(answerName)),
      '4XX': { description: 'Not accepted.' },
      '5XX': { description: 'Not accepted.' },
    },
  },
});

const HANDOFF_AUTHENTICATION =
  'How the platform authenticates itself is not specified; known platforms send no credentials.';
const pair = { question: 'Where is my parcel?', answer: 'It arrives within two days.' };

const document = {
  openapi: '3.1.1',
  info: {
    title: 'Webhooks, human handoff and QA knowledge of a chatbot platform',
    version: '1.0.0',
    summary: 'What the platform hosts (paths) and what it sends to a developer (webhooks).',
    description:
      'Unknown fields are allowed everywhere. Fields that the platform sends can be missing or null, except for the ids.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    {
      url: '{base_url}',
      description: 'Depends on the data centre.',
      variables: { base_url: { default: 'https://api.example.com' } },
    },
  ],
  tags: [
    { name: 'Knowledge', description: 'Questions and answers a bot knows.' },
    { name: 'Webhooks', description: 'Whether the platform reaches the developer, and what it sends.' },
    { name: 'Handoff', description: "The agents' side of a handed-over conversation." },
  ],
  security: [{ apiKey: [] }],
  paths: {
    '/v1/bot/doc/qa/add': {
      post: hosted({
        id: 'addQa',
        tag: 'Knowledge',
        summary: 'Add question-answer pairs',
        body: 'QaAdd',
        example: { purpose: 'QA_TEXT', name: 'Shipping', qaList: [pair] },
        success: 'QaAnswer',
        failures: [PARAMETER_ERROR, INTERNAL_ERROR],
      }),
    },
    '/v1/bot/doc/qa/update': {
      put: hosted({
        id: 'updateQa',
        tag: 'Knowledge',
        summary: 'Replace question-answer pairs',
        body: 'QaUpdate',
        example: { doc_id: 'doc-1', qaList: [pair] },
        success: 'QaAnswer',
        failures: [PARAMETER_ERROR, INTERNAL_ERROR],
      }),
    },
    '/v1/webhook/check': {
      post: hosted({
        id: 'checkWebhooks',
        tag: 'Webhooks',
        summary: "Probe the bot's webhooks",
        description:
          'No parameters and no body. Sends every configured webhook a request in the standard message format with `istest: true`. Status 200 means reachable; any other status, a timeout or a connection failure means not reachable.',
        success: 'WebhookCheckAnswer',
        failures: [PARAMETER_ERROR, AUTHENTICATION_FAILED, BOT_DELETED],
      }),
    },
    '/v1/webhook/service/health': {
      get: {
        operationId: 'health',
        tags: ['Webhooks'],
        summary: 'Whether the platform works',
        description:
          'Recommended: 3 queries per minute, each with a timeout of 3 to 5 seconds. Any other answer, a timeout or a connection failure means unavailable.',
        security: [],
        responses: {
          200: {
            description: 'It works.',
            content: { 'text/plain': { schema: { type: 'string', const: 'service is normal' } } },
          },
          '4XX': { description: 'It does not work.' },
          '5XX': { description: 'It does not work.' },
        },
      },
    },
    '/v1/human/message/receive': {
      post: hosted({
        id: 'reply',
        tag: 'Handoff',
        summary: "Send an agent's words to the user",
        description: 'The authentication is not specified; the API key is the usual choice.',
        body: 'AgentReply',
        example: { conversation_id: 'handoff-1', timestamp: 1742265090895, body: 'Hello, how can I help?' },
        success: 'HandoffAnswer',
      }),
    },
    '/v1/human/close': {
      post: hosted({
        id: 'close',
        tag: 'Handoff',
        summary: 'End a handoff from the side of the agents',
        description: 'The authentication is not specified; the API key is the usual choice.',
        body: 'AgentClose',
        example: { conversation_id: 'handoff-1', timestamp: 1742265090895 },
        success: 'AgentCloseAnswer',
      }),
    },
  },
  webhooks: {
    message: sent({
      id: 'message',
      summary: 'A bot, or an agent, answered a user',
      description: 'POST {developer_url}',
      body: 'BotMessage',
      example: {
        user_id: 'ada',
        anonymous_id: 'device-1',
        conversation_id: 'conversation-1',
        message_id: 'message-1',
        create_time: 1679587005,
        output: [
          {
            from_component_branch: 'yes',
            from_component_name: 'Answer',
            content: {
              text: 'It arrives within two days.',
              audio: [
                { audio: 'https://files.example.com/1.mp3', transcript: 'It arrives within two days.' },
              ],
            },
          },
        ],
        usage: {
          tokens: {
            total_tokens: 30,
            prompt_tokens: 10,
            completion_tokens: 20,
            prompt_tokens_details: { audio_tokens: 0, text_tokens: 10 },
            completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 0, text_tokens: 15 },
          },
          credits: {
            total_credits: 0.3,
            text_input_credits: 0.1,
            text_output_credits: 0.2,
            audio_input_credits: 0,
            audio_output_credits: 0,
          },
        },
      },
      answer: 'MessageAnswer',
      security: [{ webhookBearer: [] }, { webhookBasic: [] }],
    }),
    establish: sent({
      id: 'establish',
      summary: 'A user is handed over',
      description: `POST {developer_url}/conversation/establish. ${HANDOFF_AUTHENTICATION}`,
      body: 'HandoffRequest',
      example: {
        conversation_id: 'handoff-1',
        timestamp: 1742265090895,
        email: 'ada@example.com',
        bot_id: 'bot-1',
        body: [
          { text: 'Where is my parcel?', message_type: 'QUESTION' },
          { text: 'It arrives within two days.', message_type: 'ANSWER' },
        ],
        user_info: { phone: null, email: 'ada@example.com', user_id: 'ada', anonymous_id: 'device-1' },
      },
      answer: 'HandoffAnswer',
      security: [],
    }),
    chat: sent({
      id: 'chat',
      summary: 'The user says something',
      description: `POST {developer_url}/chat. ${HANDOFF_AUTHENTICATION}`,
      body: 'HandoffChat',
      example: { conversation_id: 'handoff-1', timestamp: 1742265090895, body: 'It is not here yet.' },
      answer: 'HandoffAnswer',
      security: [],
    }),
    closed: sent({
      id: 'closed',
      summary: 'The user left or timed out',
      description: `POST {developer_url}/conversation/close. ${HANDOFF_AUTHENTICATION}`,
      body: 'HandoffClose',
      example: { conversation_id: 'handoff-1', timestamp: 1742265090895, type: 'USER_CLOSED' },
      answer: 'HandoffAnswer',
      security: [],
    }),
  },
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of the bot.' },
      webhookBearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The webhook username, when no secret is set.',
      },
      webhookBasic: { type: 'http', scheme: 'basic', description: 'The webhook username and secret.' },
    },
    schemas,
  },
};

const contents = `${JSON.stringify(document, null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, contents);
} else if (readFileSync(FILE, 'utf8') !== contents) {
  console.error('openapi.json differs from scripts/openapi.js. Run: npm run openapi');
  process.exitCode = 1;
}
