import { randomBytes } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { WebhookEndpoint } from '../protocol/index.js';
import { type JsonPostRequest, type JsonPostResult, postJson } from '../simulator/sending/index.js';
import { statusProblem } from './assess-answer.js';
import { type WireBody, wellFormedBody } from './bodies.js';
import {
  type EndpointGroup,
  endpointHeaders,
  endpointUrl,
  groupOf,
  HANDOFF_ENDPOINTS,
  type ReceiverTarget,
} from './target.js';

export interface DoctorOptions {
  /** The endpoints to examine. Default: all. */
  readonly groups?: readonly EndpointGroup[] | undefined;
  /** The timeout of a request. Default: 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /** The latency above which an answer counts as slow. Default: 5 seconds. */
  readonly slowAfterMs?: number | undefined;
  /** The size of a body that a receiver should refuse. Default: 8 MiB. */
  readonly oversizeBytes?: number | undefined;
}

/** Differences from a well-formed request. */
export type RequestOverrides = Partial<Pick<JsonPostRequest, 'url' | 'headers' | 'breakAt'>> & {
  /** The raw body, instead of the serialized object. */
  readonly payload?: string;
  readonly type?: string;
};

/** Sends requests to the receiver under examination and tracks the handoffs it opens. */
export interface DoctorClient {
  readonly target: ReceiverTarget;
  /** See {@link DoctorOptions}. */
  readonly timeoutMs: number;
  /** See {@link DoctorOptions}. */
  readonly slowAfterMs: number;
  /** See {@link DoctorOptions}. */
  readonly oversizeBytes: number;
  /** The number of requests sent so far. */
  readonly requestCount: () => number;
  /** A new conversation id that starts with `doctor-`. */
  readonly newId: () => string;
  /** A well-formed body. Opens a handoff first if the endpoint needs one. */
  readonly createBody: (endpoint: WebhookEndpoint) => Promise<WireBody>;
  /** Sends a body to an endpoint, with the configured credentials unless overridden. */
  readonly send: (
    endpoint: WebhookEndpoint,
    body: WireBody,
    overrides?: RequestOverrides,
  ) => Promise<JsonPostResult>;
  /** Sends a raw text to an endpoint, with the configured credentials. */
  readonly sendText: (endpoint: WebhookEndpoint, payload: string, type?: string) => Promise<JsonPostResult>;
  /** Counts a request that was sent by other means. */
  readonly countRequest: () => void;
  /** The answer to a well-formed request, which is sent once and cached. */
  readonly wellFormedAnswer: (endpoint: WebhookEndpoint) => Promise<JsonPostResult>;
  /** The answers of all examined endpoints to well-formed requests. */
  readonly wellFormedAnswers: () => Promise<JsonPostResult[]>;
  /** The given endpoints that accept a well-formed request. Only these can be examined further. */
  readonly workingEndpoints: (endpoints?: readonly WebhookEndpoint[]) => Promise<WebhookEndpoint[]>;
  /** Closes the open handoffs. Resolves to the ids of handoffs that could not be closed. */
  readonly closeOpenHandoffs: () => Promise<string[]>;
}

const ALL: readonly WebhookEndpoint[] = ['message', ...HANDOFF_ENDPOINTS];

