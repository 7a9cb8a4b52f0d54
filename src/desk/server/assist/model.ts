import { configError, HandoffKitError } from '../../../internal/index.js';

/** A message to the model. */
export interface ModelMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** A language model behind the chat interface that OpenAI has made common. */
export interface Model {
  /**
   * Yields the answer in pieces, as they come. Throws a {@link ModelError} if there is none, if it breaks off, or if it
   * takes longer than allowed. Its last result is whether the answer was cut off at the limit.
   */
  ask(messages: readonly ModelMessage[], signal: AbortSignal): AsyncGenerator<string, { isCut: boolean }>;
}

export interface ModelOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
  readonly maxTokens: number;
}

/** The model gave no usable answer. The message is for the operator: it contains neither the key nor any conversation. */
export class ModelError extends HandoffKitError {
  readonly isBusy: boolean;

  constructor(message: string, { isBusy = false, cause }: { isBusy?: boolean; cause?: unknown } = {}) {
    super('ASSIST_FAILED', message, { cause });
    this.isBusy = isBusy;
  }
}

/** More than any answer that an agent would read. */
const MAX_BYTES = 1024 * 1024;

export function createModel({ baseUrl, apiKey, model, timeoutMs, maxTokens }: ModelOptions): Model {
  const url = completionsUrl(baseUrl);
  return {
    async *ask(messages, caller) {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([limit, caller]);
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          },
          body: JSON.stringify({ model, messages, stream: true, max_tokens: maxTokens }),
          signal,
          // Following a redirect would send the conversation to another address.
          redirect: 'manual',
        });
        return yield* readCompletion(response);
      } catch (error) {
        if (error instanceof ModelError || caller.aborted) throw error;
        const reason = limit.aborted ? `did not finish within ${timeoutMs} ms` : 'could not be reached';
        throw new ModelError(`the model at ${url.host} ${reason}.`, { cause: error });
      }
    },
  };
}

function completionsUrl(baseUrl: string): URL {
  const parsed = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.search !== '') {
    throw configError('assist.baseUrl must be an http or https URL, such as https://api.openai.com/v1.');
  }
  return new URL(`${parsed.pathname.replace(/\/$/, '')}/chat/completions`, parsed);
}

async function* readCompletion(response: Response): AsyncGenerator<string, { isCut: boolean }> {
  if (!response.ok) {
    await response.body?.cancel();
    const { status } = response;
    throw new ModelError(`the model answered ${status}.`, { isBusy: status === 429 || status === 503 });
  }
  let finish: string | null = null;
  let isEmpty = true;
  for await (const data of eventsOf(response)) {
    if (data === '[DONE]') break;
    const [choice] = parseChunk(data).choices ?? [];
    // A server that does not stream answers with one message.
    const text = choice?.delta?.content ?? choice?.message?.content ?? '';
    finish = choice?.finish_reason ?? finish;
    if (text === '') continue;
    isEmpty = false;
    yield text;
  }
  if (finish === null) throw new ModelError('the answer of the model broke off.');
  if (isEmpty) throw new ModelError(`the model answered nothing (${finish}).`);
  return { isCut: finish === 'length' };
}

/** A piece of an answer, as far as it is read. */
interface CompletionChunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null };
    readonly message?: { readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
}

function parseChunk(data: string): CompletionChunk {
  try {
    const chunk: unknown = JSON.parse(data);
    if (typeof chunk === 'object' && chunk !== null && !('error' in chunk)) return chunk;
  } catch {
    // Reported below.
  }
  throw new ModelError('the answer of the model cannot be read.');
}

/** The data of each server-sent event, or the whole body of another kind of answer. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let waiting = '';
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new ModelError('the answer of the model is too long.');
    waiting += decoder.decode(chunk, { stream: true });
    if (!isStream) continue;
    const lines = waiting.split(/\r?\n/);
    waiting = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice('data:'.length).trim();
  }
  if (!isStream) yield waiting;
  else if (waiting.startsWith('data:')) yield waiting.slice('data:'.length).trim();
}
