/** An answer, read to its end or to the limit. */
export interface Answer {
  readonly kind: 'answered';
  readonly status: number;
  /** The `Retry-After` header, or `null`. */
  readonly retryAfter: string | null;
  /** The body as text; empty when it was too large. */
  readonly text: string;
  /** Whether the body went over the limit and was dropped. */
  readonly tooLarge: boolean;
}

/** Answers are short; a longer one is dropped before it can fill the memory. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Reads an answer as text, up to the limit. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await readText(response);
  return {
    kind: 'answered',
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: text ?? '',
    tooLarge: text === null,
  };
}

async function readText(response: Response): Promise<string | null> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What a body says: its JSON where it is JSON, its text as it came where not. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** How long the other side asks to wait (seconds, or a date), in milliseconds; `null` when it does not say. */
export function readRetryAfter(header: string | null, now: number): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
