/** The refusal of a request: its response, and details for the log. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** A short reason for the sender, without details. */
  readonly reason: string;
  /** The cause and the remedy, for the log. Never a value of the request. */
  readonly detail?: string | undefined;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** Whether to close the connection, because the rest of the body will not be read. */
  readonly closesConnection?: boolean | undefined;
}

type RefusalOptions = Pick<Refusal, 'detail' | 'headers' | 'closesConnection'>;

/** A class, so that `instanceof` distinguishes it from any JSON body. */
class RefusedRequest implements Refusal {
  readonly status: number;
  readonly reason: string;
  readonly detail: RefusalOptions['detail'];
  readonly headers: RefusalOptions['headers'];
  readonly closesConnection: RefusalOptions['closesConnection'];

  constructor(status: number, reason: string, { detail, headers, closesConnection }: RefusalOptions) {
    this.status = status;
    this.reason = reason;
    this.detail = detail;
    this.headers = headers;
    this.closesConnection = closesConnection;
  }
}

/** Creates a {@link Refusal}. */
export function refuse(status: number, reason: string, options: RefusalOptions = {}): Refusal {
  return new RefusedRequest(status, reason, options);
}

/** Tells a refusal from any other result of a step. */
export function isRefusal(value: unknown): value is Refusal {
  return value instanceof RefusedRequest;
}
