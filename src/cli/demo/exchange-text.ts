import { createColors } from 'picocolors';
import { printable } from '../../standalone/index.js';
import type { ExchangeRecord } from './exchange-record.js';

/** Characters of a body that a line shows. */
const BODY_SHOWN = 84;
/** Characters of what was said that a line shows. */
const WORDS_SHOWN = 160;

/** How the simulator marks a part of a URL that it keeps to itself. */
const MASKED_SEGMENT = /[^/?\s]*\*{4}/g;

/** Writes exchanges for people. */
export interface ExchangeText {
  /** One line for what happened, and below it the request and the answer. */
  event(record: ExchangeRecord): string;
  /** The request and its status in one line. */
  short(record: ExchangeRecord): string;
}

/** Makes the writer. */
export function createExchangeText(colours: boolean): ExchangeText {
  const { bold, cyan, dim, green, red, yellow } = createColors(colours);

  const statusOf = ({ answer, error }: ExchangeRecord): string => {
    if (!answer) return red(`no answer: ${printable(error ?? 'it stopped before')}`);
    return (answer.status === 200 ? green : red)(String(answer.status));
  };
  const answerOf = (record: ExchangeRecord): string => {
    const { answer } = record;
    if (!answer) return statusOf(record);
    return `${statusOf(record)}  ${cut(answer.body, BODY_SHOWN)}  ${dim(`${answer.latencyMs} ms`)}`;
  };

  return {
    event(record) {
      const { time, direction, event, about, request, faults } = record;
      const struck = faults.length > 0 ? `  ${yellow(`fault: ${faults.join(', ')}`)}` : '';
      const said = about === '' ? '' : `  ${bold(cut(about, WORDS_SHOWN))}`;
      const clock = new Date(time).toTimeString().slice(0, 8);
      return [
        `${dim(clock)}  ${arrowOf(direction)} ${cyan(event.padEnd(11))}${said}${struck}`,
        `            ${requestOf(record)}  ${dim(cut(request.body, BODY_SHOWN))}`,
        `            ${answerOf(record)}`,
      ].join('\n');
    },
    short: (record) => `${arrowOf(record.direction)} ${requestOf(record).padEnd(44)}  ${answerOf(record)}`,
  };
}

const requestOf = ({ request }: ExchangeRecord): string => `${request.method} ${pathOf(request.url)}`;
const arrowOf = (direction: ExchangeRecord['direction']): string => (direction === 'sent' ? '→' : '←');

function pathOf(url: string): string {
  return printable(url.replace(/^https?:\/\/[^/]+/, '').replace(MASKED_SEGMENT, '…') || '/');
}

function cut(value: unknown, length: number): string {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
