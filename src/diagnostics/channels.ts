import {
  channel,
  subscribe,
  type TracingChannel,
  tracingChannel,
  unsubscribe,
} from 'node:diagnostics_channel';
import type { FailureMessage, StepMessage, Steps } from './messages.js';

const step = <Name extends keyof Steps>(name: Name): TracingChannel<object, Steps[Name]> =>
  tracingChannel(`handoff-kit:${name}`);

export const channels = {
  request: step('request'),
  accept: step('accept'),
  handle: step('handle'),
  greet: step('greet'),
  reply: step('reply'),
  send: step('send'),
  platform: step('platform'),
  adapter: step('adapter'),
  webhook: step('webhook'),
} as const satisfies { readonly [Name in keyof Steps]: TracingChannel<object, Steps[Name]> };

/**
 * Runs a step and publishes its messages. Call it only if the channel has subscribers: otherwise call the step itself,
 * which then costs nothing.
 */
export function traceStep<Message extends StepMessage, Result>(
  tracing: TracingChannel<object, Message>,
  message: Message,
  run: () => Promise<Result>,
): Promise<Result> {
  // Async, since a step that throws synchronously would be published twice.
  const start = async (): Promise<Result> => run();
  return tracing.tracePromise(() => (message.around ? message.around(start) : start()), message);
}

/** Runs the handling of a request. The step ends with the answer, the returned promise when all work is done. */
export function traceRequest<Message extends StepMessage & { status: number | null }>(
  tracing: TracingChannel<object, Message>,
  message: Message,
  serve: (onAnswer: (status: number) => void) => Promise<void>,
): Promise<void> {
  let work = Promise.resolve();
  const answered = (): Promise<void> =>
    new Promise((resolve, reject) => {
      work = serve((status) => {
        message.status = status;
        resolve();
      });
      // Without an answer, the sender has hung up.
      work.then(resolve, reject);
    });
  return traceStep(tracing, message, answered).then(() => work);
}

interface StepObserver<Message> {
  readonly onStart?: (message: Message) => void;
  readonly onEnd: (message: Message) => void;
}

/** Observes a step until the returned function is called. An error in the observer ends the process. */
export function observeStep<Name extends keyof Steps>(
  name: Name,
  { onStart = () => undefined, onEnd }: StepObserver<Steps[Name]>,
): () => void {
  const [began, ended] = [`tracing:handoff-kit:${name}:start`, `tracing:handoff-kit:${name}:asyncEnd`];
  const start = (message: unknown): void => onStart(message as Steps[Name]);
  const end = (message: unknown): void => onEnd(message as Steps[Name]);
  subscribe(began, start);
  subscribe(ended, end);
  return () => {
    unsubscribe(began, start);
    unsubscribe(ended, end);
  };
}

const failures = channel('handoff-kit:failure');

export function reportFailure(createMessage: () => FailureMessage): void {
  if (failures.hasSubscribers) failures.publish(createMessage());
}
