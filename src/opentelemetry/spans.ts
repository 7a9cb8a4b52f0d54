import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';
import type { EventStepMessage, StepMessage, Steps, TraceCarrier } from '../diagnostics/index.js';
import { HANDOFF_PATHS, type WebhookEndpoint } from '../protocol/index.js';

/** The package `@opentelemetry/api`. */
export type Api = typeof import('@opentelemetry/api');

/** The span of a running step. */
export interface OpenSpan {
  readonly context: Context;
  /** `null` if the step has no span. */
  readonly kind: SpanKind | null;
  readonly startedAt: number;
  end(): void;
}

/** Begins the span of each step; `null` if a step needs neither a span nor a context. */
export type Spans = { readonly [Name in keyof Steps]: (message: Steps[Name]) => OpenSpan | null };

/** `messaging.system`. */
export const SYSTEM = 'handoff_kit';

/** Messaging attributes, by the semantic conventions. Events are in the queue `inbox`, replies in `outbox`. */
export const messagingAttributes = (
  operation: 'send' | 'process',
  queue: 'inbox' | 'outbox',
): Attributes => ({
  'messaging.system': SYSTEM,
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
  'messaging.destination.name': queue,
});

/** Only in a receiver with several bots. */
export const botAttribute = (bot: string): Attributes =>
  bot === 'default' ? {} : { 'handoff_kit.bot': bot };

/** The endpoint's path below the mount. The original path may contain a token, so it is not an attribute. */
export const routeOf = (endpoint: WebhookEndpoint | 'root'): string =>
  endpoint === 'root' || endpoint === 'message' ? '/' : HANDOFF_PATHS[endpoint];

