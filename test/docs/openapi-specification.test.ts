import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start } from '../helpers/start.js';
import { createOpenApiValidator } from '../integration/openapi-validator.js';

/** A body's fields by path with their types, and its required fields. */
interface SpecifiedBody {
  readonly fields: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
}

interface SpecifiedEndpoint {
  /** `null` for an endpoint without a body. */
  readonly request: SpecifiedBody | null;
  /** A text for an endpoint that answers in plain text. */
  readonly answer: SpecifiedBody | string;
  readonly security: readonly string[];
  readonly failures?: Readonly<Record<string, string>>;
}

const API_KEY = ['apiKey'];
const CODE_AND_MESSAGE = { fields: { code: 'integer', message: 'string' }, required: ['code', 'message'] };

const FILES = {
  files: 'list of object, at most 20',
  'files[].file_url': 'string (URL)',
  'files[].source_url': 'string (URL)',
  'files[].file_name': 'string',
  'files[].doc_id': 'string',
};
const PAIRS = { qaList: 'list of object', 'qaList[].question': 'string', 'qaList[].answer': 'string' };
const PROCESSING = { header_row: 'integer', chunk_token: 'integer, default 600', splitter: 'string' };
const QA_ANSWER = {
  fields: {
    doc: 'list of object',
    'doc[].doc_id': 'string',
    'doc[].doc_name': 'string',
    failed: 'list of string',
  },
  required: ['doc', 'failed'],
};
const QA_FAILURES = { 40000: 'Parameter error', 50000: 'Internal system error' };

/**
 * The tables of the platform's specification, copied by hand to check openapi.json. Neither may be derived from the
 * other, nor from the package's schemas.
 */
const SERVICE: Readonly<Record<string, SpecifiedEndpoint>> = {
  'post /v1/bot/doc/qa/add': {
    request: {
      fields: {
        purpose: 'string: QA_TEXT, QA_FILE, FILE_2_QA',
        knowledge_base_id: 'string',
        name: 'string',
        ...PAIRS,
        ...FILES,
        ...PROCESSING,
      },
      required: ['purpose'],
    },
    answer: QA_ANSWER,
    security: API_KEY,
    failures: QA_FAILURES,
  },
  'put /v1/bot/doc/qa/update': {
    request: {
      fields: { doc_id: 'string', knowledge_base_id: 'string', ...PAIRS, ...FILES, ...PROCESSING },
      required: [],
    },
    answer: QA_ANSWER,
    security: API_KEY,
    failures: QA_FAILURES,
  },
  'post /v1/webhook/check': {
    request: null,
    answer: {
      fields: {
        results: 'list of object',
        'results[].type': 'string: message, human_service',
        'results[].component_id': 'string or null',
        'results[].component_name': 'string or null',
        'results[].webhook_url': 'string',
        'results[].reachable': 'boolean',
        'results[].http_status': 'integer or null',
        'results[].latency_ms': 'long',
      },
      required: ['results'],
    },
    security: API_KEY,
    failures: {
      40000: 'Parameter error',
      40127: 'Developer authentication failed',
      40378: 'Agent deleted',
    },
  },
  'get /v1/webhook/service/health': { request: null, answer: 'service is normal', security: [] },
  'post /v1/human/message/receive': {
    request: {
      fields: { conversation_id: 'string', timestamp: 'long', body: 'string' },
      required: ['conversation_id', 'timestamp', 'body'],
    },
    answer: CODE_AND_MESSAGE,
    security: API_KEY,
  },
  'post /v1/human/close': {
    request: {
      fields: { conversation_id: 'string', timestamp: 'long' },
      required: ['conversation_id', 'timestamp'],
    },
    answer: {
      fields: { conversation_id: 'string', timestamp: 'long' },
      required: ['conversation_id', 'timestamp'],
    },
    security: API_KEY,
  },
};

