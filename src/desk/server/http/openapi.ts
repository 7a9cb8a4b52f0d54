import { z } from 'zod';
import * as views from '../../api.js';
import { lowestRoleWith } from '../agents/roles.js';
import type { AgentRoute } from './agent-routes.js';

type Json = Readonly<Record<string, unknown>>;

/** Describes the API as OpenAPI 3.1: the routes by the schemas that validate their requests, answers by those of api.ts. */
export function describeApi(routes: readonly AgentRoute[], mountPath: string): Json {
  const answers = z.registry<{ id: string }>();
  for (const [name, view] of Object.entries(views)) {
    if (view instanceof z.ZodType)
      answers.add(view, { id: `${name.charAt(0).toUpperCase()}${name.slice(1)}` });
  }
  const components = Object.keys(jsonSchemas(answers, 'output'));
  const bodies = z.registry<{ id: string }>();
  for (const route of routes) {
    const { body, answer } = route.description;
    if (body && !bodies.has(body)) bodies.add(body, { id: idOf(route) });
    if (answer instanceof z.ZodType && !answers.has(answer)) answers.add(answer, { id: idOf(route) });
  }
  const described = jsonSchemas(answers, 'output');
  const requests = jsonSchemas(bodies, 'input');
  const answerOf = (schema: z.ZodType): unknown => {
    const id = answers.get(schema)?.id ?? '';
    return components.includes(id) ? { $ref: refTo(id) } : described[id];
  };

  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const { method, path, permission, description } = route;
    const { summary, body, query, answer, isForPeople = false } = description;
    const role = lowestRoleWith(permission);
    const key = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[key] = {
      ...paths[key],
      [method]: {
        operationId: idOf(route),
        summary,
        description: `Role: ${role}${isForPeople ? '. A token cannot use it' : ''}.`,
        ...(isForPeople && { security: [{ session: [] }] }),
        parameters: [...parametersIn(path), ...(query ? queryParameters(query) : [])],
        ...(body && {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: requests[bodies.get(body)?.id ?? ''] } },
          },
        }),
        responses: { ...successOf(answer, answerOf), '4XX': { $ref: '#/components/responses/Error' } },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: "The desk's API",
      version: '1',
      description: 'What the page of the desk does, for programs. Times are in milliseconds.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: mountPath === '' ? '/' : mountPath }],
    security: [{ token: [] }, { session: [] }],
    paths,
    webhooks: {
      event: {
        post: {
          operationId: 'receiveEvent',
          summary: 'Sent to a webhook, signed by the Standard Webhooks specification',
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: refTo('WebhookPayload') } } },
          },
          responses: {
            '2XX': { description: 'Received.' },
            '4XX': { description: 'It is sent again later.' },
          },
        },
      },
    },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token that an administrator has created.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'handoff_desk',
          description: 'Of the page, which also sends the header `x-desk-token`.',
        },
      },
      responses: {
        Error: {
          description: 'Refused, with the reason.',
          content: { 'application/json': { schema: { $ref: refTo('ErrorBody') } } },
        },
      },
      schemas: usedBy(described, components, paths),
    },
  };
}

const refTo = (id: string): string => `#/components/schemas/${id}`;

/** Such as `postConversationsIdClaim`. */
const idOf = ({ method, path }: AgentRoute): string =>
  [method, ...path.split(/\W+/).slice(2)]
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');

/** The schemas of a registry by id. They refer to each other. */
function jsonSchemas(
  registry: z.core.$ZodRegistry<{ id: string }>,
  io: 'input' | 'output',
): Record<string, Json> {
  const { schemas } = z.toJSONSchema(registry, { uri: refTo, io });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]),
  );
}

const parametersIn = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters(query: z.ZodType): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json;
    return { name, in: 'query', ...(description !== undefined && { description }), schema };
  });
}

function successOf(answer: z.ZodType | string | undefined, answerOf: (schema: z.ZodType) => unknown): Json {
  if (answer === undefined) return { '204': { description: 'Done.' } };
  const [type, schema] =
    typeof answer === 'string' ? [answer, { type: 'string' }] : ['application/json', answerOf(answer)];
  return { '200': { description: 'Done.', content: { [type]: { schema } } } };
}

/** The components that something refers to. */
function usedBy(all: Record<string, Json>, components: readonly string[], paths: object): Json {
  const used = new Set<string>();
  const walk = (value: unknown): void => {
    for (const [, id = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(id)) continue;
      used.add(id);
      walk(all[id]);
    }
  };
  walk([paths, ...['ErrorBody', 'WebhookPayload', 'ConversationUpdate'].map(refTo)]);
  return Object.fromEntries(components.filter((id) => used.has(id)).map((id) => [id, all[id]]));
}
