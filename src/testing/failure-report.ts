import { PLATFORM_CODES } from '../protocol/index.js';
import {
  type HandoffConversation,
  type RecordedExchange,
  type Simulator,
  SimulatorError,
} from '../simulator/index.js';
import { TestBenchError, type TestBenchErrorCode } from './test-bench.js';

const MAX_EXCHANGES = 12;

/** Creates an error with the state of the conversation, the requests so far and advice. */
type CreateBenchError = (
  code: TestBenchErrorCode,
  problem: string,
  conversation: HandoffConversation | null,
  cause?: unknown,
) => TestBenchError;

/** `redact` removes secrets from a text; `logged` returns log lines. */
export function createBenchErrorFactory(
  simulator: Simulator,
  redact: (text: string) => string,
  logged: () => readonly string[],
): CreateBenchError {
  return (code, problem, conversation, cause) => {
    const exchanges = simulator.traffic.exchanges();
    const faults = Object.keys(simulator.faults.active());
    const shown = exchanges.slice(-MAX_EXCHANGES);
    const earlier = exchanges.length - shown.length;
    const lines = [
      problem,
      '',
      ...(conversation ? [describeState(conversation), ''] : []),
      `Requests so far (→ to the receiver, ← to the platform)${earlier > 0 ? `, without the first ${earlier}` : ''}:`,
      ...(shown.length > 0 ? exchangeLines(shown, redact) : ['none']),
      '',
      'What to check:',
      ...adviceFor({ conversation, exchanges, faults }).map((advice) => `- ${advice}`),
      ...(logged().length > 0 ? ['', "The receiver's log:", ...logged().map(redact)] : []),
    ];
    return new TestBenchError(code, lines.join('\n'), cause === undefined ? undefined : { cause });
  };
}

const MEANINGS: Readonly<Record<HandoffConversation['state'], string>> = {
  requesting: 'establish is not answered yet',
  connecting: 'establish was answered 200, the first reply is pending',
  connected: 'an agent has replied',
  busy: 'establish was not answered 200, so the handoff never started',
  closed: 'it has ended',
};

function describeState({ id, state, endedBy, replies }: HandoffConversation): string {
  const meaning = endedBy
    ? `ended by ${endedBy === 'timeout' ? 'a timeout' : `the ${endedBy}`}`
    : MEANINGS[state];
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  return `Conversation ${id} is ${state}: ${meaning}. ${count} so far.`;
}

interface FailureReportOptions {
  readonly createError: CreateBenchError;
  /** The default timeout of `nextReply`. */
  readonly replyTimeoutMs: number;
}

/** Wraps a simulator conversation so that its errors include a failure report. */
export function withFailureReports(
  handle: HandoffConversation,
  { createError, replyTimeoutMs }: FailureReportOptions,
): HandoffConversation {
  const whileOpen = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SimulatorError) || error.code !== 'CONVERSATION_OVER') throw error;
      throw createError('CONVERSATION_OVER', 'the conversation has ended.', handle, error);
    }
  };

  const conversation: HandoffConversation = {
    ...handle,
    say: (text) => whileOpen(() => handle.say(text)),
    closeByUser: () => whileOpen(() => handle.closeByUser()),
    async nextReply({ timeoutMs = replyTimeoutMs } = {}) {
      try {
        return await handle.nextReply({ timeoutMs });
      } catch (error) {
        const ended = handle.state === 'closed' || handle.state === 'busy';
        const problem = ended ? 'no further reply can arrive.' : `no reply arrived within ${timeoutMs} ms.`;
        throw createError('NO_REPLY', problem, handle, error);
      }
    },
  };
  return Object.defineProperties(conversation, {
    state: { enumerable: true, get: () => handle.state },
    endedBy: { enumerable: true, get: () => handle.endedBy },
  });
}

const MAX_ANSWER_CHARS = 72;

/** A part of a URL that the simulator has masked. */
const MASKED_SEGMENT = /[^/?\s]*\*{4}/g;

interface Row {
  readonly request: string;
  readonly status: string;
  readonly answer: string;
  readonly time: string;
}

/**
 * One line per exchange, in columns. Request bodies are omitted, because they contain users' messages; answers are cut.
 *
 * ```
 * → POST /webhook/…/chat            200  {"code":200,"message":"success"}  12 ms
 * ← POST /v1/human/message/receive  200  {"code":200,"message":"success"}   1 ms
 * ```
 */
function exchangeLines(exchanges: readonly RecordedExchange[], redact = (text: string) => text): string[] {
  const rows = exchanges.map((exchange) => toRow(exchange, redact));
  const widest = (column: keyof Row) => Math.max(0, ...rows.map((row) => row[column].length));
  const width = { request: widest('request'), answer: widest('answer'), time: widest('time') };
  return rows.map(({ request, status, answer, time }) =>
    [
      request.padEnd(width.request),
      status.padEnd(3),
      answer.padEnd(width.answer),
      time.padStart(width.time),
    ].join('  '),
  );
}

