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

/** How a receiver is examined. */
export interface DoctorOptions {
  /** Which endpoints. Default: all. */
  readonly groups?: readonly EndpointGroup[] | undefined;
  /** How long an answer may take before it counts as none. Default 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /** How long an answer takes at most in good time. Default 5 seconds. */
  readonly slowAfterMs?: number | undefined;
  /** The size of a body that nobody should read. Default 8 MiB. */
  readonly oversizeBytes?: number | undefined;
}

/** What is different from a well-formed delivery. */
export type RequestOverrides = Partial<Pick<JsonPostRequest, 'url' | 'headers' | 'breakAt'>> & {
  /** The body as text, in place of the body as an object. */
  readonly payload?: string;
  /** The content type. */
  readonly type?: string;
};

/** One examination of one receiver: sends, and keeps track of the handoffs it opened. */
export interface DoctorClient {
  readonly target: ReceiverTarget;
  /** See {@link DoctorOptions}. */
  readonly timeoutMs: number;
  /** See {@link DoctorOptions}. */
  readonly slowAfterMs: number;
  /** See {@link DoctorOptions}. */
  readonly oversizeBytes: number;
  /** How many requests were sent. */
  readonly requestCount: () => number;
  /** A conversation's id that tells where it comes from. */
  readonly newId: () => string;
  /** A well-formed body, in a handoff that was opened where the endpoint needs one. */
  readonly createBody: (endpoint: WebhookEndpoint) => Promise<WireBody>;
  /** Sends a body to an endpoint, with the right credentials unless told otherwise. */
  readonly send: (
    endpoint: WebhookEndpoint,
    body: WireBody,
    deviation?: RequestOverrides,
  ) => Promise<JsonPostResult>;
  /** Sends text that is no delivery to an endpoint, with the right credentials. */
  readonly sendText: (endpoint: WebhookEndpoint, payload: string, type?: string) => Promise<JsonPostResult>;
  /** Counts a request that was sent otherwise. */
  readonly countRequest: () => void;
  /** The answer to a well-formed delivery; sent once, and remembered. */
  readonly wellFormedAnswer: (endpoint: WebhookEndpoint) => Promise<JsonPostResult>;
  /** The endpoints, among those given, that take a well-formed delivery: only these can be examined further. */
  readonly workingEndpoints: (endpoints?: readonly WebhookEndpoint[]) => Promise<WebhookEndpoint[]>;
  /** Closes the handoffs that are open still. Resolves to the ids of those that could not be closed. */
  readonly closeOpenHandoffs: () => Promise<string[]>;
}

const ALL: readonly WebhookEndpoint[] = ['message', ...HANDOFF_ENDPOINTS];

/** Starts an examination. */
export function createDoctorClient(target: ReceiverTarget, options: DoctorOptions = {}): DoctorClient {
  const { timeoutMs = 10_000, slowAfterMs = 5_000, oversizeBytes = 8 * 1024 * 1024 } = options;
  const groups = options.groups ?? ['message', 'handoff'];
  const run = randomBytes(4).toString('hex');
  const open = new Set<string>();
  const baselines = new Map<WebhookEndpoint, Promise<JsonPostResult>>();
  // A connection each, so that one that was broken by garbage cannot spoil the next answer.
  const agents = { http: new HttpAgent(), https: new HttpsAgent() };
  let requests = 0;
  let ids = 0;
  let lastTime = 0;
  let chatting: Promise<string> | undefined;

  const newId = (): string => `doctor-${run}-${++ids}`;
  /** Never the same twice: two deliveries with one time could be one delivery repeated. */
  const now = (): number => {
    lastTime = Math.max(lastTime + 1, Date.now());
    return lastTime;
  };

  const send: DoctorClient['send'] = async (
    endpoint,
    body,
    { payload, headers, type, ...deviation } = {},
  ) => {
    requests += 1;
    const answer = await postJson({
      url: endpointUrl(target, endpoint),
      headers: { ...(headers ?? endpointHeaders(target, endpoint)), ...(type && { 'content-type': type }) },
      payload: payload ?? JSON.stringify(body),
      timeoutMs,
      agents,
      ...deviation,
    });
    if (answer.status === 200 && body.istest !== true) note(endpoint, body.conversation_id);
    return answer;
  };
  const note = (endpoint: WebhookEndpoint, id: unknown): void => {
    if (typeof id !== 'string') return;
    if (endpoint === 'establish') open.add(id);
    if (endpoint === 'close') open.delete(id);
  };

  const establish = async (): Promise<string> => {
    const id = newId();
    await send('establish', wellFormedBody('establish', id, now()));
    return id;
  };
  /** Every handoff is seen by somebody, so there are as few as possible: chats share one, closes reuse others. */
  const conversationFor = async (endpoint: WebhookEndpoint): Promise<string> => {
    if (endpoint === 'message' || endpoint === 'establish') return newId();
    chatting ??= establish();
    const chat = await chatting;
    if (endpoint === 'chat') return chat;
    return [...open].find((id) => id !== chat) ?? establish();
  };
  const body: DoctorClient['createBody'] = async (endpoint) =>
    wellFormedBody(endpoint, await conversationFor(endpoint), now());

  const baseline: DoctorClient['wellFormedAnswer'] = (endpoint) => {
    const known = baselines.get(endpoint) ?? body(endpoint).then((first) => send(endpoint, first));
    baselines.set(endpoint, known);
    return known;
  };

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
    createBody: body,
    send,
    sendText: (endpoint, payload, type) => send(endpoint, {}, { payload, ...(type && { type }) }),
    wellFormedAnswer: baseline,
    async workingEndpoints(endpoints = ALL) {
      const asked = endpoints.filter((endpoint) => groups.includes(groupOf(endpoint)));
      const found: WebhookEndpoint[] = [];
      for (const endpoint of asked) {
        if (statusProblem(await baseline(endpoint)) === null) found.push(endpoint);
      }
      return found;
    },
    async closeOpenHandoffs() {
      for (const id of open) await send('close', wellFormedBody('close', id, now()));
      return [...open];
    },
  };
}

/** Calls an endpoint by a method that the service never uses. */
export async function sendByMethod(
  { target, timeoutMs, countRequest }: DoctorClient,
  method: 'GET' | 'PUT',
  endpoint: WebhookEndpoint,
  body: WireBody | null,
): Promise<JsonPostResult> {
  countRequest();
  const began = Date.now();
  const latencyMs = () => Date.now() - began;
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
