import { SERVICE_CODES } from '../protocol/index.js';
import {
  type HandoffConversation,
  type RecordedExchange,
  type Simulator,
  SimulatorError,
} from '../simulator/index.js';
import { TestBenchError, type TestBenchErrorCode } from './test-bench.js';

/** Exchanges that an error shows. */
const EXCHANGES_SHOWN = 12;

/** Makes an error that shows how things stand. */
export type CreateBenchError = (
  code: TestBenchErrorCode,
  problem: string,
  conversation: HandoffConversation | null,
  cause?: unknown,
) => TestBenchError;

/** Makes the maker of errors; `hide` takes secrets out of a text. */
export function createBenchErrorFactory(
  simulator: Simulator,
  hide: (text: string) => string,
): CreateBenchError {
  return (code, problem, conversation, cause) => {
    const exchanges = simulator.traffic.exchanges();
    const faults = Object.keys(simulator.faults.active());
    const shown = exchanges.slice(-EXCHANGES_SHOWN);
    const earlier = exchanges.length - shown.length;
    const lines = [
      problem,
      '',
      ...(conversation ? [stateOf(conversation), ''] : []),
      `What passed (→ to the receiver, ← to the service)${earlier > 0 ? `, after ${earlier} more` : ''}:`,
      ...(shown.length > 0 ? exchangeLines(shown, hide) : ['nothing']),
      '',
      'Look at:',
      ...adviceFor({ conversation, exchanges, faults }).map((advice) => `- ${advice}`),
    ];
    return new TestBenchError(code, lines.join('\n'), cause === undefined ? undefined : { cause });
  };
}

const MEANINGS: Readonly<Record<HandoffConversation['state'], string>> = {
  requesting: 'establish is on its way',
  connecting: 'establish was answered 200, the first reply has not come',
  connected: 'a human has replied',
  busy: 'establish was not answered 200, so the handoff never began',
  closed: 'it is over',
};

function stateOf({ id, state, endedBy, replies }: HandoffConversation): string {
  const meaning = endedBy
    ? `ended by ${endedBy === 'timeout' ? 'a timeout' : `the ${endedBy}`}`
    : MEANINGS[state];
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  return `Conversation ${id} is ${state}: ${meaning}. ${count} so far.`;
}

/** What a conversation of the bench needs besides the simulator's. */
export interface ConversationParts {
  readonly complain: CreateBenchError;
  /** How long to wait for a reply unless a call says otherwise. */
  readonly replyTimeoutMs: number;
}

/** The simulator's conversation, with errors that show what passed. */
export function withFailureReports(
  handle: HandoffConversation,
  { complain, replyTimeoutMs }: ConversationParts,
): HandoffConversation {
  const whileItLasts = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SimulatorError) || error.code !== 'CONVERSATION_OVER') throw error;
      throw complain('CONVERSATION_OVER', 'the user has nobody to talk to any more.', handle, error);
    }
  };

  const conversation: HandoffConversation = {
    ...handle,
    say: (text) => whileItLasts(() => handle.say(text)),
    closeByUser: () => whileItLasts(() => handle.closeByUser()),
    async nextReply({ timeoutMs = replyTimeoutMs } = {}) {
      try {
        return await handle.nextReply({ timeoutMs });
      } catch (error) {
        const over = handle.state === 'closed' || handle.state === 'busy';
        const problem = over ? 'no further reply can come.' : `no reply came within ${timeoutMs} ms.`;
        throw complain('NO_REPLY', problem, handle, error);
      }
    },
  };
  return Object.defineProperties(conversation, {
    state: { enumerable: true, get: () => handle.state },
    endedBy: { enumerable: true, get: () => handle.endedBy },
  });
}

/** Characters of an answer that a line shows. */
const ANSWER_SHOWN = 72;

/** How the simulator marks a part of a URL that it keeps to itself. */
const MASKED_SEGMENT = /[^/?\s]*\*{4}/g;

interface Row {
  readonly request: string;
  readonly status: string;
  readonly answer: string;
  readonly time: string;
}

/**
 * One line an exchange, in columns. What was said is left out: only answers are shown, and of those the
 * beginning.
 *
 * @example exchangeLines(simulator.traffic.exchanges())
 * // → POST /webhook/…/chat            200  {"code":200,"message":"success"}  12 ms
 * // ← POST /v1/human/message/receive  200  {"code":200,"message":"success"}   1 ms
 */
