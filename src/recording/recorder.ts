import { checkOptionNames, configError } from '../internal/index.js';
import { RECORDING_VERSION, type RecordedLine } from './format.js';
import { openLineFile } from './line-file.js';
import { createMasker, RECORDED_WORDS } from './masking.js';
import { createSecrets, type ExchangeSecrets } from './secrets.js';

/** Where and how exchanges with the platform are recorded. */
export interface RecordOptions {
  /** The file, readable by its owner alone. A file that exists is continued. One process writes to a file. */
  readonly to: string;
  /**
   * Keeps the words of users, agents and bots. Credentials and ids are replaced all the same. Default: every word is
   * replaced by text of the same length and script.
   */
  readonly keepContent?: boolean;
}

/** Bodies are bytes, text or parsed; `null` for none, `undefined` for one that could not be read. */
export interface ExchangeResult {
  readonly body: unknown;
  readonly status: number | null;
  readonly answer: unknown;
  /** Headers of the answer, whose cookies are secrets. */
  readonly answerHeaders?: ExchangeSecrets['headers'];
}

export interface StartedExchange extends ExchangeSecrets {
  readonly to: RecordedLine['to'];
  readonly endpoint: string;
}

/** Writes exchanges to a file. It never throws, and never delays what it records. */
export interface Recorder {
  /** Remembers credentials that must not be written. */
  hide(secrets: readonly string[]): void;
  /** A request begins. Returns a function that takes its end; without a call nothing is written. */
  begin(exchange: StartedExchange): (result: ExchangeResult | Promise<ExchangeResult>) => void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Larger bodies are left out. */
const MAX_CHARACTERS = 1024 * 1024;

/** The recording ends with so many ids, since each is remembered. */
const MAX_IDS = 200_000;

/**
 * Opens the file. Throws if that fails.
 *
 * @param onStopped - called once if the recording ends early, with the reason
 */
export function createRecorder(options: RecordOptions, onStopped: (message: string) => void): Recorder {
  checkOptionNames('record', options, ['to', 'keepContent']);
  const { to: path, keepContent = false } = options;
  if (typeof path !== 'string' || path === '') throw configError('record.to must be the path of a file.');
  let hasStopped = false;
  let isClosed = false;
  const stop = (reason: string): void => {
    if (!hasStopped) onStopped(`the recording ended early (${reason}); everything else goes on without it`);
    hasStopped = true;
  };
  const file = open(path, stop);
  const secrets = createSecrets(RECORDED_WORDS);
  const masker = createMasker({ keepContent, secrets });
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  let count = 0;

  file.append(JSON.stringify({ recording: RECORDING_VERSION, content: keepContent ? 'kept' : 'masked' }));

  const write = (line: Pick<RecordedLine, 'n' | 'at' | 'to' | 'endpoint'>, result: ExchangeResult): void => {
    if (hasStopped || isClosed) return;
    const ms = Math.round(performance.now() - startedAt) - line.at;
    const { status } = result;
    file.append(JSON.stringify({ ...line, ms, status, ...contentOf(result) }));
    if (masker.idCount() > MAX_IDS) stop(`it has more than ${MAX_IDS} ids`);
  };

  const contentOf = ({ body, answer }: ExchangeResult): Partial<RecordedLine> => {
    try {
      return { body: masker.mask(readBody(body)), answer: masker.mask(readBody(answer)) };
    } catch {
      return { body: null, answer: null, withheld: true };
    }
  };

  return {
    hide: (values) => secrets.add(values),
    begin(exchange) {
      const { to, endpoint } = exchange;
      const line = { n: ++count, at: Math.round(performance.now() - startedAt), to, endpoint };
      secrets.begin(exchange);
      return (result) => {
        const end = Promise.resolve(result)
          .then((ended) => {
            secrets.begin({
              ...exchange,
              headers: { ...exchange.headers, ...prefixed(ended.answerHeaders) },
            });
            write(line, ended);
          })
          // A failing exchange is the business of its sender.
          .catch(() => undefined)
          .finally(() => pending.delete(end));
        pending.add(end);
      };
    },
    async close() {
      while (pending.size > 0) await Promise.all(pending);
      isClosed = true;
      // The last lines may still fail, which is reported as before.
      await file.close();
    },
  };
}

/** An answer may have a header of the same name as the request. */
const prefixed = (headers: ExchangeSecrets['headers'] = {}): ExchangeSecrets['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [/cookie/i.test(name) ? name : `answer-${name}`, value]),
  );

function open(path: string, stop: (reason: string) => void): ReturnType<typeof openLineFile> {
  try {
    return openLineFile(path, stop);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw configError(`record.to cannot be written (${code}). Check that its folder exists and is writable.`);
  }
}

/** Integers that a JavaScript number cannot hold stay apart as strings. */
const STRING_OR_LARGE = /("(?:[^"\\]|\\.)*")|(?<![\d.eE+-])-?\d{16,}(?=\s*[,}\]])/g;

function readBody(body: unknown): unknown {
  if (body === undefined) throw new RangeError('not readable');
  if (body === null) return null;
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  if (!isText) return body;
  if (body.length > MAX_CHARACTERS) throw new RangeError('too large');
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  try {
    return JSON.parse(text.replace(STRING_OR_LARGE, (token, quoted) => (quoted ? token : `"${token}"`)));
  } catch {
    return text;
  }
}
