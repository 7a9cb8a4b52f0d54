import { createColors } from 'picocolors';
import type { DestinationStream } from 'pino';

/** A line of pino, parsed. */
type LogRecord = Readonly<Record<string, unknown>>;

/** Fields of every line that are not shown as extra fields. */
const STANDARD_FIELDS = new Set(['level', 'time', 'msg', 'name', 'pid', 'hostname', 'err']);

/**
 * Creates a pino destination that writes readable text. pino has applied redaction before it. Without `colours` they
 * are used if the terminal has them.
 */
export function createReadableLog(write: (line: string) => unknown, colours?: boolean): DestinationStream {
  const { dim, yellow, red } = createColors(colours);

  const levelOf = (level: unknown): string => {
    if (typeof level !== 'number' || level < 40) return 'note';
    return level < 50 ? yellow('warning') : red('error');
  };

  return {
    write(line) {
      const record: LogRecord = JSON.parse(line);
      const clock = new Date(Number(record.time)).toTimeString().slice(0, 8);
      const fields = Object.entries(record)
        .filter(([name]) => !STANDARD_FIELDS.has(name))
        .map(([name, value]) => `${name}=${plain(value)}`);
      const head = `${dim(clock)}  ${levelOf(record.level)}: ${plain(record.msg ?? '')}`;
      const more = fields.length > 0 ? [dim(fields.join('  '))] : [];
      write(`${[head, ...errorLines(record.err), ...more].join('\n          ')}\n`);
    },
  };
}

const plain = (value: unknown): string =>
  printable(typeof value === 'string' ? value : JSON.stringify(value));

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const text = 'stack' in err ? err.stack : 'message' in err ? err.message : '';
  return String(text)
    .split('\n')
    .map((line) => printable(line.trim()));
}

/** Control characters, line ends and bidirectional marks: all could forge or hide a line on a terminal. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes text from outside safe to print on a terminal: control characters become escapes. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === '\n') return '\\n';
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
