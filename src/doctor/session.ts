import { randomBytes } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { WebhookEndpoint } from '../protocol/index.js';
import { type PostRequest, type PostResult, postJson } from '../simulator/sending/index.js';
import { type WireBody, wellFormed } from './deliveries.js';
import { judgeStatus } from './judge-answer.js';
import { type Group, groupOf, HANDOFF_ENDPOINTS, headersOf, type Target, urlOf } from './target.js';

/** How a receiver is examined. */
export interface ExamineOptions {
  /** Which endpoints. Default: all. */
  readonly groups?: readonly Group[] | undefined;
  /** How long an answer may take before it counts as none. Default 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /** How long an answer takes at most in good time. Default 5 seconds. */
  readonly goodTimeMs?: number | undefined;
  /** The size of a body that nobody should read. Default 8 MiB. */
  readonly oversizeBytes?: number | undefined;
}

/** What is different from a well-formed delivery. */
export type Deviation = Partial<Pick<PostRequest, 'url' | 'headers' | 'breakAt'>> & {
  /** The body as text, in place of the body as an object. */
  readonly payload?: string;
  /** The content type. */
  readonly type?: string;
};

/** One examination of one receiver: sends, and keeps track of the handoffs it opened. */
export interface Session {
  readonly target: Target;
  /** See {@link ExamineOptions}. */
  readonly timeoutMs: number;
  /** See {@link ExamineOptions}. */
  readonly goodTimeMs: number;
  /** See {@link ExamineOptions}. */
  readonly oversizeBytes: number;
  /** How many requests were sent. */
  readonly requests: () => number;
  /** A conversation's id that tells where it comes from. */
  readonly newId: () => string;
  /** A well-formed body, in a handoff that was opened where the endpoint needs one. */
  readonly body: (endpoint: WebhookEndpoint) => Promise<WireBody>;
  /** Sends a body to an endpoint, with the right credentials unless told otherwise. */
  readonly send: (endpoint: WebhookEndpoint, body: WireBody, deviation?: Deviation) => Promise<PostResult>;
  /** Sends text that is no delivery to an endpoint, with the right credentials. */
  readonly garbage: (endpoint: WebhookEndpoint, payload: string, type?: string) => Promise<PostResult>;
  /** Counts a request that was sent otherwise. */
  readonly count: () => void;
  /** The answer to a well-formed delivery; sent once, and remembered. */
  readonly baseline: (endpoint: WebhookEndpoint) => Promise<PostResult>;
  /** The endpoints, among those given, that take a well-formed delivery: only these can be examined further. */
  readonly working: (endpoints?: readonly WebhookEndpoint[]) => Promise<WebhookEndpoint[]>;
  /** Closes the handoffs that are open still. Resolves to the ids of those that could not be closed. */
  readonly tidyUp: () => Promise<string[]>;
}

const ALL: readonly WebhookEndpoint[] = ['message', ...HANDOFF_ENDPOINTS];

/** Starts an examination. */
export function createSession(target: Target, options: ExamineOptions = {}): Session {
  const { timeoutMs = 10_000, goodTimeMs = 5_000, oversizeBytes = 8 * 1024 * 1024 } = options;
  const groups = options.groups ?? ['message', 'handoff'];
  const run = randomBytes(4).toString('hex');
  const open = new Set<string>();
  const baselines = new Map<WebhookEndpoint, Promise<PostResult>>();
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

  const send: Session['send'] = async (endpoint, body, { payload, headers, type, ...deviation } = {}) => {
    requests += 1;
    const answer = await postJson({
      url: urlOf(target, endpoint),
      headers: { ...(headers ?? headersOf(target, endpoint)), ...(type && { 'content-type': type }) },
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
    await send('establish', wellFormed('establish', id, now()));
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
  const body: Session['body'] = async (endpoint) =>
    wellFormed(endpoint, await conversationFor(endpoint), now());

  const baseline: Session['baseline'] = (endpoint) => {
    const known = baselines.get(endpoint) ?? body(endpoint).then((first) => send(endpoint, first));
    baselines.set(endpoint, known);
    return known;
  };

  return {
    target,
    timeoutMs,
    goodTimeMs,
    oversizeBytes,
    requests: () => requests,
    count: () => {
      requests += 1;
    },
    newId,
    body,
    send,
    garbage: (endpoint, payload, type) => send(endpoint, {}, { payload, ...(type && { type }) }),
    baseline,
    async working(endpoints = ALL) {
      const asked = endpoints.filter((endpoint) => groups.includes(groupOf(endpoint)));
      const found: WebhookEndpoint[] = [];
      for (const endpoint of asked) {
        if (judgeStatus(await baseline(endpoint)) === null) found.push(endpoint);
      }
      return found;
    },
    async tidyUp() {
      for (const id of open) await send('close', wellFormed('close', id, now()));
      return [...open];
    },
  };
}
