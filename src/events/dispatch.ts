import { createWarnOnce, HandoffKitError, type Log } from '../internal/index.js';
import type { DeliveredEvent, DeliveredName, ProbePayload } from './catalog.js';
import { admitContextOf, type ContextParts, contextOf, type HandlerRun } from './context.js';
import type { FailureReport, HandlerContexts } from './handler.js';
import { reportNewValues } from './new-values.js';
import { Postponed } from './postponed.js';
import type { Registry } from './registry.js';
import type { Replies } from './replies.js';

/** Where a failure happened. */
export type FailurePlace = Partial<Pick<FailureReport, 'event' | 'conversationId' | 'requestId' | 'attempt'>>;

/** Brings events to those who registered for them. */
export interface Dispatcher {
  /**
   * Runs all handlers of an event, one after another. Rejects with what they threw. Handlers that have nothing to
   * wait for are done when it returns, and it returns no promise then: most handlers of messages are such.
   */
  handle(event: DeliveredEvent, run: HandlerRun): Promise<void> | undefined;
  /** Asks every gate; the first that refuses gives the reason. */
  admit(event: DeliveredEvent<'handoff.requested'>): Promise<true | string>;
  /** Tells observers of a probe. Never rejects: a probe's answer does not depend on them. */
  observe(probe: ProbePayload, requestId: string, receivedAt: number): Promise<void>;
  /** Writes a failure to the log and tells those who registered for it. Never throws. */
  report(error: unknown, place: FailurePlace): void;
}

/** What {@link createDispatcher} needs. */
export interface DispatcherParts {
  readonly registry: Registry;
  readonly replies: Replies;
  /** For the package's own lines. */
  readonly log: Log;
  /** For handlers' lines: what people write is hidden in it. */
  readonly handlerLog: Log;
  readonly waitTimeoutMs: number;
}

/** What the service is told when a gate refuses without a reason of its own, or fails. */
const NOT_NOW = 'no human is available';

/** Makes a {@link Dispatcher}. */
export function createDispatcher({
  registry,
  replies,
  log,
  handlerLog,
  waitTimeoutMs,
}: DispatcherParts): Dispatcher {
  const warnOnce = createWarnOnce(log);
  const parts: ContextParts = {
    replies,
    log: handlerLog,
    waitTimeoutMs,
    onPayload: (name, payload) =>
      reportNewValues[name](payload, (field, value) =>
        warnOnce(
          `${name} ${field} ${value}`,
          { event: name, field, value: value.slice(0, 100) },
          'a value that the contract does not name was passed on as it is',
        ),
      ),
  };

  const report = (error: unknown, place: FailurePlace): void => {
    const where = { event: null, conversationId: null, requestId: null, attempt: 1, ...place };
    log.error({ ...where, err: error }, where.event ? 'handling an event failed' : 'a request failed');
    for (const hear of registry.errorHandlers) {
      settle(() => hear({ ...where, error, log: handlerLog.child(where) })).catch((failure: unknown) =>
        log.error({ ...where, err: failure }, 'an error handler failed itself'),
      );
    }
  };

  const place = (event: DeliveredEvent): FailurePlace => ({
    event: event.name,
    conversationId: event.conversationId,
    requestId: event.requestId,
  });

  /** Waits for a handler and runs those after it: every one gets its chance, also after an earlier one threw. */
  const goOn = async ({ event, run, context, handlers, index, result }: Waiting): Promise<void> => {
    let errors: unknown[] | null = null;
    let awaited: Promise<unknown> | undefined = result;
    for (let next = index; next < handlers.length; next += 1) {
      const handler = handlers[next];
      try {
        await (awaited ?? handler?.(context));
      } catch (error) {
        errors ??= [];
        errors.push(named(error));
      }
      awaited = undefined;
    }
    if (errors === null) return;
    const failures = errors.filter((error) => !(error instanceof Postponed));
    for (const error of failures) report(error, { ...place(event), attempt: run.attempt });
    // Who asks to be run later must be: the event waits for it, also where another handler failed.
    const postponed = errors.find((error) => error instanceof Postponed);
    if (postponed) throw postponed;
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'several handlers failed');
  };

  return {
    report,
    handle(event, run) {
      registry.seal();
      const handlers = registry.handlersOf(event.name);
      if (handlers.length === 0) {
        warnOnce(
          event.name,
          { event: event.name },
          `an event came that nobody handles: it is acknowledged and dropped. Add receiver.on('${event.name}', …).`,
        );
        return undefined;
      }
      const context = contextOf(parts, event, run);
      let index = 0;
      for (const handler of handlers) {
        const result = call(handler, context);
        if (result !== undefined) return goOn({ event, run, context, handlers, index, result });
        index += 1;
      }
      return undefined;
    },
    async admit(event) {
      if (registry.gates.length === 0) return true;
      const context = admitContextOf(parts, event);
      try {
        for (const gate of registry.gates) {
          const verdict = await gate(context);
          if (verdict !== true) return verdict || NOT_NOW;
        }
        return true;
      } catch (error) {
        report(error, place(event));
        return NOT_NOW;
      }
    },
    async observe(payload, requestId, receivedAt) {
      const observers = registry.handlersOf('probe');
      if (observers.length === 0) return;
      const context: HandlerContexts['probe'] = {
        event: 'probe',
        payload,
        requestId,
        receivedAt: new Date(receivedAt),
        log: handlerLog.child({ event: 'probe', requestId }),
      };
      for (const observer of observers) {
        try {
          await observer(context);
        } catch (error) {
          report(named(error), { event: 'probe', requestId });
        }
      }
    },
  };
}

type AnyContext = HandlerContexts[DeliveredName];

/** Handlers of which one is not done yet. */
interface Waiting {
  readonly event: DeliveredEvent;
  readonly run: HandlerRun;
  readonly context: AnyContext;
  readonly handlers: readonly ((context: AnyContext) => unknown)[];
  /** The one that is not done. */
  readonly index: number;
  /** What it gave back. */
  readonly result: Promise<unknown>;
}

/** Calls a handler. `undefined`: it is done. What it throws is what its promise would be rejected with. */
function call(handler: (context: AnyContext) => unknown, context: AnyContext): Promise<unknown> | undefined {
  try {
    const result = handler(context);
    return isThenable(result) ? Promise.resolve(result) : undefined;
  } catch (error) {
    return Promise.reject(error);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value !== null && typeof value === 'object' && typeof (value as { then?: unknown }).then === 'function';

/** What a handler threw, or a word for it where it threw nothing. */
const named = (error: unknown): unknown =>
  error ?? new HandoffKitError('EMPTY_ERROR', 'a handler threw nothing (undefined or null).');

async function settle(task: () => unknown): Promise<void> {
  await task();
}
