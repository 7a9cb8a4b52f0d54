import { randomUUID } from 'node:crypto';
import { createColors } from 'picocolors';
import {
  type AnswerAssessment,
  appendPath,
  assessAnswer,
  endpointHeaders,
  endpointUrl,
  handoffBaseUrl,
  type ReceiverTarget,
  redactSecrets,
} from '../doctor/index.js';
import { printable } from '../internal/readable-log.js';
import { ValidationError, validateWebhook, type WebhookEndpoint } from '../protocol/index.js';
import {
  botMessageBody,
  chatBody,
  closeBody,
  establishBody,
  type JsonPostResult,
  postJson,
  probeBody,
} from '../simulator/sending/index.js';
import { type ReceiverFlags, receiverTarget } from './flags.js';
import { parseJson, readText } from './input.js';
import { EXIT, type Output, print, UsageError } from './output.js';

/** The kinds of requests: one for each endpoint, and the availability test. */
export type RequestKind = WebhookEndpoint | 'probe';

interface BodyFlags {
  readonly text?: string;
  readonly conversation?: string;
  readonly messageId?: string;
  readonly user?: string;
  readonly anonymous?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly bot?: string;
  readonly type?: 'TIMEOUT' | 'USER_CLOSED';
  readonly at?: WebhookEndpoint | 'handoff';
}

/** The flags of `send`. */
export type SendFlags = ReceiverFlags &
  BodyFlags & {
    readonly path?: string;
    readonly body?: string;
    readonly timeout: number;
  };

/** Longer answers are cut in the text for people. */
const MAX_ANSWER_LENGTH = 2_000;

/** Sends one request, prints the answer and how it differs from the specification. */
export async function sendEvent(kind: RequestKind, flags: SendFlags, output: Output): Promise<number> {
  const target = receiverTarget(flags);
  const body =
    flags.body === undefined ? buildBody(kind, flags, Date.now()) : await readBody(kind, flags.body);
  const { url, endpoint } = addressOf(kind, flags, target);
  const headers = endpointHeaders(target, endpoint);
  const answer = await postJson({ url, headers, payload: JSON.stringify(body), timeoutMs: flags.timeout });
  // A short token is not searched for in texts, and is in the path all the same.
  const masked = { ...target, ...(target.token !== undefined && { token: '***' }) };
  const shownUrl = redactSecrets(addressOf(kind, flags, masked).url, target);
  const text = redactSecrets(answer.text, target);
  const isInPath = endpoint !== 'message' && target.token !== undefined;
  const scheme = headers.authorization?.split(' ')[0] ?? (isInPath ? 'token in the path' : null);
  const verdict = withNotes({ kind, endpoint, scheme }, answer, assessAnswer(kind, answer));
  const record = {
    sent: kind,
    url: shownUrl,
    credentials: scheme,
    body,
    status: answer.status,
    latencyMs: answer.latencyMs,
    contentType: answer.headers['content-type'] ?? null,
    answer: text,
    ...verdict,
  };
  const shown = { kind, url: shownUrl, scheme, body, answer: { ...answer, text }, verdict };
  print(output, record, textOf(shown, output.colours));
  return verdict.ok ? EXIT.ok : EXIT.no;
}

const REPLY_NOTE =
  'a handler that replies before the answer fails if the platform is not reached or does not know the conversation. handoff-kit simulate accepts replies to ids that begin with "send-"; elsewhere, give --conversation the id of an open conversation';

interface SentRequest {
  readonly kind: RequestKind;
  readonly endpoint: WebhookEndpoint;
  /** The kind of its credentials; `null` without any. */
  readonly scheme: string | null;
}

/** What the receiver refused, in words that fit the flags. */
function refusedNote({ endpoint, scheme }: SentRequest): string {
  const flags =
    endpoint === 'message' ? '--webhook-username and --webhook-secret' : '--handoff-token and --handoff-auth';
  const sent = scheme === 'Bearer' || scheme === 'Basic' ? `Authorization: ${scheme}` : scheme;
  return `the request had ${sent === null ? 'no credentials' : `these credentials: ${sent}`}. Compare ${flags} with the settings of the receiver`;
}

/** A 5xx may come from a reply that the platform refused, and not from the receiver itself: a note says so. */
function withNotes(
  request: SentRequest,
  { status }: JsonPostResult,
  verdict: AnswerAssessment,
): AnswerAssessment {
  const { kind } = request;
  const mayHaveReplied = (kind === 'establish' || kind === 'chat') && status !== null && status >= 500;
  const isRefused = status === 401 || status === 403;
  const more = [...(mayHaveReplied ? [REPLY_NOTE] : []), ...(isRefused ? [refusedNote(request)] : [])];
  return { ...verdict, notes: [...verdict.notes, ...more] };
}

