import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Tapped } from './wiretap.js';

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

/** Where in openapi.json an operation is, as the steps of a JSON pointer. */
type Place = readonly string[];

/** Holds what went over the wire against the committed openapi.json. It knows nothing of the package's schemas. */
export interface OpenApiValidator {
  /** What is wrong with an exchange, a line each: none when both request and answer are as described. */
  readonly violations: (exchange: Tapped) => string[];
  /** What is wrong with a request's body alone. */
  readonly bodyViolations: (method: string, path: string, body: unknown) => string[];
}

/** Makes a validator of openapi.json. */
export function createOpenApiValidator(): OpenApiValidator {
  const document: OpenApi = JSON.parse(readFileSync(FILE, 'utf8'));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi.json');

  const check = (place: Place, value: unknown): string[] => {
    const pointer = place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = ajv.getSchema(`openapi.json#/${pointer.join('/')}`);
    if (!validate) return [`openapi.json has no ${place.join(' / ')}`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'body'} ${message}`);
  };

  const checkText = (place: Place, described: Content | undefined, type: string, text: string): string[] => {
    if (!described) return ['this status is not described'];
    if (!described.content) return [];
    const essence = type.split(';', 1)[0] ?? '';
    if (!Object.hasOwn(described.content, essence)) return [`the content type ${essence} is not described`];
    const value = essence === 'application/json' ? parsed(text) : text;
    if (value === undefined) return ['not JSON'];
    return check([...place, 'content', essence, 'schema'], value);
  };

  const find = (method: string, path: string): { place: Place; operation: Operation } | null => {
    const hosted = document.paths[path]?.[method.toLowerCase()];
    if (hosted) return { place: ['paths', path, method.toLowerCase()], operation: hosted };
    const name = webhookOf(path);
    const sent = path.startsWith('/v1/') ? undefined : document.webhooks[name]?.post;
    return sent ? { place: ['webhooks', name, 'post'], operation: sent } : null;
  };

  return {
    violations(exchange) {
      const { method, path, headers, request, status, answerType, answer } = exchange;
      const found = find(method, path);
      if (!found) return [`${method} ${path}: not described`];
      const { place, operation } = found;
      const described = statusOf(operation, status);
      const problems = [
        ...(operation.requestBody
          ? checkText(
              [...place, 'requestBody'],
              operation.requestBody,
              headers['content-type'] ?? '',
              request,
            )
          : request === ''
            ? []
            : ['a body where none is described']
        ).map((problem) => `request: ${problem}`),
        ...(place[0] === 'paths' ? checkKey(operation, headers.authorization) : []),
        ...checkText(
          [...place, 'responses', described],
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
      return check([...found.place, 'requestBody', 'content', 'application/json', 'schema'], body);
    },
  };
}

/** The webhooks are told by how their paths end; the message webhook's can be anything else. */
function webhookOf(path: string): string {
  if (path.endsWith('/conversation/establish')) return 'establish';
  if (path.endsWith('/conversation/close')) return 'closed';
  return path.endsWith('/chat') ? 'chat' : 'message';
}

function statusOf({ responses }: Operation, status: number): string {
  return Object.hasOwn(responses, String(status)) ? String(status) : `${Math.floor(status / 100)}XX`;
}

/** Without a `security` of its own an operation needs the API key; with an empty one it must not get it. */
function checkKey({ security }: Operation, authorization: string | undefined): string[] {
  if (security?.length === 0)
    return authorization === undefined ? [] : ['request: a key where none is asked for'];
  return /^Bearer \S+$/.test(authorization ?? '') ? [] : ['request: no key in Authorization: Bearer'];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
