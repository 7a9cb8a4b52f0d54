#!/usr/bin/env node
// @ts-check
// Writes openapi.json from the schemas of src/protocol: `paths` are the endpoints that the platform hosts,
// `webhooks` the requests that it sends. `--check` writes nothing and fails when the committed file is outdated.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import * as protocol from '../dist/protocol/index.js';
import * as primitives from '../dist/protocol/primitives.js';

const FILE = new URL('../openapi.json', import.meta.url);

/** The contract's own types, where the schemas accept more because deployments send more. */
const CONTRACT = new Map(
  /** @type {[unknown, object][]} */ ([
    [primitives.id, { type: 'string', minLength: 1 }],
    [primitives.optionalId, { type: ['string', 'null'] }],
    [primitives.optionalText, { type: ['string', 'null'] }],
    [
      primitives.time,
      { type: ['integer', 'null'], description: 'Seconds or milliseconds; the unit is not promised.' },
    ],
    [primitives.quantity, { type: ['number', 'null'] }],
    [
      primitives.istest,
      { type: 'boolean', description: 'true marks an availability test: answer 200, act on nothing.' },
    ],
  ]),
);

/** Whether a schema accepts any value, or none: such a field is not required. */
function isTolerated(/** @type {z.core.$ZodType | undefined} */ schema) {
  // Required by the contract, although the receiver does without.
  if (schema === primitives.words) return false;
  const def = /** @type {z.core.$ZodTypes | undefined} */ (schema)?._zod.def;
  return def?.type === 'catch' || (def?.type === 'pipe' && def.in._zod.def.type === 'transform');
}

const registry = /** @type {z.core.$ZodRegistry<{ id?: string }>} */ (z.registry());
/** @type {Record<string, z.ZodType>} */
const named = {
  AgentMessage: protocol.agentMessage,
  OutputItem: protocol.outputItem,
  AudioClip: protocol.audioClip,
  Usage: protocol.messageUsage,
  HandoffRequest: protocol.handoffRequest,
  HandoffMessageItem: protocol.handoffMessageItem,
  UserInfo: protocol.userInfo,
  HandoffChat: protocol.handoffChat,
  HandoffClose: protocol.handoffClose,
  MessageAnswer: protocol.messageAnswer,
  HandoffAnswer: protocol.handoffAnswer,
  HumanReply: protocol.humanReply,
  HumanClose: protocol.humanClose,
  HumanCloseAnswer: protocol.humanCloseAnswer,
  QaPair: protocol.qaPair,
  QaAdd: protocol.qaAdd,
  QaUpdate: protocol.qaUpdate,
  QaAnswer: protocol.qaAnswer,
  DocumentResult: protocol.documentResult,
  WebhookCheckAnswer: protocol.webhookCheckAnswer,
  WebhookCheckResult: protocol.webhookCheckResult,
  Failure: protocol.failureBody,
};
for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });

const { schemas } = z.toJSONSchema(registry, {
  io: 'input',
  unrepresentable: 'any',
  uri: (id) => `#/components/schemas/${id}`,
  override({ zodSchema, jsonSchema }) {
    const { def } = zodSchema._zod;
    if (def.type === 'object') {
      const required = jsonSchema.required?.filter((name) => !isTolerated(def.shape[name]));
      delete jsonSchema.required;
      if (required?.length) jsonSchema.required = required;
      delete jsonSchema.additionalProperties;
    }
    const contract = CONTRACT.get(zodSchema);
    if (!contract) return;
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, contract);
  },
});

/** The rule that the schema checks in code: pairs for one document, or files for several, never both. */
Object.assign(schemas.QaUpdate ?? {}, {
  oneOf: [
    { required: ['doc_id', 'qaList'], properties: { qaList: { minItems: 1 }, files: { maxItems: 0 } } },
    { required: ['files'], properties: { files: { minItems: 1 }, qaList: { maxItems: 0 } } },
  ],
});

/** Drops the keywords of a stand-alone JSON Schema file. */
const asComponent = (/** @type {Record<string, unknown>} */ schema) =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !['$schema', '$id', 'id'].includes(name)));

const ref = (/** @type {string} */ name) => ({ $ref: `#/components/schemas/${name}` });
const json = (/** @type {object} */ schema) => ({ 'application/json': { schema } });
const answer = (/** @type {string} */ description, /** @type {object} */ schema) => ({
  description,
  content: json(schema),
});
const failure = answer('The platform says no; `code` says why, whatever the status.', ref('Failure'));