export function createDoctorClient(target: ReceiverTarget, options: DoctorOptions = {}): DoctorClient {
  const { timeoutMs = 10_000, slowAfterMs = 5_000, oversizeBytes = 8 * 1024 * 1024 } = options;
  const groups = options.groups ?? ['message', 'handoff'];
  const run = randomBytes(4).toString('hex');
  const open = new Set<string>();
  const answers = new Map<WebhookEndpoint, Promise<JsonPostResult>>();
  // A new connection per request, so that an invalid request cannot break the next.
  const httpAgents = { http: new HttpAgent(), https: new HttpsAgent() };
  let requests = 0;
  let ids = 0;
  let lastTime = 0;
  let chatHandoff: Promise<string> | undefined;

  const newId = (): string => `doctor-${run}-${++ids}`;
  /** Strictly increasing: two events with equal times would look like a repeat. */
  const now = (): number => {
    lastTime = Math.max(lastTime + 1, Date.now());
    return lastTime;
  };

  const send: DoctorClient['send'] = async (
    endpoint,
    body,
    { payload, headers, type, ...overrides } = {},
  ) => {
    requests += 1;
    const answer = await postJson({
      url: endpointUrl(target, endpoint),
      headers: { ...(headers ?? endpointHeaders(target, endpoint)), ...(type && { 'content-type': type }) },
      payload: payload ?? JSON.stringify(body),
      timeoutMs,
      httpAgents,
      ...overrides,
    });
    if (answer.status === 200 && body.istest !== true) trackHandoff(endpoint, body.conversation_id);
    return answer;
  };
  const trackHandoff = (endpoint: WebhookEndpoint, id: unknown): void => {
    if (typeof id !== 'string') return;
    if (endpoint === 'establish') open.add(id);
    if (endpoint === 'close') open.delete(id);
  };

  const establish = async (): Promise<string> => {
    const id = newId();
    await send('establish', wellFormedBody('establish', id, now()));
    return id;
  };
  /** Agents see every handoff, so the client opens few: chats share one, closes reuse others. */
  const conversationFor = async (endpoint: WebhookEndpoint): Promise<string> => {
    if (endpoint === 'message' || endpoint === 'establish') return newId();
    chatHandoff ??= establish();
    const chat = await chatHandoff;
    if (endpoint === 'chat') return chat;
    return [...open].find((id) => id !== chat) ?? establish();
  };
  const createBody: DoctorClient['createBody'] = async (endpoint) =>
    wellFormedBody(endpoint, await conversationFor(endpoint), now());

  const wellFormedAnswer: DoctorClient['wellFormedAnswer'] = (endpoint) => {
    const known = answers.get(endpoint) ?? createBody(endpoint).then((first) => send(endpoint, first));
    answers.set(endpoint, known);
    return known;
  };

  const examined = (endpoints: readonly WebhookEndpoint[]): WebhookEndpoint[] =>
    endpoints.filter((endpoint) => groups.includes(groupOf(endpoint)));

  return {
    target,
    timeoutMs,
    slowAfterMs,
    oversizeBytes,
    requestCount: () => requests,
    countRequest: () => {
      requests += 1;
    },
    newId,
    createBody,
    send,
    sendText: (endpoint, payload, type) => send(endpoint, {}, { payload, ...(type && { type }) }),
    wellFormedAnswer,
    async wellFormedAnswers() {
      const found: JsonPostResult[] = [];
      for (const endpoint of examined(ALL)) found.push(await wellFormedAnswer(endpoint));
      return found;
    },
    async workingEndpoints(endpoints = ALL) {
      const found: WebhookEndpoint[] = [];
      for (const endpoint of examined(endpoints)) {
        if (statusProblem(await wellFormedAnswer(endpoint)) === null) found.push(endpoint);
      }
      return found;
    },
    async closeOpenHandoffs() {
      for (const id of open) await send('close', wellFormedBody('close', id, now()));
      return [...open];
    },
  };
}

/** Calls an endpoint with a method that the platform never uses. */
export async function sendByMethod(
  { target, timeoutMs, countRequest }: DoctorClient,
  method: 'GET' | 'PUT',
  endpoint: WebhookEndpoint,
  body: WireBody | null,
): Promise<JsonPostResult> {
  countRequest();
  const startedAt = Date.now();
  const latencyMs = () => Date.now() - startedAt;
  try {
    const response = await fetch(endpointUrl(target, endpoint), {
      method,
      headers: { ...endpointHeaders(target, endpoint), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text, latencyMs: latencyMs(), error: null };
  } catch {
    return { status: null, headers: {}, text: '', latencyMs: latencyMs(), error: `no answer to ${method}` };
  }
}