/** `error.type`: a code, or the error's class. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const isPostponed = (error: unknown): boolean => errorTypeOf(error) === 'POSTPONED';

export function createSpans(api: Api): Spans {
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, propagation } = api;
  const tracer = api.trace.getTracer('handoff-kit');

  /** A stored job continues its own trace, whatever the worker did before. */
  const storedContext = (trace: TraceCarrier | undefined): Context =>
    propagation.extract(ROOT_CONTEXT, trace ?? {});

  const carrierOf = (context: Context): TraceCarrier | undefined => {
    const carrier: Record<string, string> = {};
    propagation.inject(context, carrier);
    return Object.keys(carrier).length > 0 ? carrier : undefined;
  };

  const fail = (span: Span, type: string, error?: unknown): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
    if (error instanceof Error) span.recordException(error);
  };

  const begin = (
    name: string,
    { kind, parent, attributes }: { kind: SpanKind; parent?: Context; attributes: Attributes },
    message: StepMessage,
    onEnd: (span: Span) => void = () => {},
  ): OpenSpan => {
    const base = parent ?? api.context.active();
    const span = tracer.startSpan(name, { kind, attributes }, base);
    return {
      context: api.trace.setSpan(base, span),
      kind,
      startedAt: performance.now(),
      end() {
        onEnd(span);
        const { error } = message;
        if (isPostponed(error)) span.setAttribute('handoff_kit.outcome', 'postponed');
        else if (error !== undefined) fail(span, errorTypeOf(error), error);
        span.end();
      },
    };
  };

  /** If the application traces its HTTP server, a request already has a server span. */
  const beginServer = (
    name: string,
    message: Steps['request'] | Steps['webhook'],
    attributes: Attributes,
  ): OpenSpan => {
    const active = api.context.active();
    const isTraced = api.trace.getSpan(active) !== undefined;
    const parent = isTraced ? active : propagation.extract(active, message.headers);
    const kind = isTraced ? SpanKind.INTERNAL : SpanKind.SERVER;
    return begin(name, { kind, parent, attributes }, message, (span) => {
      const { status } = message;
      if (status === null) return fail(span, 'hung_up');
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) fail(span, String(status));
    });
  };

  const eventAttributes = ({ event, bot, conversationId, requestId, key }: EventStepMessage): Attributes => ({
    ...botAttribute(bot),
    'handoff_kit.event': event,
    'handoff_kit.request_id': requestId,
    'messaging.message.conversation_id': conversationId,
    'messaging.message.id': key,
  });

  return {
    request(message) {
      const { method, endpoint, requestId } = message;
      const route = routeOf(endpoint);
      return beginServer(`${method} ${route}`, message, {
        'http.request.method': method,
        'http.route': route,
        'handoff_kit.request_id': requestId,
      });
    },
    webhook(message) {
      const { method, adapter } = message;
      return beginServer(`${method} ${adapter} webhook`, message, {
        'http.request.method': method,
        'handoff_kit.adapter': adapter,
      });
    },
    accept(message) {
      // Inline, the handlers run within it and have their own span.
      if (!message.isStored) return null;
      const attributes = { ...messagingAttributes('send', 'inbox'), ...eventAttributes(message) };
      const active = begin('send inbox', { kind: SpanKind.PRODUCER, attributes }, message, (span) => {
        const { result = 'unknown' } = message;
        span.setAttribute('handoff_kit.outcome', result);
        if (result === 'unavailable' || result === 'full') fail(span, result);
      });
      message.trace = carrierOf(active.context);
      return active;
    },
    handle(message) {
      const { isStored, event, attempt } = message;
      const attributes = { ...eventAttributes(message), 'handoff_kit.attempt': attempt };
      const onEnd = (span: Span): void => {
        if (message.result) span.setAttribute('handoff_kit.outcome', message.result);
      };
      if (!isStored) return begin(`handle ${event}`, { kind: SpanKind.INTERNAL, attributes }, message, onEnd);
      const process = { ...messagingAttributes('process', 'inbox'), ...attributes };
      const parent = storedContext(message.trace);
      return begin('process inbox', { kind: SpanKind.CONSUMER, parent, attributes: process }, message, onEnd);
    },
    greet(message) {
      const parent = message.isStored ? storedContext(message.trace) : api.context.active();
      const attributes = eventAttributes(message);
      return begin('greet', { kind: SpanKind.INTERNAL, parent, attributes }, message);
    },
    reply(message) {
      // Inline, it is sent at once, and the request to the platform has a span.
      if (!message.isStored) return null;
      const attributes = {
        ...messagingAttributes('send', 'outbox'),
        'handoff_kit.kind': message.kind,
        'messaging.message.conversation_id': message.conversationId,
      };
      const active = begin('send outbox', { kind: SpanKind.PRODUCER, attributes }, message);
      message.trace = carrierOf(active.context);
      return active;
    },
    send(message) {
      if (!message.isStored) return null;
      const attributes = {
        ...messagingAttributes('process', 'outbox'),
        ...botAttribute(message.bot),
        'handoff_kit.kind': message.kind,
        'messaging.message.conversation_id': message.conversationId,
      };
      const parent = storedContext(message.trace);
      return begin('process outbox', { kind: SpanKind.CONSUMER, parent, attributes }, message);
    },
    platform(message) {
      const { method, url, resends } = message;
      const { hostname, port, protocol, pathname } = new URL(url);
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        'url.full': url,
        ...(resends > 0 && { 'http.request.resend_count': resends }),
      };
      return begin(`${method} ${pathname}`, { kind: SpanKind.CLIENT, attributes }, message, (span) => {
        const { status, failure } = message;
        if (status !== null) span.setAttribute('http.response.status_code', status);
        if (status !== null && status >= 400) fail(span, String(status));
        if (failure !== null) fail(span, failure);
      });
    },
    adapter(message) {
      const { adapter, operation } = message;
      const attributes = { 'handoff_kit.adapter': adapter, 'handoff_kit.operation': operation };
      return begin(`${adapter} ${operation}`, { kind: SpanKind.CLIENT, attributes }, message);
    },
  };
}
