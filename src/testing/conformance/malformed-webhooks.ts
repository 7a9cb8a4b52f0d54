import type { InboundEvent, InboundRequest } from '../../bridge/index.js';

/** A webhook with one field changed, and what was changed. */
interface MalformedWebhook {
  readonly change: string;
  readonly request: InboundRequest;
}

/** What a field is replaced with; `undefined` removes it. */
const VALUES: Readonly<Record<string, unknown>> = {
  'is missing': undefined,
  'is null': null,
  'is a number': 7,
  'is an unknown word': 'something-new',
  'is an object': {},
  'is a list with null': [null],
};

/** Changes each field of a webhook in turn, if its body is JSON or a form. */
export function malformedWebhooks(request: InboundRequest): MalformedWebhook[] {
  const text = request.body.toString('utf8');
  const withBody = (change: string, body: string) => ({
    change,
    request: { ...request, body: Buffer.from(body) },
  });
  const json = parsed(text);
  if (json !== undefined)
    return changesOf(json).map(({ change, value }) => withBody(change, JSON.stringify(value)));
  if (!request.headers['content-type']?.includes('form-urlencoded')) return [];
  const fields = Object.fromEntries(new URLSearchParams(text));
  return Object.entries(fields).flatMap(([name, value]) =>
    changesOf(parsed(value) ?? value, name).map(({ change, value: changed }) => {
      const written = typeof changed === 'string' ? changed : JSON.stringify(changed);
      return withBody(change, new URLSearchParams({ ...fields, [name]: written }).toString());
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ChangedValue {
  readonly change: string;
  readonly value: unknown;
}

/** Copies of a value with one field changed, at any depth. */
function changesOf(value: unknown, path = ''): ChangedValue[] {
  if (typeof value !== 'object' || value === null) return [];
  const copyWith = (name: string, field: unknown): unknown =>
    Array.isArray(value) ? value.with(Number(name), field) : { ...value, [name]: field };
  return Object.entries(value).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [
      ...Object.entries(VALUES).map(([what, changed]) => ({
        change: `${at} ${what}`,
        value: copyWith(name, changed),
      })),
      ...changesOf(field, at).map((inner) => ({ ...inner, value: copyWith(name, inner.value) })),
    ];
  });
}

/**
 * The webhook of a message with two files, made of one with a single file: the entry of the innermost list that has the
 * name is repeated with another. `null` if no list has it, or if the body is not JSON.
 */
export function withSecondFile(request: InboundRequest, name: string, second: string): InboundRequest | null {
  const text = request.body.toString('utf8');
  const json = parsed(text);
  const lists = json === undefined ? [] : listsWith(json, name);
  const list = lists.at(-1);
  if (!list) return null;
  const entry = list.find((each) => JSON.stringify(each).includes(name));
  list.push(JSON.parse(JSON.stringify(entry).replaceAll(name, second)));
  return { ...request, body: Buffer.from(JSON.stringify(json)) };
}

/** The lists in which a text occurs, the innermost last. */
function listsWith(value: unknown, text: string): unknown[][] {
  if (typeof value !== 'object' || value === null || !JSON.stringify(value).includes(text)) return [];
  const inner = Object.values(value).flatMap((field) => listsWith(field, text));
  return Array.isArray(value) ? [value, ...inner] : inner;
}

/** What `String` and templates make of a value that is missing. */
const NO_ID = /(^|\s)(null|undefined|NaN|\[object Object\])(\s|$)/;

const isId = (value: unknown): boolean => typeof value === 'string' && value !== '' && !NO_ID.test(value);
const isTextOrNull = (value: unknown): boolean => typeof value === 'string' || value === null;

/** What is wrong with an event, whatever its type says; `null` if nothing is. */
export function faultOf(event: InboundEvent): string | null {
  const { kind, id, externalId, author } = Object(event);
  if (!['message', 'joined', 'closed'].includes(kind)) return `an event of kind ${JSON.stringify(kind)}`;
  if (!isId(id)) return `an event with the id ${JSON.stringify(id)}`;
  if (!isId(externalId)) return `an event with the externalId ${JSON.stringify(externalId)}`;
  if (!['agent', 'self', 'user', 'system'].includes(author?.kind)) return 'an event without an author';
  if (!isTextOrNull(author.name)) return 'an author whose name is neither text nor null';
  return kind === 'message' ? faultOfMessage(Object(event)) : null;
}

function faultOfMessage({ text, internal, messageId, attachments = [] }: Record<string, unknown>) {
  if (typeof text !== 'string') return 'a message whose text is no text';
  if (typeof internal !== 'boolean') return 'a message without internal';
  if (messageId !== null && !isId(messageId))
    return `a message with the messageId ${JSON.stringify(messageId)}`;
  if (!Array.isArray(attachments) || !attachments.every(isFile)) return 'a message with an unusable file';
  return null;
}

function isFile(file: unknown): boolean {
  const { name, contentType, url } = Object(file);
  return typeof name === 'string' && isTextOrNull(contentType) && isTextOrNull(url);
}
