import { HandoffKitError } from '../internal/index.js';
import { DELIVERED_EVENT_NAMES, EVENT_NAMES, type EventName } from './catalog.js';
import type { AdmitGate, AnyHandler, ErrorHandler, Handler } from './handler.js';
import type { Middleware } from './middleware.js';

/** The registered handlers. */
export interface Registry {
  /** Adds a handler of one kind of event. */
  on<Name extends EventName>(name: Name, handler: Handler<Name>): void;
  /** Adds a handler of every kind of event but probes. */
  onAny(handler: AnyHandler): void;
  /** Adds middleware around the handlers of every delivered event. */
  use(middleware: Middleware): void;
  /** Adds an error handler. */
  onError(handler: ErrorHandler): void;
  /** Adds a gate that a handoff request must pass. */
  admit(gate: AdmitGate): void;
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

/** Creates an empty {@link Registry}. */
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
      checkName(name);
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

function checkName(name: string): void {
  if ((EVENT_NAMES as readonly string[]).includes(name)) return;
  const hint =
    name === '*' ? ' For every event, use onAny.' : name === 'error' ? ' For failures, use onError.' : '';
  throw new HandoffKitError(
    'UNKNOWN_EVENT',
    `there is no event '${name}'. The events are ${EVENT_NAMES.join(', ')}.${hint}`,
  );
}
