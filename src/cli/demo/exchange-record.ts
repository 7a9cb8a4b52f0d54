import type { RecordedExchange } from '../../simulator/index.js';

/** A request and its answer, for programs. Secrets were masked by the simulator. */
export interface ExchangeRecord {
  readonly time: string;
  /** `sent` by the service to the receiver, or `received` by the service. */
  readonly direction: RecordedExchange['direction'];
  readonly event: string;
  /** What was said, or what else there is to say of it. */
  readonly about: string;
  readonly request: { readonly method: string; readonly url: string; readonly body: unknown };
  readonly answer: { readonly status: number; readonly body: unknown; readonly latencyMs: number } | null;
  readonly error: string | null;
  readonly faults: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Takes from an exchange what is told of it. */
export function recordOf(exchange: RecordedExchange): ExchangeRecord {
  const { at, direction, method, url, answer, error, faults } = exchange;
  const body = parsed(exchange.body ?? '');
  return {
    time: new Date(at).toISOString(),
    direction,
    event: eventOf(exchange),
    about: aboutOf(exchange, isFields(body) ? body : {}),
    request: { method, url, body },
    answer: answer && { status: answer.status, body: parsed(answer.body), latencyMs: answer.latencyMs },
    error,
    faults,
  };
}

function eventOf({ direction, what }: RecordedExchange): string {
  return what === 'close' && direction === 'received' ? 'human close' : what;
}

function aboutOf({ what, direction }: RecordedExchange, body: Fields): string {
  if (what === 'message') return messageText(body);
  if (what === 'chat' || what === 'reply') return textOf(body.body);
  if (what === 'establish') return earlier(Array.isArray(body.body) ? body.body.length : 0);
  if (what === 'close' && direction === 'sent') return textOf(body.type);
  return '';
}

const earlier = (count: number): string => `${count} earlier ${count === 1 ? 'message' : 'messages'}`;

function messageText({ output }: Fields): string {
  const items: unknown[] = Array.isArray(output) ? output : [];
  return items
    .map((item) => (isFields(item) && isFields(item.content) ? textOf(item.content.text) : ''))
    .join('');
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Long bodies are cut by the simulator and are no JSON any more: they stay text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
