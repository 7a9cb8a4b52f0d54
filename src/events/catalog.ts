import type { TraceCarrier } from '../diagnostics/index.js';
import type {
  BotMessage,
  HandoffChat,
  HandoffClose,
  HandoffRequest,
  WebhookBody,
  WebhookEndpoint,
} from '../protocol/index.js';

/** The payload of a probe: the endpoint that the platform tested. */
export interface ProbePayload {
  /** The endpoint; `root` for the base URL of the handoff endpoints, or a mount without a message webhook. */
  readonly endpoint: WebhookEndpoint | 'root';
}

/** The payload of each event. Field names are the wire's own, so the platform's documentation applies. */
export interface EventPayloads {
  /** The bot answered a user. */
  message: BotMessage;
  /** A user is to be handed over to an agent. */
  'handoff.requested': HandoffRequest;
  /** The user wrote something during a handoff. */
  'handoff.message': HandoffChat;
  /** The user left, or the conversation timed out. */
  'handoff.closed': HandoffClose;
  /** The platform tested whether it can reach this receiver. Nothing is stored, and no handler can reply. */
  probe: ProbePayload;
}

/** The name of an event. */
export type EventName = keyof EventPayloads;
/** The name of an event that is delivered, once and in order; a probe is only observed. */
export type DeliveredEventName = Exclude<EventName, 'probe'>;

export const EVENT_OF_ENDPOINT = {
  message: 'message',
  establish: 'handoff.requested',
  chat: 'handoff.message',
  close: 'handoff.closed',
} as const satisfies Record<WebhookEndpoint, DeliveredEventName>;

export const ENDPOINT_OF_EVENT = {
  message: 'message',
  'handoff.requested': 'establish',
  'handoff.message': 'chat',
  'handoff.closed': 'close',
} as const satisfies Record<DeliveredEventName, WebhookEndpoint>;

export const DELIVERED_EVENT_NAMES: readonly DeliveredEventName[] = Object.values(EVENT_OF_ENDPOINT);

/** All event names, for error messages. */
export const EVENT_NAMES: readonly EventName[] = [...DELIVERED_EVENT_NAMES, 'probe'];

/** The validated body behind each delivered event. */
export type DeliveredBodies = {
  [Endpoint in WebhookEndpoint as (typeof EVENT_OF_ENDPOINT)[Endpoint]]: WebhookBody<Endpoint>;
};

interface Delivered<Name extends DeliveredEventName> {
  /** The event's name. */
  readonly name: Name;
  /** The bot it is from; `default` in a receiver with one bot. */
  readonly bot: string;
  /** The idempotency key: equal for two requests with the same event, and for no others. */
  readonly key: string;
  /** The conversation whose events are handled one at a time, in the order of arrival. Unique among all bots. */
  readonly conversationId: string;
  /** The validated body. */
  readonly body: DeliveredBodies[Name];
  /** The JSON text of `body`, if available: storing it saves serialising the body again. */
  readonly text?: string | undefined;
  /** The body as received, if normalising has changed it. */
  readonly raw?: unknown;
  /** When it arrived, in milliseconds. */
  readonly receivedAt: number;
  /** The request it came with, for finding it in logs. */
  readonly requestId: string;
  /** The headers that continue its trace in the process that handles it. */
  readonly trace?: TraceCarrier | undefined;
}

/** An accepted event: plain data, so that it can be stored and handled by another process. */
export type DeliveredEvent<Name extends DeliveredEventName = DeliveredEventName> = {
  [Each in Name]: Delivered<Each>;
}[Name];
