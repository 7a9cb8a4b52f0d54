import type { WebhookEndpoint } from '../protocol/index.js';

/**
 * The headers by which a trace is continued, such as `traceparent`: stored with events and replies, so that their trace
 * goes on in the process that handles or sends them.
 */
export type TraceCarrier = Readonly<Record<string, string>>;

/** The part that the messages of all steps have. */
export interface StepMessage {
  /**
   * Set by a subscriber of `start` that runs the step in a context of its own, as OpenTelemetry does. Without it, bind an
   * `AsyncLocalStorage` with `bindStore`.
   */
  around?: (<Result>(run: () => Promise<Result>) => Promise<Result>) | undefined;
  /** What the step threw; only after it failed. */
  readonly error?: unknown;
}

/** The part that the steps of a receiver have. */
export interface ReceiverStepMessage extends StepMessage {
  /** The receiver, to tell several of one process apart. */
  readonly receiver: object;
}

/** One request of the platform, from its arrival to the answer. */
export interface RequestMessage extends ReceiverStepMessage {
  readonly requestId: string;
  readonly method: string;
  /** The endpoint; `root` for the address of the mount, or of moved handoff endpoints. */
  readonly endpoint: WebhookEndpoint | 'root';
  /** The headers as received. They have the sender's credentials. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The status of the answer; `null` before it, and if the sender has hung up. */
  status: number | null;
}

/** The part that the steps of an event have. */
export interface EventStepMessage extends ReceiverStepMessage {
  /** The bot that the event is from; `default` in a receiver with one. */
  readonly bot: string;
  /** The event's name. */
  readonly event: 'message' | 'handoff.requested' | 'handoff.message' | 'handoff.closed';
  readonly conversationId: string;
  readonly requestId: string;
  /** The event's idempotency key. */
  readonly key: string;
  /** Whether the delivery stores events. */
  readonly isStored: boolean;
  /** The headers that continue the event's trace. A subscriber of `handoff-kit:accept` sets them. */
  trace: TraceCarrier | undefined;
}

/** An event is passed to the delivery, which handles or stores it. */
export interface AcceptMessage extends EventStepMessage {
  /** What the delivery did, such as `handled`, `stored`, `duplicate` or `failed`; only after it. */
  readonly result?: string;
}

/** One run of an event's middleware and handlers. */
export interface HandleMessage extends EventStepMessage {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** When the event arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** `handled` or `skipped`; only after success. */
  readonly result?: 'handled' | 'skipped' | undefined;
}

/** The greeting of a handoff is sent or stored. */
export type GreetMessage = EventStepMessage;

/** A reply or an end is passed to the delivery, which sends or stores it. */
export interface ReplyMessage extends ReceiverStepMessage {
  readonly kind: 'reply' | 'end';
  readonly conversationId: string;
  /** Whether the delivery stores replies. */
  readonly isStored: boolean;
  /** The headers that continue the trace. A subscriber sets them. */
  trace: TraceCarrier | undefined;
}

/** One attempt to give a reply or an end to the platform, retries of the client included. */
export interface SendMessage extends ReceiverStepMessage {
  /** The bot through whose platform it goes; `default` in a receiver with one. */
  readonly bot: string;
  readonly kind: 'reply' | 'end';
  /** The platform's id of the conversation. */
  readonly conversationId: string;
  /** When it was written, in milliseconds since 1970. */
  readonly writtenAt: number;
  /** Whether it comes from the outbox. */
  readonly isStored: boolean;
  /** The headers that continue its trace. */
  readonly trace: TraceCarrier | undefined;
}

/** One HTTP request to the platform's API. */
export interface PlatformMessage extends StepMessage {
  /** The endpoint, such as `reply` or `addQa`. */
  readonly endpoint: string;
  readonly method: string;
  readonly url: string;
  /** How many requests of the same call came before it. */
  readonly resends: number;
  /** The status of the answer; `null` before it and without one. */
  status: number | null;
  /** Why there is no answer, such as `timeout`; `null` if there is one. */
  failure: string | null;
}

/** One call of an adapter, such as `open`, `send` or `poll`. */
export interface AdapterMessage extends ReceiverStepMessage {
  /** The adapter's name. */
  readonly adapter: string;
  readonly operation: string;
}

/** One request of a helpdesk to `bridge.webhook`, from its arrival to the answer. */
export interface WebhookMessage extends ReceiverStepMessage {
  /** The adapter's name. */
  readonly adapter: string;
  readonly method: string;
  /** The headers as received. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The status of the answer; `null` before it, and if the sender has hung up. */
  status: number | null;
}

/** A failure that is reported to the log and to `onError`. */
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
