import { channels, observeStep, type Steps } from '../diagnostics/index.js';
import { HandoffKitError, requireOptional } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import { createInstruments, observeQueues } from './metrics.js';
import { type Api, createSpans, type OpenSpan } from './spans.js';

export interface OpenTelemetryOptions {
  /** The receivers whose queue sizes are measured, if they store events. */
  readonly receivers?: readonly Pick<Receiver, 'storage'>[];
}

export interface Telemetry {
  /** Later steps have no spans and are not measured. */
  stop(): void;
}

let isRunning = false;

/**
 * Creates spans and metrics for all receivers of this process, with the globally registered providers. Call it once,
 * after the SDK has started. Throws if the package `@opentelemetry/api` is not installed.
 *
 * @example
 * const telemetry = startOpenTelemetry({ receivers: [receiver] });
 */
export function startOpenTelemetry({ receivers = [] }: OpenTelemetryOptions = {}): Telemetry {
  const api = loadApi();
  if (isRunning) {
    throw new HandoffKitError(
      'CONFIG_INVALID',
      'OpenTelemetry is already started: every step would have two spans. Call stop() first, or pass all receivers to one call.',
    );
  }
  const instruments = createInstruments(api);
  const spans = createSpans(api);
  /** The span of each running step, by its message. */
  const open = new WeakMap<object, OpenSpan>();
  const stops: (() => void)[] = [observeQueues(api, receivers)];

  /** An error in a subscriber would end the process. */
  const guarded =
    <Message>(run: (message: Message) => void) =>
    (message: Message): void => {
      try {
        run(message);
      } catch (error) {
        api.diag.error('handoff-kit: a step could not be traced', error);
      }
    };

  const observe = (name: keyof Steps): (() => void) =>
    observeStep(name, {
      onStart: guarded((message) => {
        const span = spans[name](message as never);
        if (!span) return;
        open.set(message, span);
        message.around = (run) => api.context.with(span.context, run);
      }),
      onEnd: guarded((message) => {
        const ended = open.get(message);
        open.delete(message);
        ended?.end();
        if (ended) instruments[name]?.(message as never, ended);
      }),
    });
  stops.push(...(Object.keys(channels) as (keyof Steps)[]).map(observe));

  isRunning = true;
  return {
    stop() {
      for (const stop of stops.splice(0)) stop();
      isRunning = false;
    },
  };
}

function loadApi(): Api {
  try {
    return requireOptional('@opentelemetry/api') as Api;
  } catch (error) {
    throw new HandoffKitError(
      'OPENTELEMETRY_MISSING',
      'the package @opentelemetry/api is not installed. Install it together with an SDK: npm install @opentelemetry/api @opentelemetry/sdk-node',
      { cause: error },
    );
  }
}
