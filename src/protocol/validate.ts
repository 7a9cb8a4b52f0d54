import type { z } from 'zod';
import { HandoffKitError } from '../internal/index.js';
import { handoffChat, handoffClose, handoffRequest } from './handoff.js';
import { agentMessageEnvelope, isNormalEnvelope, isOldMessageFormat } from './message.js';

/** One thing wrong with a body: where, and what was expected. Never the value itself. */
export interface BodyIssue {
  /** The path in the body, such as `body[0].text`; empty for the body as a whole. */
  readonly path: string;
  /** What was expected there. */
  readonly message: string;
}

/** A body does not fit the contract. `issues` says where; the values stay out of it. */
export class ValidationError extends HandoffKitError {
  /** What is wrong, one entry a place, the first fifty. */
  readonly issues: readonly BodyIssue[];

  constructor(code: 'INVALID_BODY' | 'OLD_MESSAGE_FORMAT', message: string, issues: readonly BodyIssue[]) {
    super(code, message);
    this.issues = issues;
  }
}

/** What the service sends to a developer, by the endpoint it sends it to. */
export const webhookBodies = {
  message: agentMessageEnvelope,
  establish: handoffRequest,
  chat: handoffChat,
  close: handoffClose,
} as const;

/** An endpoint a developer hosts. */
export type WebhookEndpoint = keyof typeof webhookBodies;
/** The body that an endpoint receives, after validation. */
export type WebhookBody<Endpoint extends WebhookEndpoint> = z.output<(typeof webhookBodies)[Endpoint]>;

const schemas: { readonly [Endpoint in WebhookEndpoint]: z.ZodType<WebhookBody<Endpoint>> } = webhookBodies;

/** Places named in a message, and places kept in `issues`: a body can be wrong in very many. */
const PLACES_NAMED = 5;
const ISSUES_KEPT = 50;

/** Holds a value against a schema. Throws nothing but {@link ValidationError}. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = tryParse(schema, value);
  if (result.success) return result.data;
  const all = result.error.issues;
  const issues = all.slice(0, ISSUES_KEPT).map(({ path, message }) => ({ path: pathText(path), message }));
  const named = issues.slice(0, PLACES_NAMED).map(({ path, message }) => `${path || 'body'}: ${message}`);
  const rest = all.length - named.length;
  throw new ValidationError(
    'INVALID_BODY',
    named.join('; ') + (rest > 0 ? `; and ${rest} more` : ''),
    issues,
  );
}

/** Holds a webhook's body against its endpoint's schema. Throws nothing but {@link ValidationError}. */
export function validateWebhook<Endpoint extends WebhookEndpoint>(
  endpoint: Endpoint,
  body: unknown,
): WebhookBody<Endpoint> {
  if (endpoint === 'message' && isNormalEnvelope(body)) return body as WebhookBody<Endpoint>;
  if (endpoint === 'message' && isOldMessageFormat(body)) {
    throw new ValidationError(
      'OLD_MESSAGE_FORMAT',
      'this is the deprecated V1 message format (no "output"): set the agent\'s webhook to the current version in its integration settings',
      [{ path: 'output', message: 'expected the current message format' }],
    );
  }
  return validate<z.ZodType<WebhookBody<Endpoint>>>(schemas[endpoint], body);
}

/** Whether a body is an availability test: to be answered 200 and nothing more (4.3). */
export function isProbe(body: Readonly<Record<string, unknown>>): boolean {
  return body.istest === true;
}

/** zod itself throws on some values made for it, such as an object whose `length` cannot be compared. */
function tryParse<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch {
    const message = 'expected values of the contract: this body cannot be compared with it';
    throw new ValidationError('INVALID_BODY', `body: ${message}`, [{ path: '', message }]);
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
