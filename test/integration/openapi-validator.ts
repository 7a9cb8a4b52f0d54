import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ProxiedExchange } from './recording-proxy.js';

const FILE = resolve(import.meta.dirname, '../../openapi.json');

interface Content {
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly security?: readonly object[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
}

/** The location of an operation in openapi.json, as the steps of a JSON pointer. */
type Location = readonly string[];

/** Validates exchanges against the committed openapi.json, independently of the package's schemas. */
export interface OpenApiValidator {
  /** The violations of an exchange, one line each. */
  readonly violations: (exchange: ProxiedExchange) => string[];
  /** The violations of a request body. */
  readonly bodyViolations: (method: string, path: string, body: unknown) => string[];
}

/** Creates a validator of openapi.json. */
export function createOpenApiValidator(): OpenApiValidator {
  const document: OpenApi = JSON.parse(readFileSync(FILE, 'utf8'));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi.json');

  const check = (location: Location, value: unknown): string[] => {
    const pointer = location.map((step) =>
      encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const validate = ajv.getSchema(`openapi.json#/${pointer.join('/')}`);
    if (!validate) return [`openapi.json has no ${location.join(' / ')}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'body'} ${message}`);
  };

  const checkText = (
    location: Location,
    described: Content | undefined,
    type: string,
    text: string,
  ): string[] => {
    if (!described) return ['this status is not described'];
    if (!described.content) return [];
    const essence = type.split(';', 1)[0] ?? '';
    if (!Object.hasOwn(described.content, essence)) return [`the content type ${essence} is not described`];
    const value = essence === 'application/json' ? parsed(text) : text;
    if (value === undefined) return ['not JSON'];
    return check([...location, 'content', essence, 'schema'], value);
  };

  const find = (method: string, path: string): { location: Location; operation: Operation } | null => {
    const hosted = document.paths[path]?.[method.toLowerCase()];
    if (hosted) return { location: ['paths', path, method.toLowerCase()], operation: hosted };
    const name = webhookOf(path);
    const sent = path.startsWith('/v1/') ? undefined : document.webhooks[name]?.post;
    return sent ? { location: ['webhooks', name, 'post'], operation: sent } : null;
  };

  return {
    violations(exchange) {
      const { method, path, headers, request, status, answerType, answer } = exchange;
      const found = find(method, path);
      if (!found) return [`${method} ${path}: not described`];
      const { location, operation } = found;
      const described = statusOf(operation, status);
      const problems = [
        ...(operation.requestBody
          ? checkText(
              [...location, 'requestBody'],
              operation.requestBody,
              headers['content-type'] ?? '',
              request,
            )
          : request === ''
            ? []
            : ['a body where none is described']
        ).map((problem) => `request: ${problem}`),
        ...(location[0] === 'paths' ? checkKey(operation, headers.authorization) : []),
        ...checkText(
          [...location, 'responses', described],
          operation.responses[described],
          answerType,
          answer,
        ).map((problem) => `answer ${status}: ${problem}`),
      ];
      return problems.map((problem) => `${method} ${path}: ${problem}`);
    },
    bodyViolations(method, path, body) {
      const found = find(method, path);
      if (!found) return ['not described'];
      return check([...found.location, 'requestBody', 'content', 'application/json', 'schema'], body);
    },
  };
}

/** Webhooks are identified by the end of their path; any other path is the message webhook. */
function webhookOf(path: string): string {
  if (path.endsWith('/conversation/establish')) return 'establish';
  if (path.endsWith('/conversation/close')) return 'closed';
  return path.endsWith('/chat') ? 'chat' : 'message';
}

function statusOf({ responses }: Operation, status: number): string {
  return Object.hasOwn(responses, String(status)) ? String(status) : `${Math.floor(status / 100)}XX`;
}

/** An operation needs the API key unless its `security` is empty; then the key must not be sent. */
function checkKey({ security }: Operation, authorization: string | undefined): string[] {
  if (security?.length === 0)
    return authorization === undefined ? [] : ['request: a key where none is required'];
  return /^Bearer \S+$/.test(authorization ?? '') ? [] : ['request: no key in Authorization: Bearer'];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
