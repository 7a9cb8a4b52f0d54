import type { WebhookEndpoint } from '../protocol/index.js';
import type { JsonPostResult } from '../simulator/sending/index.js';

/** The kind of request: a webhook, or an availability test. */
type RequestKind = WebhookEndpoint | 'probe';

export interface AnswerAssessment {
  readonly ok: boolean;
  /** The differences, one entry each. */
  readonly deviations: readonly string[];
  /** Unusual parts that the protocol allows. */
  readonly notes: readonly string[];
}

/** The only status that counts as accepted. */
const ACCEPTED = 200;

const HINTS: Readonly<Record<number, string>> = {
  400: 'the receiver considers the body invalid',
  401: 'the receiver refused the credentials',
  403: 'the receiver refused the credentials',
  404: 'nothing is at this path: check the path of --receiver-url, such as /webhook, and --handoff-token',
  405: 'this path does not accept POST',
  413: 'the body is too large for the receiver',
  415: 'the receiver refused the content type',
  429: 'the receiver limits the request rate',
  503: 'the receiver is overloaded or shutting down; for a handoff request: no agent is available',
};

export function assessAnswer(kind: RequestKind, answer: JsonPostResult): AnswerAssessment {
  const problem = statusProblem(answer);
  if (problem !== null) return { ok: false, deviations: [problem], notes: [] };
  // For an availability test only the status counts.
  if (kind === 'probe') return { ok: true, deviations: [], notes: [] };
  const { deviations, notes } = assessBody(kind, answer);
  const type = contentTypeProblem(answer);
  const all = type === null ? notes : [type, ...notes];
  return { ok: deviations.length === 0, deviations, notes: all };
}

/** The problem with an answer's status, if any. */
export function statusProblem({ status, error }: JsonPostResult): string | null {
  if (status === ACCEPTED) return null;
  if (status === null) return `no answer: ${error ?? 'the connection failed'}`;
  const hint = status >= 300 && status < 400 ? 'redirects are not followed' : HINTS[status];
  return `HTTP ${status}, expected ${ACCEPTED}${hint ? ` (${hint})` : ''}`;
}

/** A note on an unusual content type, which the protocol allows. */
export function contentTypeProblem({ headers }: JsonPostResult): string | null {
  const type = headers['content-type'];
  if (typeof type !== 'string') return 'there is no content-type, and application/json is usual';
  const [essence = ''] = type.split(';');
  return essence.trim().toLowerCase() === 'application/json'
    ? null
    : 'the content-type is not application/json, which is usual';
}

export function assessBody(
  endpoint: WebhookEndpoint,
  { text }: JsonPostResult,
): Pick<AnswerAssessment, 'deviations' | 'notes'> {
  const body = readObject(text);
  if (body === null) return { deviations: [notAnObject(text)], notes: [] };
  const known = endpoint === 'message' ? ['code', 'msg'] : ['code', 'message'];
  const deviations = endpoint === 'message' ? messageDeviations(body) : handoffDeviations(body);
  const more = Object.keys(body).filter((field) => !known.includes(field));
  const notes = more.length > 0 ? [`the body has fields besides ${known.join(' and ')}`] : [];
  if (endpoint !== 'message' && deviations.length === 0 && body.code !== ACCEPTED) {
    notes.push(`code is ${String(body.code)}; the protocol leaves it open, and ${ACCEPTED} is usual`);
  }
  return { deviations, notes };
}

function messageDeviations(body: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(body.code === ACCEPTED ? [] : [`${describeField(body, 'code')}, expected the number ${ACCEPTED}`]),
    ...(body.msg === 'success' ? [] : [`${describeField(body, 'msg')}, expected "success"`]),
  ];
}

function handoffDeviations(body: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(Number.isInteger(body.code) ? [] : [`${describeField(body, 'code')}, expected a whole number`]),
    ...(typeof body.message === 'string' ? [] : [`${describeField(body, 'message')}, expected text`]),
  ];
}

/** Describes a field without its value, which may be secret. */
function describeField(body: Readonly<Record<string, unknown>>, field: string): string {
  if (!Object.hasOwn(body, field)) return `${field} is missing`;
  const value = body[field];
  if (typeof value === 'number' || value === null) return `${field} is ${value}`;
  if (typeof value !== 'string') return `${field} is of type ${typeof value}`;
  return field === 'code' ? `${field} is text` : `${field} is another text`;
}

const notAnObject = (text: string): string =>
  text.trim() === '' ? 'the body is empty, expected a JSON object' : 'the body is not a JSON object';

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