/** An endpoint that the platform hosts. */
const hosted = (
  /** @type {{ id: string, tag: string, summary: string, body?: string, success: object }} */
  { id, tag, summary, body, success },
) => ({
  operationId: id,
  tags: [tag],
  summary,
  ...(body && { requestBody: { required: true, content: json(ref(body)) } }),
  responses: { 200: answer('Done.', success), '4XX': failure, '5XX': failure },
});

/** A request that the platform sends. */
const sent = (
  /** @type {{ id: string, summary: string, body: string, answer: string, security: object[] }} */
  { id, summary, body, answer: answerName, security },
) => ({
  post: {
    operationId: id,
    tags: ['Webhooks'],
    summary,
    security,
    requestBody: { required: true, content: json(ref(body)) },
    responses: {
      200: answer('Accepted; also the answer to an availability test.', ref(answerName)),
      '4XX': { description: 'Not accepted.' },
      '5XX': { description: 'Not accepted.' },
    },
  },
});

const { SERVICE_PATHS } = protocol;

const document = {
  openapi: '3.1.1',
  info: {
    title: 'Webhooks, human handoff and QA knowledge of a conversational-agent platform',
    version: '1.0.0',
    summary: 'What the platform hosts (paths) and what it sends to a developer (webhooks).',
    description:
      'Generated from the schemas that validate at run time. Unknown fields are allowed everywhere.',
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
    { name: 'Knowledge', description: 'Questions and answers an agent knows.' },
    { name: 'Webhooks', description: 'Whether the platform reaches the developer, and what it sends.' },
    { name: 'Handoff', description: 'The human side of a handed-over conversation.' },
  ],
  security: [{ apiKey: [] }],
  paths: {
    [SERVICE_PATHS.addQa]: {
      post: hosted({
        id: 'addQa',
        tag: 'Knowledge',
        summary: 'Add question-answer pairs',
        body: 'QaAdd',
        success: ref('QaAnswer'),
      }),
    },
    [SERVICE_PATHS.updateQa]: {
      put: hosted({
        id: 'updateQa',
        tag: 'Knowledge',
        summary: 'Replace question-answer pairs',
        body: 'QaUpdate',
        success: ref('QaAnswer'),
      }),
    },
    [SERVICE_PATHS.checkWebhooks]: {
      post: hosted({
        id: 'checkWebhooks',
        tag: 'Webhooks',
        summary: "Probe the agent's webhooks",
        success: ref('WebhookCheckAnswer'),
      }),
    },
    [SERVICE_PATHS.health]: {
      get: {
        operationId: 'health',
        tags: ['Webhooks'],
        summary: 'Whether the platform works',
        security: [],
        responses: {
          200: {
            description: 'It works.',
            content: { 'text/plain': { schema: { type: 'string', const: protocol.HEALTHY } } },
          },
          '4XX': { description: 'It does not work.' },
          '5XX': { description: 'It does not work.' },
        },
      },
    },
    [SERVICE_PATHS.reply]: {
      post: hosted({
        id: 'reply',
        tag: 'Handoff',
        summary: "Send a human's words to the user",
        body: 'HumanReply',
        success: ref('HandoffAnswer'),
      }),
    },
    [SERVICE_PATHS.close]: {
      post: hosted({
        id: 'close',
        tag: 'Handoff',
        summary: 'End a handoff from the human side',
        body: 'HumanClose',
        success: ref('HumanCloseAnswer'),
      }),
    },
  },
  webhooks: {
    message: sent({
      id: 'message',
      summary: 'An agent, or a human, answered a user',
      body: 'AgentMessage',
      answer: 'MessageAnswer',
      security: [{ webhookBearer: [] }, { webhookBasic: [] }],
    }),
    establish: sent({
      id: 'establish',
      summary: 'A user is handed over (POST {developer_url}/conversation/establish)',
      body: 'HandoffRequest',
      answer: 'HandoffAnswer',
      security: [],
    }),
    chat: sent({
      id: 'chat',
      summary: 'The user says something (POST {developer_url}/chat)',
      body: 'HandoffChat',
      answer: 'HandoffAnswer',
      security: [],
    }),
    closed: sent({
      id: 'closed',
      summary: 'The user left or timed out (POST {developer_url}/conversation/close)',
      body: 'HandoffClose',
      answer: 'HandoffAnswer',
      security: [],
    }),
  },
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of the agent.' },
      webhookBearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The webhook username, when no secret is set.',
      },
      webhookBasic: { type: 'http', scheme: 'basic', description: 'The webhook username and secret.' },
    },
    schemas: Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, asComponent(schema)])),
  },
};

const text = `${JSON.stringify(document, null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('openapi.json differs from the schemas. Run: npm run openapi');
  process.exitCode = 1;
}
