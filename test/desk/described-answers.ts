import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import express from 'express';
import { createDesk } from '../../src/desk/index.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { listen } from '../helpers/serve.js';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** The description that a desk gives of its API. */
export interface DeskDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** An operation of the description, as `METHOD /path`. */
export const operationsOf = ({ paths }: DeskDescription): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

/** Reads the description from a desk, as an agent of a host application. */
async function readDescription(): Promise<DeskDescription> {
  const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false });
  const desk = createDesk({ receiver, agents: () => ({ id: 'a', name: 'A' }), log: false });
  const served = await listen(express().use('/desk', desk));
  const page = await fetch(`${served.url}/desk/`);
  const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await fetch(`${served.url}/desk/api/openapi.json`, { headers: { cookie } });
  const description = (await answer.json()) as DeskDescription;
  await served.end();
  await receiver.close();
  await desk.close();
  return description;
}

let cached: Promise<DeskDescription> | undefined;

export const deskDescription = (): Promise<DeskDescription> => (cached ??= readDescription());

const validators = new Map<string, ValidateFunction | undefined>();
let ajv: Ajv2020 | undefined;

/**
 * What is wrong with an answer of the desk, one line each. `path` is below the mount path, without a query. Unknown
 * paths are not checked.
 */
export async function problemsOf(
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<readonly string[]> {
  const description = await deskDescription();
  const found = Object.entries(description.paths)
    .filter(([template, methods]) => matches(template, path) && Object.hasOwn(methods, method.toLowerCase()))
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)[0];
  if (!found) return [];
  const [template, methods] = found;
  if (status === 204) {
    const isDescribed = Object.hasOwn(methods[method.toLowerCase()]?.responses ?? {}, '204');
    return isDescribed ? [] : [`${method} ${template}: a 204 is not described`];
  }
  const pointer =
    status >= 400
      ? '/components/schemas/ErrorBody'
      : `/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
  if (!ajv) {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema(description, 'desk');
  }
  if (!validators.has(pointer)) validators.set(pointer, ajv.getSchema(`desk#${encodeURI(pointer)}`));
  const validate = validators.get(pointer);
  if (!validate) return [`${method} ${template}: a ${status} with JSON is not described`];
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${method} ${template}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
