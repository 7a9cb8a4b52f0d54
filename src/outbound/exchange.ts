import { type ConnectionFailure, readConnectionFailure } from './connection-failure.js';
import { createDeadline, type DeadlineEnd } from './deadline.js';
import { type Answer, readAnswer } from './read-answer.js';

/** The part of `fetch` this package uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request, ready to be sent. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  /** Finds the headers; nothing is sent before it is done. */
  readonly headers: () => Promise<Headers>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The exchange was ended, by time or by the caller. */
export type Interruption = {
  [End in DeadlineEnd]: {
    readonly kind: End;
    /** Whether the request may have been sent by then. */
    readonly sent: boolean;
  };
}[DeadlineEnd];

/** What one exchange came to. */
export type Exchange = Answer | Interruption | ConnectionFailure;

/**
 * One request and its answer, without judgement: whatever the network does comes back as a value. Only an
 * error of the headers function is thrown, and nothing was sent then.
 */
export async function exchange(fetch: Fetch, request: OutgoingRequest): Promise<Exchange> {
  const deadline = createDeadline(request.timeoutMs, request.signal);
  let sent = false;
  try {
    const headers = await deadline.within(request.headers);
    const response = await deadline.within(() => {
      sent = true;
      return fetch(request.url, {
        method: request.method,
        headers,
        body: request.body,
        signal: deadline.signal,
        // Following would carry the API key to wherever the answer points.
        redirect: 'manual',
      });
    });
    return await deadline.within(() => readAnswer(response));
  } catch (error) {
    const ended = deadline.ended();
    if (ended) return { kind: ended, sent };
    if (!sent) throw error;
    return readConnectionFailure(error);
  } finally {
    deadline.clear();
  }
}
