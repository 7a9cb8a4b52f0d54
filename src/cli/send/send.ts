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
} from '../../doctor/index.js';
import { ValidationError, validateWebhook, type WebhookEndpoint } from '../../protocol/index.js';
import { type JsonPostResult, postJson } from '../../simulator/sending/index.js';
import { printable } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { parseJson, readText } from '../read-text.js';
import { type ReceiverFlags, targetOf } from '../receiver-flags.js';
import { print, UsageError } from '../run-command.js';
import { type BodyFlags, buildBody } from './build-body.js';
import type { Sendable } from './sendable.js';

/** What the command line says of a delivery. */
export type SendFlags = ReceiverFlags &
  BodyFlags & {
    readonly to: string;
    readonly path?: string;
    readonly body?: string;
    readonly timeout: number;
  };

/** Characters of an answer that are shown to people. */
const ANSWER_SHOWN = 2_000;

/** Sends one delivery, and shows the answer with what it is worth. */
export async function send(what: Sendable, flags: SendFlags, output: Output): Promise<number> {
  const target = targetOf(flags.to, flags);
  const body =
    flags.body === undefined ? buildBody(what, flags, Date.now()) : await readBody(what, flags.body);
  const { url, endpoint } = addressOf(what, flags, target);
  const headers = endpointHeaders(target, endpoint);
  const answer = await postJson({ url, headers, payload: JSON.stringify(body), timeoutMs: flags.timeout });
  const verdict = assessAnswer(what, answer);
  const shownUrl = redactSecrets(url, target);
  const text = redactSecrets(answer.text, target);
  const shown = { ...answer, text };
  const scheme = headers.authorization?.split(' ')[0] ?? null;
  const record = {
    sent: what,
    url: shownUrl,
    credentials: scheme,
    body,
    status: answer.status,
    latencyMs: answer.latencyMs,
    contentType: answer.headers['content-type'] ?? null,
    answer: text,
    ...verdict,
  };
  print(
    output,
    record,
    textOf({ what, url: shownUrl, scheme, body, answer: shown, verdict }, output.colours),
  );
  return verdict.ok ? EXIT.ok : EXIT.no;
}

/** Where it goes. A probe of the handoff's base URL carries what handoff requests carry. */
function addressOf(what: Sendable, { at = 'message', path }: SendFlags, target: ReceiverTarget) {
  const place = what === 'probe' ? at : what;
  const endpoint: WebhookEndpoint = place === 'handoff' ? 'chat' : place;
  const base = endpoint === 'message' ? target.url : handoffBaseUrl(target);
  if (path !== undefined) return { endpoint, url: appendPath(base, path) };
  return { endpoint, url: place === 'handoff' ? base : endpointUrl(target, endpoint) };
}

async function readBody(what: Sendable, path: string): Promise<object> {
  const body = parseJson(await readText(path), path);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new UsageError(
      'the body must be a JSON object. See "handoff-kit send --help" for what goes where.',
    );
  }
  if (what === 'probe') return { ...body, istest: true };
  checkBody(what, body);
  return body;
}

function checkBody(endpoint: WebhookEndpoint, body: object): void {
  try {
    validateWebhook(endpoint, body);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new UsageError(`the body is not well-formed for ${endpoint}: ${error.message}`, { cause: error });
  }
}

interface Shown {
  readonly what: Sendable;
  readonly url: string;
  readonly scheme: string | null;
  readonly body: object;
  readonly answer: JsonPostResult;
  readonly verdict: AnswerAssessment;
}

function textOf({ what, url, scheme, body, answer, verdict }: Shown, colours: boolean): string {
  const { bold, dim, green, red, yellow } = createColors(colours);
  const ids = Object.entries(body).filter(([field]) => field === 'conversation_id' || field === 'message_id');
  const type = answer.headers['content-type'];
  const got =
    answer.status === null
      ? []
      : [
          `${bold(`HTTP ${answer.status}`)} after ${answer.latencyMs} ms${type ? `, ${printable(String(type))}` : ''}`,
          ...(answer.text === '' ? [dim('(no body)')] : [printable(answer.text.slice(0, ANSWER_SHOWN))]),
        ];
  return [
    `POST ${printable(url)}  ${dim(`(${what}, ${scheme ?? 'no credentials'})`)}`,
    ...ids.map(([field, value]) => dim(`  ${field} ${printable(String(value))}`)),
    '',
    ...got,
    ...(verdict.ok
      ? [green('✔ as the specification asks')]
      : [red('✘ not what the specification asks for:')]),
    ...verdict.deviations.map((deviation) => `  - ${printable(deviation)}`),
    ...verdict.notes.map((note) => yellow(`  note: ${printable(note)}`)),
  ].join('\n');
}