const WEBHOOKS: Readonly<Record<string, SpecifiedEndpoint & { readonly path: string }>> = {
  message: {
    path: 'POST {developer_url}',
    request: {
      fields: {
        user_id: 'string or null',
        anonymous_id: 'string',
        conversation_id: 'string',
        message_id: 'string',
        create_time: 'long',
        output: 'list of object',
        'output[].from_component_branch': 'string',
        'output[].from_component_name': 'string',
        'output[].content': 'object',
        'output[].content.text': 'string',
        'output[].content.audio': 'list of object',
        'output[].content.audio[].audio': 'string',
        'output[].content.audio[].transcript': 'string',
        usage: 'object',
        // Listed as an array in the field table, sent as an object.
        'usage.tokens': 'object or list of object',
        'usage.tokens.total_tokens': 'integer',
        'usage.tokens.prompt_tokens': 'integer',
        'usage.tokens.completion_tokens': 'integer',
        'usage.tokens.prompt_tokens_details': 'object',
        'usage.tokens.prompt_tokens_details.audio_tokens': 'integer',
        'usage.tokens.prompt_tokens_details.text_tokens': 'integer',
        'usage.tokens.completion_tokens_details': 'object',
        'usage.tokens.completion_tokens_details.reasoning_tokens': 'integer',
        'usage.tokens.completion_tokens_details.audio_tokens': 'integer',
        'usage.tokens.completion_tokens_details.text_tokens': 'integer',
        'usage.credits': 'object',
        'usage.credits.total_credits': 'double',
        'usage.credits.text_input_credits': 'double',
        'usage.credits.text_output_credits': 'double',
        'usage.credits.audio_input_credits': 'double',
        'usage.credits.audio_output_credits': 'double',
        istest: 'boolean',
      },
    },
    answer: { fields: { code: 'integer: 200', msg: 'string: success' }, required: ['code', 'msg'] },
    security: ['webhookBearer', 'webhookBasic'],
  },
  establish: {
    path: 'POST {developer_url}/conversation/establish',
    request: {
      fields: {
        conversation_id: 'string',
        timestamp: 'long',
        email: 'string',
        bot_id: 'string',
        body: 'list of object',
        'body[].text': 'string',
        'body[].message_type': 'string: QUESTION, ANSWER',
        user_info: 'object',
        'user_info.phone': 'string or null',
        'user_info.email': 'string or null',
        'user_info.user_id': 'string',
        'user_info.anonymous_id': 'string',
        istest: 'boolean',
      },
    },
    answer: CODE_AND_MESSAGE,
    security: [],
  },
  chat: {
    path: 'POST {developer_url}/chat',
    request: {
      fields: { conversation_id: 'string', timestamp: 'long', body: 'string', istest: 'boolean' },
    },
    answer: CODE_AND_MESSAGE,
    security: [],
  },
  closed: {
    path: 'POST {developer_url}/conversation/close',
    request: {
      fields: { conversation_id: 'string', timestamp: 'long', type: 'string: TIMEOUT, USER_CLOSED' },
    },
    answer: CODE_AND_MESSAGE,
    security: [],
  },
};

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Content {
  readonly schema: Schema;
  readonly example?: object;
  readonly examples?: Readonly<Record<string, { readonly value: { code: number; message: string } }>>;
}
interface Described {
  readonly content?: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly description?: string;
  readonly security?: readonly object[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}
interface OpenApi {
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document: OpenApi = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../openapi.json'), 'utf8'),
);
const { violations } = createOpenApiValidator();

const hosted = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  ),
);

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

/** A schema's alternatives, except null. */
const alternatives = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).map(resolved).filter(({ type }) => type !== 'null');

const isNullable = ({ type, anyOf = [] }: Schema): boolean =>
  (Array.isArray(type) && type.includes('null')) || anyOf.some((each) => each.type === 'null');

/** The type in the specification's words, where int and integer are the same. */
function typeText(schema: Schema): string {
  const { type, format, items, maxItems } = schema;
  const [name] = [type].flat().filter((each) => each !== 'null');
  if (items) return `list of ${typeText(resolved(items))}${maxItems ? `, at most ${maxItems}` : ''}`;
  const values = schema.enum ?? schema.examples ?? (schema.const === undefined ? [] : [schema.const]);
  const formats: Record<string, string> = { int64: 'long', double: 'double', uri: 'string (URL)' };
  const text = (format && formats[format]) ?? `${name}`;
  const more = schema.default === undefined ? '' : `, default ${schema.default}`;
  return values.length > 0 ? `${text}: ${values.join(', ')}` : text + more;
}

/** The fields of a schema by path, as in the tables above. */
function fieldsOf(schema: Schema, path = ''): Record<string, string> {
  const entries = Object.entries(resolved(schema).properties ?? {}).map(([name, field]) => {
    const [first = {}] = alternatives(field);
    const type = alternatives(resolved(field)).map(typeText).join(' or ');
    const own = { [path + name]: isNullable(field) ? `${type} or null` : type };
    const inner = first.items
      ? fieldsOf(first.items, `${path}${name}[].`)
      : fieldsOf(first, `${path}${name}.`);
    return { ...own, ...inner };
  });
  return Object.assign({}, ...entries);
}

