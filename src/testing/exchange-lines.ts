import type { RecordedExchange } from '../simulator/index.js';

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
