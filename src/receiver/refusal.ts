const REFUSED = Symbol('refused');

/** A request that is not accepted: what the sender is told, and what the log is told besides. */
export interface Refusal {
  readonly [REFUSED]: true;
  /** The HTTP status. */
  readonly status: number;
  /** Short and opaque, for the sender. */
  readonly reason: string;
  /** What happened and what to do, for the log. Never a value of the request. */
  readonly detail?: string;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Whether the connection is of no more use: what is left of the body will not be read. */
  readonly hangUp?: boolean;
}

/** Makes a {@link Refusal}. */
export function refuse(
  status: number,
  reason: string,
  more: Pick<Refusal, 'detail' | 'headers' | 'hangUp'> = {},
): Refusal {
  return { [REFUSED]: true, status, reason, ...more };
}

/** Tells a refusal from what a step otherwise returns. No JSON can have its mark. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && REFUSED in value;
}