/** Deployments send null in more fields than the specification says. */
function withoutMoreNulls(fields: Record<string, string>, table: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(fields).map(([path, type]) => [
      path,
      table[path]?.endsWith(' or null') ? type : type.replace(/ or null$/, ''),
    ]),
  );
}

const jsonOf = (described: Described | undefined): Content | undefined =>
  described?.content?.['application/json'];

const securityOf = ({ security = document.security }: Operation): string[] => security.flatMap(Object.keys);

function expectSent(content: Content | undefined, { fields, required }: SpecifiedBody): void {
  const schema = resolved(content?.schema ?? {});
  expect(withoutMoreNulls(fieldsOf(schema), fields)).toEqual(fields);
  if (required) expect(schema.required).toEqual(required);
}

describe('openapi.json and the tables of the specification', () => {
  it('have the same endpoints', () => {
    expect([...hosted.keys()]).toEqual(Object.keys(SERVICE));
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(WEBHOOKS));
  });

  it.each(Object.entries(SERVICE))('agree on %s', (name, { request, answer, security, failures = {} }) => {
    const operation = hosted.get(name);
    if (!operation) throw new Error(`openapi.json has no ${name}`);
    const body = jsonOf(operation.requestBody)?.schema;
    expect(body === undefined ? null : fieldsOf(body)).toEqual(request?.fields ?? null);
    expect(resolved(body ?? {}).required ?? []).toEqual(request?.required ?? []);
    if (typeof answer === 'string')
      expect(operation.responses[200]?.content?.['text/plain']?.schema.const).toBe(answer);
    else expectSent(jsonOf(operation.responses[200]), answer);
    expect(securityOf(operation)).toEqual(security);
    for (const status of typeof answer === 'string' ? [] : ['4XX', '5XX']) {
      const content = jsonOf(operation.responses[status]);
      expectSent(content, CODE_AND_MESSAGE);
      const listed = Object.values(content?.examples ?? {}).map(({ value }) => [value.code, value.message]);
      expect(Object.fromEntries(listed)).toEqual(failures);
    }
  });

  it.each(Object.entries(WEBHOOKS))(
    'agree on the webhook %s',
    (name, { path, request, answer, security }) => {
      const operation = document.webhooks[name]?.post;
      if (!operation || !request || typeof answer === 'string')
        throw new Error(`openapi.json has no ${name}`);
      expect(operation.description?.split('. ', 1)[0]).toBe(path);
      expectSent(jsonOf(operation.requestBody), request);
      expectSent(jsonOf(operation.responses[200]), answer);
      expect(securityOf(operation)).toEqual(security);
    },
  );

  it('agree on how often and how long to probe the health', () => {
    const { description } = hosted.get('get /v1/webhook/service/health') ?? {};
    expect(description).toContain('3 queries per minute');
    expect(description).toContain('a timeout of 3 to 5 seconds');
  });
});

const message = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/json' },
  status: 200,
  answerType: 'application/json',
  answer: '{"code":200,"msg":"success"}',
};

describe('a message', () => {
  const tokens = { total_tokens: 3, prompt_tokens: 1, completion_tokens: 2 };
  const body = { conversation_id: 'c-1', message_id: 'm-1', output: [{ content: { text: 'Hello' } }] };

  it.each([
    ['an object', tokens],
    ['a list', [tokens]],
  ])('may have usage.tokens as %s', (_name, sent) => {
    const request = JSON.stringify({ ...body, usage: { tokens: sent } });
    expect(violations({ ...message, request })).toEqual([]);
  });

  it('may not have usage.tokens as a list of numbers', () => {
    const request = JSON.stringify({ ...body, usage: { tokens: [3] } });
    expect(violations({ ...message, request })).not.toEqual([]);
  });

  it.each(['{"code":0,"msg":"success"}', '{"code":200,"msg":"ok"}', '{"code":200}', '{}'])(
    'may not be answered with %s',
    (answer) => {
      expect(violations({ ...message, request: JSON.stringify(body), answer })).not.toEqual([]);
    },
  );
});

describe('the examples of openapi.json', () => {
  it.each([
    ['message', 'message', '/'],
    ['establish', 'handoff.requested', '/conversation/establish'],
    ['chat', 'handoff.message', '/chat'],
    ['closed', 'handoff.closed', '/conversation/close'],
  ] as const)('%s reaches the handlers of %s', async (name, event, path) => {
    const example = jsonOf(document.webhooks[name]?.post.requestBody)?.example ?? {};
    const { receiver, url } = await start();
    const payloads: object[] = [];
    receiver.on(event, ({ payload }) => {
      payloads.push(payload);
    });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(example) });
    expect(response.status).toBe(200);
    expect(payloads).toMatchObject([example]);
  });
});
