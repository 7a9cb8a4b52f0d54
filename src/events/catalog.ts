import type {
  AgentMessage,
  HandoffChat,
  HandoffClose,
  HandoffRequest,
  WebhookBody,
  WebhookEndpoint,
} from '../protocol/index.js';

/** What an availability test tells: which endpoint the service tried. */
export interface ProbePayload {
  /** The endpoint the probe came to; `root` for the address that stands for both groups. */
  readonly endpoint: WebhookEndpoint | 'root';
}

/** Every event and what it carries. Field names are the wire's own, so the platform's documentation applies. */
export interface EventPayloads {
  /** An agent, or a human behind it, answered a user. */
  message: AgentMessage;
  /** A user is to be handed over to a human. */
  'handoff.requested': HandoffRequest;
  /** The user says something during a handoff. */
  'handoff.message': HandoffChat;
  /** The user left, or the conversation timed out. */
  'handoff.closed': HandoffClose;
  /** The service tested whether it can reach this receiver. For observers: nothing is stored or answered. */
  probe: ProbePayload;
}

/** The name of an event. */
export type EventName = keyof EventPayloads;
/** The name of an event that is delivered, once and in order; a probe is only observed. */
export type DeliveredName = Exclude<EventName, 'probe'>;

/** Which endpoint brings which event. */
export const EVENT_OF = {
  message: 'message',
  establish: 'handoff.requested',
  chat: 'handoff.message',
  close: 'handoff.closed',
} as const satisfies Record<WebhookEndpoint, DeliveredName>;

/** All names, for messages that list the choices. */
export const EVENT_NAMES: readonly EventName[] = [...Object.values(EVENT_OF), 'probe'];

/** The validated body behind each delivered event. */
export type DeliveredBodies = {
  [Endpoint in WebhookEndpoint as (typeof EVENT_OF)[Endpoint]]: WebhookBody<Endpoint>;
};

interface Delivered<Name extends DeliveredName> {
  /** What happened. */
  readonly name: Name;
  /** Equal for two deliveries of the same event, and for no others. */
  readonly key: string;
  /** The conversation whose events are handled one at a time, in the order of arrival. */
  readonly conversationId: string;
  /** The validated body. */
  readonly body: DeliveredBodies[Name];
  /** The same as the JSON text in which it came, where it is the same: it need not be written again to be stored. */
  readonly text?: string | undefined;
  /** When it arrived, in milliseconds. */
  readonly receivedAt: number;
  /** The request it came with, for finding it in logs. */
  readonly requestId: string;
}

/** An event that was accepted: plain data, so that it can be stored and handled elsewhere, later. */
export type DeliveredEvent<Name extends DeliveredName = DeliveredName> = {
  [Each in Name]: Delivered<Each>;
}[Name];
