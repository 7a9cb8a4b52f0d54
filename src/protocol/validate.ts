import type { z } from 'zod';
import { HandoffKitError } from '../internal/index.js';
import { handoffChat, handoffClose, handoffRequest } from './handoff.js';
import { botMessageEnvelope, isNormalEnvelope, isOldMessageFormat } from './message.js';
import { isYes } from './primitives.js';

/** One problem in a body: its path and the expected value, never the actual value. */
export interface BodyIssue {
  /** Such as `body[0].text`; empty for the whole body. */
  readonly path: string;
  readonly message: string;
}

/** Codes of a {@link ValidationError}: the body breaks the contract, or has the deprecated V1 message format. */
export type ValidationErrorCode = 'INVALID_BODY' | 'OLD_MESSAGE_FORMAT';

/**
 * A body does not match the contract. Neither `message` nor `issues` contains a value of the body.
 *
 * @example
 * try {
 *   await client.reply({ conversationId, text: '' });
 * } catch (error) {
 *   if (error instanceof ValidationError) console.log(error.issues[0]?.path); // 'text'
 * }
 */
export class ValidationError extends HandoffKitError {
  declare readonly code: ValidationErrorCode;
  /** One entry per problem, at most fifty. */
  readonly issues: readonly BodyIssue[];

  constructor(code: ValidationErrorCode, message: string, issues: readonly BodyIssue[]) {
    super(code, message);
    this.issues = issues;
  }
}

/** The error of one problem. */
export const invalidBody = (path: string, message: string): ValidationError =>
  new ValidationError('INVALID_BODY', `${path || 'body'}: ${message}`, [{ path, message }]);

/** By endpoint. */
export const webhookBodies = {
  message: botMessageEnvelope,
  establish: handoffRequest,
  chat: handoffChat,
  close: handoffClose,
} as const;

/** An endpoint that the developer hosts. */
export type WebhookEndpoint = keyof typeof webhookBodies;
export type WebhookBody<Endpoint extends WebhookEndpoint> = z.output<(typeof webhookBodies)[Endpoint]>;

const schemas: { readonly [Endpoint in WebhookEndpoint]: z.ZodType<WebhookBody<Endpoint>> } = webhookBodies;

/** Limits of the error: a body can have hundreds of thousands of problems. */
const PLACES_NAMED = 5;
const ISSUES_KEPT = 50;

/** Throws only {@link ValidationError}. `names`: what the caller calls fields of the value. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  names: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const result = tryParse(schema, value);
  if (result.success) return result.data;
  const all = result.error.issues;
  const issues = all.slice(0, ISSUES_KEPT).map(({ path: [first = '', ...rest], message }) => ({
    path: pathText([names[String(first)] ?? first, ...rest]),
    message,
  }));
  const named = issues.slice(0, PLACES_NAMED).map(({ path, message }) => `${path || 'body'}: ${message}`);
  const rest = all.length - named.length;
  throw new ValidationError(
    'INVALID_BODY',
    named.join('; ') + (rest > 0 ? `; and ${rest} more` : ''),
    issues,
  );
}

/** Parses a webhook's body with its endpoint's schema. Throws only {@link ValidationError}. */
export function validateWebhook<Endpoint extends WebhookEndpoint>(
  endpoint: Endpoint,
  body: unknown,
): WebhookBody<Endpoint> {
  if (endpoint === 'message' && isNormalEnvelope(body)) return body as WebhookBody<Endpoint>;
  if (endpoint === 'message' && isOldMessageFormat(body)) {
    throw new ValidationError(
      'OLD_MESSAGE_FORMAT',
      'this is the deprecated V1 message format (no "output"): set the bot\'s webhook to the current version in its integration settings',
      [{ path: 'output', message: 'expected the current message format' }],
    );
  }
  return validate<z.ZodType<WebhookBody<Endpoint>>>(schemas[endpoint], body);
}

/** An availability test is answered 200 and has no other effect. */
export function isProbe(body: Readonly<Record<string, unknown>>): boolean {
  return isYes(body.istest);
}

/** zod throws on some crafted values, such as an object whose `length` cannot be compared. */
function tryParse<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch {
    throw invalidBody('', 'expected a body that matches the contract: this one cannot be validated');
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
