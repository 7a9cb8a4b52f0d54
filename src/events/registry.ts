import { HandoffKitError } from '../internal/index.js';
import { DELIVERED_EVENT_NAMES, type DeliveredEventName, EVENT_NAMES, type EventName } from './catalog.js';
import type { AdmitGate, AnyHandler, ErrorHandler, Handler, HandlerContexts } from './handler.js';
import { isGivenUp, Postponed } from './handler-run.js';

export interface Registry {
  readonly on: <Name extends EventName>(name: Name, handler: Handler<Name>) => void;
  readonly onAny: (handler: AnyHandler) => void;
  readonly use: (middleware: Middleware) => void;
  readonly onError: (handler: ErrorHandler) => void;
  readonly admit: (gate: AdmitGate) => void;
  /** Ends registration: a handler that is added later would miss events. */
  seal(): void;
  /** The handlers of an event, including those of `onAny`, in the order of registration. */
  handlersOf<Name extends EventName>(name: Name): readonly Handler<Name>[];
  /** Whether an event has a handler of its own, which those of `onAny` are not: they may only observe. */
  hasHandlerOf(name: EventName): boolean;
  readonly middleware: readonly Middleware[];
  readonly errorHandlers: readonly ErrorHandler[];
  readonly gates: readonly AdmitGate[];
}

type HandlerTable = { [Name in EventName]: Handler<Name>[] };

export function createRegistry(): Registry {
  const handlers: HandlerTable = {
    message: [],
    'handoff.requested': [],
    'handoff.message': [],
    'handoff.closed': [],
    probe: [],
  };
  const named = new Set<EventName>();
  const middleware: Middleware[] = [];
  const errorHandlers: ErrorHandler[] = [];
  const gates: AdmitGate[] = [];
  let sealed = false;

  const check = (method: string, handler: unknown): void => {
    if (typeof handler !== 'function') {
      throw new HandoffKitError('INVALID_HANDLER', `${method} needs a function, got ${typeof handler}.`);
    }
    if (sealed) {
      throw new HandoffKitError(
        'REGISTRATION_CLOSED',
        `${method} was called too late: the receiver has started, or has handled its first event. Register all handlers before receiver.start().`,
      );
    }
  };

  return {
    on(name, handler) {
      checkEventName(name);
      check(`on('${name}')`, handler);
      handlers[name].push(handler);
      named.add(name);
    },
    onAny(handler) {
      check('onAny', handler);
      for (const name of DELIVERED_EVENT_NAMES) handlers[name].push(handler);
    },
    use(added) {
      check('use', added);
      middleware.push(added);
    },
    onError(handler) {
      check('onError', handler);
      errorHandlers.push(handler);
    },
    admit(gate) {
      check('admit', gate);
      gates.push(gate);
    },
    seal() {
      sealed = true;
    },
    handlersOf: (name) => handlers[name],
    hasHandlerOf: (name) => named.has(name),
    middleware,
    errorHandlers,
    gates,
  };
}

function checkEventName(name: string): void {
  if ((EVENT_NAMES as readonly string[]).includes(name)) return;
  const hint =
    name === '*' ? ' For every event, use onAny.' : name === 'error' ? ' For failures, use onError.' : '';
  throw new HandoffKitError(
    'UNKNOWN_EVENT',
    `there is no event '${name}'. The events are ${EVENT_NAMES.join(', ')}.${hint}`,
  );
}

/** Runs the rest: the next middleware, or the handlers. */
export interface MiddlewareNext {
  /** Resolves when the handlers have finished; rejects with what they threw. Call it once. */
  (): Promise<void>;
  /**
   * Leaves the event out: no handler runs, and it counts as handled. The log says so, with the reason. To refuse a
   * handoff, use `receiver.admit` instead, which tells the user.
   *
   * @example
   * receiver.use(async ({ conversationId }, next) => {
   *   if (blocked.has(conversationId)) return next.skip('a blocked conversation');
   *   await next();
   * });
   */
  skip(reason: string): void;
}

