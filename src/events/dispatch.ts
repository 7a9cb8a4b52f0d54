import { reportFailure } from '../diagnostics/index.js';
import { configError, createWarnOnce, HandoffKitError, type Log } from '../internal/index.js';
import { CLOSE_TYPES, MESSAGE_TYPES, unknownContentKinds } from '../protocol/index.js';
import type { DeliveredEvent, DeliveredEventName, EventPayloads, ProbePayload } from './catalog.js';
import { admitContextOf, type ContextParts, contextOf } from './context.js';
import type { FailureReport, HandlerContexts } from './handler.js';
import { type HandlerRun, isGivenUp, Postponed } from './handler-run.js';
import { botField, DEFAULT_BOT } from './identity.js';
import { combine, type Registry, runMiddleware } from './registry.js';

/** The event, conversation, request and attempt of a failure, as far as known. */
export type FailureDetails = Partial<
  Pick<FailureReport, 'event' | 'bot' | 'conversationId' | 'requestId' | 'attempt'>
>;

/** How a run that did not fail ended: its handlers ran, or middleware left the event out. */
export type HandlerOutcome = 'handled' | 'skipped';

export interface Dispatcher {
  /** Runs all handlers of an event, one after another, within the middleware. Rejects with the errors they threw. */
  handle(event: DeliveredEvent, run: HandlerRun): Promise<HandlerOutcome>;
  /** Calls the gates. Resolves to `true`, or to the reason of the first one that refuses. */
  admit(event: DeliveredEvent<'handoff.requested'>): Promise<true | string>;
  /** Calls the observers of a probe. Never rejects: the answer to a probe does not depend on them. */
  observe(
    probe: ProbePayload,
    request: { readonly bot: string | null; readonly requestId: string; readonly receivedAt: number },
  ): Promise<void>;
  /** Logs a failure and calls the error handlers. Never throws. */
  report(error: unknown, place: FailureDetails): void;
}

export interface DispatcherOptions
  extends Pick<ContextParts, 'replies' | 'waitTimeoutMs' | 'findConversation'> {
  readonly registry: Registry;
  readonly log: Log;
  /** The logger for handlers, which redacts the words of users and agents. */
  readonly handlerLog: Log;
  /** The receiver, for messages of `node:diagnostics_channel`. */
  readonly receiver: () => object;
}