function toRow(exchange: RecordedExchange, redact: (text: string) => string): Row {
  const arrow = exchange.direction === 'sent' ? '→' : '←';
  const path = redact(pathOf(exchange.url)).replace(MASKED_SEGMENT, '…');
  const faults = exchange.faults.length > 0 ? ` (fault: ${exchange.faults.join(', ')})` : '';
  return {
    request: `${arrow} ${exchange.method} ${path}${faults}`,
    status: exchange.answer ? String(exchange.answer.status) : '---',
    answer: shorten(redact(exchange.answer?.body ?? exchange.error ?? 'no answer yet')),
    time: exchange.answer ? `${exchange.answer.latencyMs} ms` : '',
  };
}

/** Without the origin, because the ports change with every run. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '') || '/';
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_ANSWER_CHARS ? line : `${line.slice(0, MAX_ANSWER_CHARS - 1)}…`;
}

interface FailureSituation {
  readonly conversation: HandoffConversation | null;
  readonly exchanges: readonly RecordedExchange[];
  /** The names of the active faults. */
  readonly faults: readonly string[];
}

const ADVICE_BY_RECEIVER_STATUS: Readonly<Record<number, string>> = {
  400: 'the receiver refused the body: its answer names the fields.',
  401: "the receiver refused the credentials: create it with the bench's options, or pass its username, secret and token to the bench.",
  404: 'the receiver has no endpoint at that path: pass its path, and its token if it has one, to the bench.',
  500: "a handler threw: register receiver.onError, or read the receiver's log.",
  503: "the receiver refuses deliveries: check its admit gate, its handler for 'handoff.requested', and whether it was closed.",
};

const ADVICE_BY_PLATFORM_CODE: Readonly<Record<number, string>> = {
  [PLATFORM_CODES.PARAMETER_ERROR]:
    'the receiver called the platform with an invalid body: the answer names the field.',
  [PLATFORM_CODES.AUTHENTICATION_FAILED]:
    'the receiver called the platform with an unknown API key: create it with the baseUrl and apiKey of bench.platform.',
  [PLATFORM_CODES.CONVERSATION_NOT_FOUND]:
    'the receiver replied to a conversation that has ended or never existed: use the conversation_id of the request.',
};

/** Advice, the most likely cause first. */
function adviceFor({ conversation, exchanges, faults }: FailureSituation): string[] {
  const advice = [
    faultAdvice(faults),
    deliveryAdvice(exchanges),
    callAdvice(exchanges),
    stateAdvice(conversation),
  ].filter((text) => text !== null);
  return advice.length > 0 ? advice : [silenceAdvice(exchanges)];
}

function faultAdvice(faults: readonly string[]): string | null {
  if (faults.length === 0) return null;
  const isHolding = faults.includes('delay') || faults.includes('reorder');
  const wait = isHolding ? ' Held deliveries wait for bench.clock.advance().' : '';
  return `active faults: ${faults.join(', ')}. bench.faults.clear() switches them off.${wait}`;
}

/** Only the last delivery of a handoff counts: earlier failures were followed by a success. */
function deliveryAdvice(exchanges: readonly RecordedExchange[]): string | null {
  const last = exchanges.findLast(isHandoffDelivery);
  if (!last || last.answer?.status === 200) return null;
  if (!last.answer)
    return `the receiver has not answered ${last.what}: ${last.error ?? 'its handlers may still be running'}.`;
  const { status } = last.answer;
  return (
    ADVICE_BY_RECEIVER_STATUS[status] ??
    `the receiver answered ${last.what} with ${status}, and only 200 means accepted.`
  );
}

function callAdvice(exchanges: readonly RecordedExchange[]): string | null {
  const last = exchanges.findLast(({ direction }) => direction === 'received');
  if (!last || last.answer?.status === 200) return null;
  const code = Number(/"code":(\d+)/.exec(last.answer?.body ?? '')?.[1]);
  return ADVICE_BY_PLATFORM_CODE[code] ?? `the platform refused the last ${last.what}: see its answer above.`;
}

function stateAdvice(conversation: HandoffConversation | null): string | null {
  if (conversation?.endedBy === 'timeout')
    return 'the wait timeout passed without a reply: set a greeting, or reply before you advance the clock.';
  if (conversation?.endedBy)
    return `the ${conversation.endedBy} closed the conversation: request another with bench.requestHandoff().`;
  return null;
}

function silenceAdvice(exchanges: readonly RecordedExchange[]): string {
  if (exchanges.length === 0) return 'no requests were sent: start with await bench.requestHandoff().';
  const sinceLast = exchanges.slice(exchanges.findLastIndex(isHandoffDelivery));
  if (sinceLast.some(({ direction }) => direction === 'received'))
    return 'nextReply returns each reply once: earlier replies are in bench.replies.';
  return 'the receiver accepted the last delivery but has not called the platform since: does its handler call reply(), and does it use bench.platform?';
}

function isHandoffDelivery({ direction, what }: RecordedExchange): boolean {
  return direction === 'sent' && (what === 'establish' || what === 'chat' || what === 'close');
}
