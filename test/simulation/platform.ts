import type { IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULT_BOT } from '../../src/events/index.js';
import type { Fetch } from '../../src/internal/index.js';
import { DANGER } from './faults.js';
import type { RunningProcess } from './processes.js';
import type { Scheduler, SimulatedProcess } from './scheduler.js';
import { closeLabel, eventLabel, FIRST_EVENT_AT, requestIdOf, type Witness } from './witness.js';

/**
 * The platform: sends events to the processes, one after another in each conversation, and has the API that replies
 * go to. The network between loses, repeats and delays requests and answers.
 */
export interface Platform {
  /** Sends the events of a conversation. */
  converse(conversation: Conversation): void;
  /** `fetch` as a process has it for the platform of a bot. */
  fetchOf(process: SimulatedProcess, bot: string): Fetch;
  /** Whether no event waits to be sent. */
  isIdle(): boolean;
}

/** A conversation that the platform has with a user. */
export interface Conversation {
  /** Unique among all bots. */
  readonly id: string;
  /** The platform's id. */
  readonly platformId: string;
  readonly bot: string;
  /** `message`: the bot's messages. `handoff`: a request for a human, messages, and perhaps the user's close. */
  readonly kind: 'message' | 'handoff';
  readonly events: number;
  readonly isClosedByUser: boolean;
}

/** What the network and the platform do, as probabilities for each request. */
export interface NetworkFaults {
  /** A request or its answer gets lost on the way to a process. */
  readonly lost: number;
  /** A request comes twice. */
  readonly repeated: number;
  /** The platform's API fails, hangs or is unreachable. */
  readonly apiFails: number;
  /** The platform's API refuses a reply for good. */
  readonly apiRefuses: number;
  readonly slow: number;
  readonly slowMs: number;
}

/** Options of {@link createPlatform}. */
export interface PlatformOptions {
  readonly scheduler: Scheduler;
  readonly witness: Witness;
  readonly faults: () => NetworkFaults;
  /** The process that a load balancer chooses; `null` when none is up. */
  readonly choose: () => RunningProcess | null;
}

/** How long the platform waits for the answer to an event. */
const ANSWER_TIMEOUT_MS = 1_000;

/** How often the platform sends an event that was not answered with 200. */
const MAX_TRIES = 6;

const WAY_MS = 5;

/** Creates a {@link Platform}. */
export function createPlatform({ scheduler, witness, faults, choose }: PlatformOptions): Platform {
  const { random } = scheduler;
  let unsent = 0;

  const wayMs = (): number => {
    const { slow, slowMs } = faults();
    return random.chance(slow) ? random.between(WAY_MS, slowMs) : random.between(0.1, WAY_MS);
  };

  /** Sends one request to a process, and calls back once with the status, or 0 if the connection broke. */
  const post = (path: string, body: object, label: string, onAnswer: (status: number) => void): void => {
    const process = choose();
    let isAnswered = false;
    const answer = (status: number): void => {
      if (isAnswered) return;
      isAnswered = true;
      onAnswer(status);
    };
    scheduler.schedule(null, ANSWER_TIMEOUT_MS, '', () => answer(0));
    if (!process || random.chance(faults().lost)) return;
    const isAnswerLost = random.chance(faults().lost);
    scheduler.schedule(process, wayMs(), `receives ${label}`, () => {
      const response = createResponse((status) => {
        scheduler.trace(process.name, `answers ${status} to ${label}`);
        if (status === 200) witness.acknowledged(process, label);
        if (status !== 200 && status !== 503)
          witness.violation(`${process.name} answered ${status} to ${label}`);
        if (!isAnswerLost) scheduler.schedule(null, wayMs(), '', () => answer(status));
      });
      const request = createRequest(path, body, {
        authorization: `Bearer ${path.split('/')[1]}`,
        'x-request-id': requestIdOf(label),
      });
      process.program?.receive(request, response);
    });
  };

  const send = (path: string, body: object, label: string, onDone: (isAccepted: boolean) => void): void => {
    const attempt = (tries: number): void => {
      if (random.chance(faults().repeated))
        scheduler.schedule(null, random.between(1, 1_500), '', () =>
          post(path, body, label, () => undefined),
        );
      post(path, body, label, (status) => {
        if (status === 200 || tries >= MAX_TRIES) return onDone(status === 200);
        scheduler.schedule(null, random.between(50, 600), '', () => attempt(tries + 1));
      });
    };
    attempt(1);
  };

  const callApi = (
    body: ApiBody,
    isClose: boolean,
  ): { status: number; isApplied: boolean; fails?: string } => {
    const { apiFails, apiRefuses } = faults();
    if (!isClose && random.chance(apiRefuses)) {
      witness.replyRefused(body.body ?? '');
      return { status: 400, isApplied: false };
    }
    if (!random.chance(apiFails)) return { status: 200, isApplied: true };
    const isApplied = random.chance(0.5);
    return random.pick([
      { status: 503, isApplied: false },
      { status: 429, isApplied: false },
      { status: 500, isApplied },
      { status: 0, isApplied: false, fails: 'ECONNREFUSED' },
      { status: 0, isApplied, fails: 'ECONNRESET' },
      { status: 0, isApplied, fails: 'hangs' },
    ]);
  };

  const fetchOf =
    (process: SimulatedProcess, bot: string): Fetch =>
    (url, { body: text, signal }) =>
      new Promise((resolve, reject) => {
        const body = JSON.parse(text as string) as ApiBody;
        const isClose = url.endsWith('/close');
        const label = isClose ? closeLabel(conversationIdOf(bot, body.conversation_id)) : (body.body ?? '');
        const answered = witness.replySent(process, label);
        let isAborted = false;
        const { status, isApplied, fails } = callApi(body, isClose);
        const arrival = scheduler.schedule(null, wayMs(), '', () => {
          if (isApplied) witness.replyArrived(label);
          if (fails === 'hangs') return;
          scheduler.schedule(
            process,
            wayMs(),
            '',
            () => {
              scheduler.trace(process.name, `is answered ${fails ?? status} for ${label}`);
              if (fails) return reject(networkError(fails));
              answered(status === 200 && !isAborted);
              resolve(createAnswer(status));
            },
            DANGER / 2,
          );
        });
        signal?.addEventListener('abort', () => {
          isAborted = true;
          arrival.cancel();
          reject(signal.reason);
        });
      });

  return {
    fetchOf,
    isIdle: () => unsent === 0,
    converse({ id, platformId, bot, kind, events, isClosedByUser }) {
      unsent += 1;
      const next = (number: number): void => {
        const isClose = isClosedByUser && number === events;
        if (number > events || (number === events && !isClosedByUser)) {
          unsent -= 1;
          return;
        }
        const { path, body } =
          kind === 'message' ? messageOf(platformId, number) : handoffOf(platformId, number, isClose);
        send(`/${bot}${path}`, body, eventLabel(id, FIRST_EVENT_AT + number), (isAccepted) => {
          // Without a human there is nobody to talk to.
          if (!isAccepted && number === 0 && kind === 'handoff') unsent -= 1;
          else scheduler.schedule(null, random.between(1, 400), '', () => next(number + 1));
        });
      };
      scheduler.schedule(null, random.between(0, 800), '', () => next(0));
    },
  };
}