/**
 * Runs around all handlers of an event, once per run: a retry runs it again, with a new `state`. Its time counts
 * towards `handlerTimeoutMs`.
 *
 * - An error that it throws fails the run, whether the handlers have run or not.
 * - An error of a handler fails the run even if middleware catches it; it can throw another one instead, for example
 *   {@link Postponed}.
 * - Middleware that returns without `next()` or `next.skip(reason)` fails the run with the code `NEXT_NOT_CALLED`.
 *
 * @example
 * receiver.use(async ({ event, log }, next) => {
 *   const startedAt = performance.now();
 *   await next();
 *   log.info({ event, ms: performance.now() - startedAt }, 'handled');
 * });
 */
export type Middleware<State extends object = object> = (
  context: HandlerContexts<Partial<State>>[DeliveredEventName],
  next: MiddlewareNext,
) => unknown;

interface MiddlewareResult {
  /** What was thrown; empty if the run succeeded. */
  readonly errors: readonly unknown[];
  /** The reason why an event was skipped; `null` if its handlers ran, or should have. */
  readonly skipped: string | null;
}

/** Runs middleware around handlers. `runHandlers` resolves to the errors that they threw. Never rejects. */
export async function runMiddleware(
  middleware: readonly Middleware[],
  context: HandlerContexts[DeliveredEventName],
  runHandlers: () => Promise<readonly unknown[]>,
): Promise<MiddlewareResult> {
  let handlerErrors: readonly unknown[] = [];
  let handlerFailure: unknown;
  let skipped: string | null = null;

  const callHandlers = async (): Promise<void> => {
    handlerErrors = await runHandlers();
    if (handlerErrors.length === 0) return;
    handlerFailure = combine(handlerErrors);
    throw handlerFailure;
  };

  const call = async (index: number): Promise<void> => {
    const current = middleware[index];
    if (!current) return callHandlers();
    let rest: Promise<void> | undefined;
    let misuse: HandoffKitError | undefined;
    let isOver = false;

    /** `undefined` if the rest may run. */
    const refusal = (): HandoffKitError | undefined => {
      if (isOver && !rest) return notCalled();
      if (rest || skipped !== null) misuse = calledTwice();
      return misuse;
    };
    const next = (): Promise<void> => {
      const refused = refusal();
      if (!refused) rest = call(index + 1);
      const result = refused ? Promise.reject(refused) : (rest ?? Promise.resolve());
      // Middleware that does not wait for it must not end its process with an unhandled rejection.
      result.catch(() => undefined);
      return result;
    };
    const skip = (reason: string): void => {
      const refused = refusal();
      if (refused) throw refused;
      skipped = reason;
    };

    try {
      await current(context, Object.assign(next, { skip }));
    } finally {
      isOver = true;
      // The run is not over before its handlers are, whether middleware waits for them or not.
      await rest?.catch(() => undefined);
    }
    if (misuse) throw misuse;
    if (!rest && skipped === null) throw notCalled();
    await rest;
  };

  try {
    await call(0);
    return { errors: [], skipped };
  } catch (error) {
    return { errors: errorsOf(error, handlerErrors, handlerFailure), skipped: null };
  }
}

/** The errors of a run whose middleware threw, in place of its handlers or besides them. */
function errorsOf(thrown: unknown, handlerErrors: readonly unknown[], handlerFailure: unknown): unknown[] {
  if (handlerErrors.length === 0) return [thrown];
  const isSame = thrown === handlerFailure;
  const isWrapped = thrown instanceof Error && thrown.cause === handlerFailure;
  // That a run was given up is no failure, whatever middleware makes of it.
  if (handlerErrors.some(isGivenUp))
    return isSame || isWrapped ? [...handlerErrors] : [...handlerErrors, thrown];
  if (isSame) return [...handlerErrors];
  return isWrapped || thrown instanceof Postponed ? [thrown] : [...handlerErrors, thrown];
}

/** The one error, or one for several. */
export const combine = (errors: readonly unknown[]): unknown =>
  errors.length === 1 ? errors[0] : new AggregateError(errors, 'several handlers failed');

const notCalled = (): HandoffKitError =>
  new HandoffKitError(
    'NEXT_NOT_CALLED',
    'middleware returned without calling next(), so no handler ran. Call await next(), or next.skip(reason) to skip the event on purpose.',
  );

const calledTwice = (): HandoffKitError =>
  new HandoffKitError(
    'NEXT_CALLED_TWICE',
    'middleware called next() or next.skip() more than once. The handlers ran once at most; call one of them once.',
  );
