/** A request that is not accepted: what the sender is told, and what the log is told besides. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** Short and opaque, for the sender. */
  readonly reason: string;
  /** What happened and what to do, for the log. Never a value of the request. */
  readonly detail?: string | undefined;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** Whether the connection is of no more use: what is left of the body will not be read. */
  readonly hangUp?: boolean | undefined;
}

/** What a {@link Refusal} may say besides its status and reason. */
type More = Pick<Refusal, 'detail' | 'headers' | 'hangUp'>;

/** A class, since every step of every request asks whether it has one in hand, and to ask for a class is cheapest. */
class Refused implements Refusal {
  readonly status: number;
  readonly reason: string;
  readonly detail: More['detail'];
  readonly headers: More['headers'];
  readonly hangUp: More['hangUp'];

  constructor(status: number, reason: string, { detail, headers, hangUp }: More) {
    this.status = status;
    this.reason = reason;
    this.detail = detail;
    this.headers = headers;
    this.hangUp = hangUp;
  }
}

/** Makes a {@link Refusal}. */
export function refuse(status: number, reason: string, more: More = {}): Refusal {
  return new Refused(status, reason, more);
}

/** Tells a refusal from what a step otherwise returns. No JSON can be one. */
export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refused;
}