interface ApiBody {
  readonly conversation_id: string;
  readonly body?: string;
}

/** The id of a conversation, as a receiver with several bots has it. */
export const conversationIdOf = (bot: string, platformId: string): string =>
  bot === DEFAULT_BOT ? platformId : `${bot}/${platformId}`;

/** The same times and texts in every conversation: only its bot and its id tell them apart. */
const messageOf = (id: string, number: number) => ({
  path: '/',
  body: {
    conversation_id: id,
    message_id: `message-${number}`,
    create_time: FIRST_EVENT_AT + number,
    user_id: 'user',
    anonymous_id: 'anonymous',
    output: [{ content: { text: `text ${number}` } }],
  },
});

function handoffOf(id: string, number: number, isClose: boolean) {
  const common = { conversation_id: id, timestamp: FIRST_EVENT_AT + number };
  if (isClose) return { path: '/conversation/close', body: { ...common, type: 'USER_CLOSED' } };
  if (number > 0) return { path: '/chat', body: { ...common, body: `text ${number}` } };
  const body = [{ text: 'help', message_type: 'QUESTION' }];
  const user = { user_id: 'user', anonymous_id: 'anonymous', email: null, phone: null };
  return {
    path: '/conversation/establish',
    body: { ...common, email: null, bot_id: 'bot', body, user_info: user },
  };
}

/** A request whose body has arrived. */
export function createRequest(url: string, body: object, headers: object = {}): IncomingMessage {
  const rawBody = Buffer.from(JSON.stringify(body));
  const sent = { 'content-type': 'application/json', ...headers };
  const rawHeaders = Object.entries(sent).flat();
  const socket = { remoteAddress: '192.0.2.1' };
  const request = { method: 'POST', url, headers: sent, rawHeaders, rawBody, socket };
  return request as unknown as IncomingMessage;
}

/** A response that calls back with its status when it has been written. */
export function createResponse(onEnd: (status: number) => void): ServerResponse {
  let status = 0;
  const response = {
    headersSent: false,
    writeHead(given: number) {
      status = given;
      response.headersSent = true;
    },
    end: () => onEnd(status),
  };
  return response as unknown as ServerResponse;
}

/** An answer of the platform's API. */
function createAnswer(status: number): Response {
  const text = status === 200 ? '{"code":200,"message":"success"}' : '{"code":50000,"message":"failed"}';
  const answer = {
    status,
    headers: new Headers(status === 429 ? { 'retry-after': '1' } : {}),
    body: (async function* () {
      yield new TextEncoder().encode(text);
    })(),
  };
  return answer as unknown as Response;
}

const networkError = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