/** The URL of a request. A probe of the handoff base URL carries the credentials of handoff requests. */
function addressOf(kind: RequestKind, { at = 'message', path }: SendFlags, target: ReceiverTarget) {
  const place = kind === 'probe' ? at : kind;
  const endpoint: WebhookEndpoint = place === 'handoff' ? 'chat' : place;
  const base = endpoint === 'message' ? target.url : handoffBaseUrl(target);
  if (path !== undefined) return { endpoint, url: appendPath(base, path) };
  return { endpoint, url: place === 'handoff' ? base : endpointUrl(target, endpoint) };
}

const DEFAULT_TEXT = 'A test, sent with handoff-kit send';

const newId = (): string => `send-${randomUUID()}`;

type BuildBody = (flags: BodyFlags, conversationId: string, now: number) => object;

const BUILDERS: Readonly<Record<WebhookEndpoint, BuildBody>> = {
  message: (flags, conversationId, now) => {
    const { text = DEFAULT_TEXT, user: userId = null, anonymous: anonymousId = null } = flags;
    const { messageId = newId() } = flags;
    return botMessageBody({ text, userId, anonymousId, conversationId, messageId }, now);
  },
  establish: (flags, conversationId, timestamp) => {
    const { user: userId = null, anonymous: anonymousId = null, email = null, phone = null } = flags;
    const { text = DEFAULT_TEXT, bot: botId = 'send-bot' } = flags;
    const user = { userId, anonymousId, email, phone };
    const transcript = [{ text, message_type: 'QUESTION' }];
    return establishBody({ conversationId, timestamp, botId, user, transcript });
  },
  chat: ({ text = DEFAULT_TEXT }, conversationId, now) => chatBody(conversationId, now, text),
  close: ({ type = 'USER_CLOSED' }, conversationId, now) => closeBody(conversationId, now, type),
};

/** The body that the flags describe; missing values are generated. */
function buildBody(kind: RequestKind, flags: BodyFlags, now: number): object {
  const { conversation = newId(), at = 'message' } = flags;
  if (kind !== 'probe') return BUILDERS[kind](flags, conversation, now);
  // The platform tests the handoff base URL with a body in the format of messages.
  if (at === 'message' || at === 'handoff') return { ...probeBody(now), conversation_id: conversation };
  return { ...BUILDERS[at](flags, conversation, now), istest: true };
}

async function readBody(kind: RequestKind, path: string): Promise<object> {
  const body = parseJson(await readText(path), path);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new UsageError('the body must be a JSON object. See: handoff-kit send --help');
  }
  if (kind === 'probe') return { ...body, istest: true };
  validateBody(kind, body);
  return body;
}

function validateBody(endpoint: WebhookEndpoint, body: object): void {
  try {
    validateWebhook(endpoint, body);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new UsageError(`the body is not well-formed for ${endpoint}: ${error.message}`, { cause: error });
  }
}

interface ShownDelivery {
  readonly kind: RequestKind;
  readonly url: string;
  readonly scheme: string | null;
  readonly body: object;
  readonly answer: JsonPostResult;
  readonly verdict: AnswerAssessment;
}

function textOf({ kind, url, scheme, body, answer, verdict }: ShownDelivery, colours: boolean): string {
  const { bold, dim, green, red, yellow } = createColors(colours);
  const ids = Object.entries(body).filter(([field]) => field === 'conversation_id' || field === 'message_id');
  const type = answer.headers['content-type'];
  const answerLines =
    answer.status === null
      ? []
      : [
          `${bold(`HTTP ${answer.status}`)} after ${answer.latencyMs} ms${type ? `, ${printable(String(type))}` : ''}`,
          ...(answer.text === '' ? [dim('(no body)')] : [printable(answer.text.slice(0, MAX_ANSWER_LENGTH))]),
        ];
  return [
    `POST ${printable(url)}  ${dim(`(${kind}, ${scheme ?? 'no credentials'})`)}`,
    ...ids.map(([field, value]) => dim(`  ${field} ${printable(String(value))}`)),
    '',
    ...answerLines,
    ...(verdict.ok
      ? [green('✔ as the specification asks')]
      : [red('✘ not what the specification asks for:')]),
    ...verdict.deviations.map((deviation) => `  - ${printable(deviation)}`),
    ...verdict.notes.map((note) => yellow(`  note: ${printable(note)}`)),
  ].join('\n');
}
