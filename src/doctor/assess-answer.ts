import type { WebhookEndpoint } from '../protocol/index.js';
import type { JsonPostResult } from '../simulator/sending/index.js';

/** What was sent: a delivery to an endpoint, or an availability test. */
export type DeliveryKind = WebhookEndpoint | 'probe';

/** What an answer is worth by the specification. */
export interface AnswerAssessment {
  /** Whether it is what the specification asks for. */
  readonly ok: boolean;
  /** Where it differs, one entry a difference. */
  readonly deviations: readonly string[];
  /** What is unusual, though the specification leaves it open. */
  readonly notes: readonly string[];
}

/** The status with which a receiver says yes. */
const ACCEPTED = 200;

const HINTS: Readonly<Record<number, string>> = {
  400: 'the receiver found something wrong with the body',
  401: 'the receiver did not accept the credentials',
  403: 'the receiver did not accept the credentials',
  404: 'there is no such path',
  405: 'this path does not take POST',
  413: 'the body is too large for the receiver',
  415: 'the receiver did not accept the content type',
  429: 'the receiver was asked too often',
  503: 'the receiver is busy or closing; to a handoff request it means that nobody is free',
};

/** Holds an answer against what the specification asks of the endpoint. */
export function assessAnswer(sent: DeliveryKind, answer: JsonPostResult): AnswerAssessment {
  const status = statusProblem(answer);
  if (status !== null) return { ok: false, deviations: [status], notes: [] };
  // Of a probe only the status counts (4.3).
  if (sent === 'probe') return { ok: true, deviations: [], notes: [] };
  const { deviations, notes } = assessBody(sent, answer);
  const type = contentTypeProblem(answer);
  const all = type === null ? deviations : [type, ...deviations];
  return { ok: all.length === 0, deviations: all, notes };
}

/** What is wrong with the status of an answer; `null` when nothing is. */
export function statusProblem({ status, error }: JsonPostResult): string | null {
  if (status === ACCEPTED) return null;
  if (status === null) return `no answer: ${error ?? 'the connection failed'}`;
  const hint = status >= 300 && status < 400 ? 'redirects are not followed' : HINTS[status];
  return `HTTP ${status}, expected ${ACCEPTED}${hint ? ` (${hint})` : ''}`;
}

/** What is wrong with the content type of an answer; `null` when nothing is. */
export function contentTypeProblem({ headers }: JsonPostResult): string | null {
  const type = headers['content-type'];
  if (typeof type !== 'string') return 'there is no content-type, expected application/json';
  const [essence = ''] = type.split(';');
  return essence.trim().toLowerCase() === 'application/json'
    ? null
    : 'the content-type is not application/json';
}

/** What is wrong with the body of an answer. */
export function assessBody(
  endpoint: WebhookEndpoint,
  { text }: JsonPostResult,
): Pick<AnswerAssessment, 'deviations' | 'notes'> {
  const body = readObject(text);
  if (body === null) return { deviations: [notAnObject(text)], notes: [] };
  const known = endpoint === 'message' ? ['code', 'msg'] : ['code', 'message'];
  const deviations = endpoint === 'message' ? judgeMessage(body) : judgeHandoff(body);
  const more = Object.keys(body).filter((field) => !known.includes(field));
  const notes = more.length > 0 ? [`the body has more than ${known.join(' and ')}`] : [];
  if (endpoint !== 'message' && deviations.length === 0 && body.code !== ACCEPTED) {
    notes.push(`code is ${String(body.code)}; the specification shows no value, and ${ACCEPTED} is usual`);
  }
  return { deviations, notes };
}

function judgeMessage(body: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(body.code === ACCEPTED ? [] : [`${named(body, 'code')}, expected the number ${ACCEPTED}`]),
    ...(body.msg === 'success' ? [] : [`${named(body, 'msg')}, expected "success"`]),
  ];
}

function judgeHandoff(body: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(Number.isInteger(body.code) ? [] : [`${named(body, 'code')}, expected a whole number`]),
    ...(typeof body.message === 'string' ? [] : [`${named(body, 'message')}, expected text`]),
  ];
}

/** Says of a field that it is missing, or of which kind it is; what it holds is shown with the answer. */
function named(body: Readonly<Record<string, unknown>>, field: string): string {
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
