import type { WebhookEndpoint } from '../protocol/index.js';

/**
 * Headers that continue a trace, such as `traceparent`. They are stored with events and replies, so that the trace
 * continues in the process that handles or sends them.
 */
export type TraceCarrier = Readonly<Record<string, string>>;

/** The fields of every step's message. */
export interface StepMessage {
  /**
   * Set by a subscriber of `start` that runs the step in its own async context, as OpenTelemetry does. Otherwise, bind an
   * `AsyncLocalStorage` with `bindStore`.
   */
  around?: (<Result>(run: () => Promise<Result>) => Promise<Result>) | undefined;
  /** Only after a failure. */
  readonly error?: unknown;
}

/** The fields of every receiver step. */
export interface ReceiverStepMessage extends StepMessage {
  /** Distinguishes several receivers in one process. */
  readonly receiver: object;
}

/** One request from the platform, from arrival to answer. */
export interface RequestMessage extends ReceiverStepMessage {
  readonly requestId: string;
  readonly method: string;
  /** `root` is the mount path, or the base path of moved handoff endpoints. */
  readonly endpoint: WebhookEndpoint | 'root';
  /** The headers as received, with the sender's credentials. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The status of the answer; `null` before it, and if the sender has hung up. */
  status: number | null;
}

/** The fields of every event step. */
export interface EventStepMessage extends ReceiverStepMessage {
  /** `default` in a receiver with one bot. */
  readonly bot: string;
  readonly event: 'message' | 'handoff.requested' | 'handoff.message' | 'handoff.closed';
  readonly conversationId: string;
  readonly requestId: string;
  /** The event's idempotency key. */
  readonly key: string;
  /** Whether the delivery stores events. */
  readonly isStored: boolean;
  /** Headers that continue the event's trace, set by a subscriber of `handoff-kit:accept`. */
  trace: TraceCarrier | undefined;
}

/** An event is passed to the delivery, which handles or stores it. */
export interface AcceptMessage extends EventStepMessage {
  /** The delivery's result, such as `handled`, `stored`, `duplicate` or `failed`; only at the end. */
  readonly result?: string;
}

/** One attempt to run an event's middleware and handlers. */
export interface HandleMessage extends EventStepMessage {
  /** From 1. */
  readonly attempt: number;
  /** When the event arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** `handled` or `skipped`; only after success. */
  readonly result?: 'handled' | 'skipped' | undefined;
}

/** A handoff's greeting is sent or stored. */
export type GreetMessage = EventStepMessage;

/** A reply or an end is passed to the delivery, which sends or stores it. */
export interface ReplyMessage extends ReceiverStepMessage {
  readonly kind: 'reply' | 'end';
  readonly conversationId: string;
  /** Whether the delivery stores replies. */
  readonly isStored: boolean;
  /** Headers that continue the trace, set by a subscriber. */
  trace: TraceCarrier | undefined;
}

/** One attempt to send a reply or an end to the platform, the client's retries included. */
export interface SendMessage extends ReceiverStepMessage {
  /** The bot that sends it; `default` in a receiver with one bot. */
  readonly bot: string;
  readonly kind: 'reply' | 'end';
  /** The platform's conversation id. */
  readonly conversationId: string;
  /** When it was written, in milliseconds since 1970. */
  readonly writtenAt: number;
  /** Whether it comes from the outbox. */
  readonly isStored: boolean;
  /** Headers that continue its trace. */
  readonly trace: TraceCarrier | undefined;
}

/** One HTTP request to the platform's API. */
export interface PlatformMessage extends StepMessage {
  /** The endpoint, such as `reply` or `addQa`. */
  readonly endpoint: string;
  readonly method: string;
  readonly url: string;
  /** How many requests the same call sent before. */
  readonly resends: number;
  /** The status of the answer; `null` before or without an answer. */
  status: number | null;
  /** Why there is no answer, such as `timeout`; otherwise `null`. */
  failure: string | null;
}

/** One call to an adapter, such as `open`, `send` or `poll`. */
export interface AdapterMessage extends ReceiverStepMessage {
  /** The adapter's name. */
  readonly adapter: string;
  readonly operation: string;
}

/** One request from a helpdesk to `bridge.webhook`, from arrival to answer. */
export interface WebhookMessage extends ReceiverStepMessage {
  /** The adapter's name. */
  readonly adapter: string;
  readonly method: string;
  /** The headers as received. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The status of the answer; `null` before it, and if the sender has hung up. */
  status: number | null;
}

/** A failure that reaches the log and `onError`. */
export interface FailureMessage {
  readonly receiver: object;
  readonly error: unknown;
  readonly bot: string | null;
  readonly event: string | null;
  readonly conversationId: string | null;
  readonly requestId: string | null;
  readonly attempt: number;
}

/**
 * The messages of each step. The step `handle` is the tracing channel `handoff-kit:handle`, and so on.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel';
 * import type { Steps } from 'handoff-kit/diagnostics';
 *
 * subscribe('tracing:handoff-kit:handle:asyncEnd', (message) => {
 *   const { event, attempt, error } = message as Steps['handle'];
 *   console.log(event, attempt, error ? 'failed' : 'handled');
 * });
 */
export interface Steps {
  request: RequestMessage;
  accept: AcceptMessage;
  handle: HandleMessage;
  greet: GreetMessage;
  reply: ReplyMessage;
  send: SendMessage;
  platform: PlatformMessage;
  adapter: AdapterMessage;
  webhook: WebhookMessage;
}