export function exchangeLines(
  exchanges: readonly RecordedExchange[],
  hide = (text: string) => text,
): string[] {
  const rows = exchanges.map((exchange) => toRow(exchange, hide));
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

function toRow(exchange: RecordedExchange, hide: (text: string) => string): Row {
  const arrow = exchange.direction === 'sent' ? '→' : '←';
  const path = hide(pathOf(exchange.url)).replace(MASKED_SEGMENT, '…');
  const faults = exchange.faults.length > 0 ? ` (fault: ${exchange.faults.join(', ')})` : '';
  return {
    request: `${arrow} ${exchange.method} ${path}${faults}`,
    status: exchange.answer ? String(exchange.answer.status) : '---',
    answer: shorten(hide(exchange.answer?.body ?? exchange.error ?? 'no answer yet')),
    time: exchange.answer ? `${exchange.answer.latencyMs} ms` : '',
  };
}

/** The origin says nothing: both sides are on this machine, on ports that change with every run. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '') || '/';
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= ANSWER_SHOWN ? line : `${line.slice(0, ANSWER_SHOWN - 1)}…`;
}

/** What a piece of advice is drawn from. */
export interface Situation {
  readonly conversation: HandoffConversation | null;
  readonly exchanges: readonly RecordedExchange[];
  /** The names of the faults that are on. */
  readonly faults: readonly string[];
}

const TO_THE_RECEIVER: Readonly<Record<number, string>> = {
  400: 'the receiver does not take the body: its answer names the fields.',
  401: 'the receiver does not take the credentials: hand it the options that the bench gives, or tell the bench the username, secret and token that it expects.',
  404: 'the receiver has nothing at that path: tell the bench its path, and its token if it has one.',
  500: "a handler threw: register receiver.onError, or look at the receiver's log.",
  503: 'the receiver takes nothing at the moment: look at its admit gate, and at whether it was closed.',
};

const TO_THE_SERVICE: Readonly<Record<number, string>> = {
  [SERVICE_CODES.PARAMETER_ERROR]: 'the receiver called the service with a wrong body: the answer names it.',
  [SERVICE_CODES.AUTHENTICATION_FAILED]:
    'the receiver called with a key that the service does not know: give it the baseUrl and apiKey of bench.service.',
  [SERVICE_CODES.CONVERSATION_NOT_FOUND]:
    'the receiver replied to a conversation that is over or never was: pass on the conversation_id as it came.',
};

/** What to look at next, most telling first. */
export function adviceFor({ conversation, exchanges, faults }: Situation): string[] {
  const advice = [
    onFaults(faults),
    onDeliveries(exchanges),
    onCalls(exchanges),
    onState(conversation),
  ].filter((text) => text !== null);
  return advice.length > 0 ? advice : [onSilence(exchanges)];
}

function onFaults(faults: readonly string[]): string | null {
  if (faults.length === 0) return null;
  const held = faults.includes('delay') || faults.includes('reorder');
  const wait = held ? ' What is held back waits for bench.clock.advance().' : '';
  return `faults are on: ${faults.join(', ')}. bench.faults.clear() ends them.${wait}`;
}

/** The last of the handoff's own deliveries counts: an earlier failure was overcome. */
function onDeliveries(exchanges: readonly RecordedExchange[]): string | null {
  const last = exchanges.findLast(isOfHandoff);
  if (!last || last.answer?.status === 200) return null;
  if (!last.answer)
    return `the receiver has not answered ${last.what}: ${last.error ?? 'its handlers may still run'}.`;
  const { status } = last.answer;
  return TO_THE_RECEIVER[status] ?? `the receiver answered ${last.what} with ${status}, and only 200 counts.`;
}

function onCalls(exchanges: readonly RecordedExchange[]): string | null {
  const last = exchanges.findLast(({ direction }) => direction === 'received');
  if (!last || last.answer?.status === 200) return null;
  const code = Number(/"code":(\d+)/.exec(last.answer?.body ?? '')?.[1]);
  return TO_THE_SERVICE[code] ?? `the service did not take the last ${last.what}: see its answer above.`;
}

function onState(conversation: HandoffConversation | null): string | null {
  if (conversation?.endedBy === 'timeout')
    return 'the wait timeout passed without a reply: set a greeting, or reply before the clock is advanced.';
  if (conversation?.endedBy)
    return `the ${conversation.endedBy} ended it: ask again with bench.requestHandoff().`;
  return null;
}

function onSilence(exchanges: readonly RecordedExchange[]): string {
  if (exchanges.length === 0) return 'nothing was sent yet: begin with await bench.requestHandoff().';
  const sinceLast = exchanges.slice(exchanges.findLastIndex(isOfHandoff));
  if (sinceLast.some(({ direction }) => direction === 'received'))
    return 'each reply is returned once: those that came before are in bench.replies.';
  return 'the receiver took the last delivery and has called nothing since: does its handler reply(), and to bench.service?';
}

function isOfHandoff({ direction, what }: RecordedExchange): boolean {
  return direction === 'sent' && (what === 'establish' || what === 'chat' || what === 'close');
}