/** The reason when a handoff is refused without one. */
export const NO_AGENT = 'no agent is available';

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { registry, replies, log, handlerLog, waitTimeoutMs, findConversation, receiver } = options;
  const warnOnce = createWarnOnce(log);
  const parts: ContextParts = {
    replies,
    log: handlerLog,
    waitTimeoutMs,
    findConversation,
    onPayload: (name, payload) =>
      reportNewValues[name](payload, (field, value) =>
        warnOnce(
          `${name} ${field} ${value}`,
          { event: name, field, value: value.slice(0, 100) },
          'a value that the contract does not name was passed on as it is',
        ),
      ),
    onDropped(name, values) {
      for (const { path, kind } of values) {
        warnOnce(
          `${name} dropped ${path} ${kind}`,
          { event: name, field: path, kind },
          'a value that does not fit the contract was left out of the payload; the context has it in raw',
        );
      }
    },
  };

  const report = (error: unknown, place: FailureDetails): void => {
    const { bot = place.event ? DEFAULT_BOT : null, ...rest } = place;
    const details = { event: null, conversationId: null, requestId: null, attempt: 1, ...rest };
    const where = { ...details, ...(bot !== null && botField(bot)) };
    const outboxFailed = bot === null ? 'a request failed' : 'sending a reply failed';
    log.error({ ...where, err: error }, where.event ? 'handling an event failed' : outboxFailed);
    reportFailure(() => ({ ...details, bot, error, receiver: receiver() }));
    for (const handler of registry.errorHandlers) {
      // An async function, since a handler may also throw synchronously.
      const call = async () => handler({ ...details, bot, error, log: handlerLog.child(where) });
      call().catch((err: unknown) => log.error({ ...where, err }, 'an error handler failed itself'));
    }
  };

  const placeOf = (event: DeliveredEvent): FailureDetails => ({
    event: event.name,
    bot: event.bot,
    conversationId: event.conversationId,
    requestId: event.requestId,
  });

  /** Reports errors, and throws the one that decides whether the delivery retries. */
  const fail = (event: DeliveredEvent, run: HandlerRun, errors: readonly unknown[]): never => {
    const isFailure = (error: unknown): boolean => !(error instanceof Postponed || isGivenUp(error));
    for (const error of errors.filter(isFailure)) report(error, { ...placeOf(event), attempt: run.attempt });
    // A handler that postpones must run again, even if another one failed.
    const deciding = errors.find((error) => !isFailure(error));
    throw deciding ?? combine(errors);
  };

  /** Calls handlers and collects their errors. Each runs, even if an earlier one threw; none without a claim. */
  const callEach = async (
    handlers: readonly ((context: AnyContext) => unknown)[],
    context: AnyContext,
    run: HandlerRun,
  ): Promise<readonly unknown[]> => {
    const errors: unknown[] = [];
    for (const handler of handlers) {
      try {
        if (!run.isClaimed?.()) await run.ensureClaimed?.();
        await handler(context);
      } catch (error) {
        errors.push(nameEmptyError(error));
        if (isGivenUp(error)) break;
      }
    }
    return errors;
  };

  const warnOfMissingHandler = (name: DeliveredEventName): void =>
    warnOnce(
      name,
      { event: name },
      `no handler for ${name}; the event was acknowledged and dropped. Add receiver.on('${name}', …).`,
    );

  return {
    report,
    async handle(event, run) {
      registry.seal();
      const handlers = registry.handlersOf(event.name);
      if (handlers.length === 0) {
        // A handoff request comes this far without a handler only if the application accepts it so.
        if (event.name !== 'handoff.requested') warnOfMissingHandler(event.name);
        return 'handled';
      }
      let context: AnyContext;
      try {
        context = await contextOf(parts, event, run);
        // Middleware too runs only with a claim.
        if (!run.isClaimed?.()) await run.ensureClaimed?.();
      } catch (error) {
        return fail(event, run, [error]);
      }
      const { errors, skipped } = await runMiddleware(registry.middleware, context, () =>
        callEach(handlers, context, run),
      );
      if (errors.length > 0) return fail(event, run, errors.map(nameEmptyError));
      if (skipped === null) return 'handled';
      log.info({ ...placeOf(event), reason: skipped }, 'skipped by middleware');
      return 'skipped';
    },
    async admit(event) {
      if (registry.gates.length === 0) return true;
      const context = admitContextOf(parts, event);
      try {
        for (const gate of registry.gates) {
          const verdict = await gate(context);
          if (verdict === true) continue;
          if (verdict !== false && typeof verdict !== 'string') throw wrongVerdict(verdict);
          return verdict || NO_AGENT;
        }
        return true;
      } catch (error) {
        report(error, placeOf(event));
        return NO_AGENT;
      }
    },
    async observe(payload, { bot, requestId, receivedAt }) {
      const observers = registry.handlersOf('probe');
      if (observers.length === 0) return;
      const context: HandlerContexts['probe'] = {
        event: 'probe',
        bot,
        payload,
        requestId,
        receivedAt: new Date(receivedAt),
        log: handlerLog.child({ event: 'probe', ...(bot !== null && botField(bot)), requestId }),
      };
      for (const observer of observers) {
        try {
          await observer(context);
        } catch (error) {
          report(nameEmptyError(error), { event: 'probe', bot, requestId });
        }
      }
    },
  };
}

const wrongVerdict = (verdict: unknown): HandoffKitError =>
  configError(`an admit gate must return true, false or a reason, and returned ${typeof verdict}.`);

type AnyContext = HandlerContexts[DeliveredEventName];

/** Replaces a thrown `undefined` or `null` by an error. */
const nameEmptyError = (error: unknown): unknown =>
  error ?? new HandoffKitError('EMPTY_ERROR', 'a handler threw nothing (undefined or null).');

/** Reports a value that the contract does not name. */
type NewValueReport = (field: string, value: string) => void;

const isNew = (known: readonly string[], value: string | null): value is string =>
  value !== null && !known.includes(value);

/** Reports values newer than the contract, which handlers get unchanged. */
const reportNewValues: {
  [Name in DeliveredEventName]: (payload: EventPayloads[Name], report: NewValueReport) => void;
} = {
  message(payload, report) {
    for (const kind of unknownContentKinds(payload)) report('output[].content', kind);
  },
  'handoff.requested'(payload, report) {
    for (const { message_type } of payload.body) {
      if (isNew(MESSAGE_TYPES, message_type)) report('body[].message_type', message_type);
    }
  },
  'handoff.message'() {},
  'handoff.closed'(payload, report) {
    if (isNew(CLOSE_TYPES, payload.type)) report('type', payload.type);
  },
};
