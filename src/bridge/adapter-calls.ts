import { setMaxListeners } from 'node:events';
import { createPending, type Log, within } from '../internal/index.js';
import type { AdapterCall } from './adapter.js';
import { AdapterError } from './adapter-error.js';

/** Makes calls to an adapter: each within a time, all of them known, so that an end can wait for them. */
export interface AdapterCalls {
  /** Makes one call. Rejects with an {@link AdapterError}, whatever the adapter throws. */
  run<Result>(what: string, call: (call: AdapterCall) => Promise<Result>): Promise<Result>;
  /** Whether no more calls are made. */
  readonly ended: boolean;
  /** Aborts when the bridge ends. */
  readonly signal: AbortSignal;
  /** Waits for what runs, within a time; then aborts it. */
  end(graceMs: number): Promise<void>;
}

/** What {@link createAdapterCalls} needs. */
export interface AdapterCallParts {
  readonly system: string;
  readonly log: Log;
  /** How long any call may take, whatever the adapter does about its signal. */
  readonly timeoutMs: number;
}

/** Makes {@link AdapterCalls}. */
export function createAdapterCalls({ system, log, timeoutMs }: AdapterCallParts): AdapterCalls {
  const running = createPending();
  const controllers = new Set<AbortController>();
  const ending = new AbortController();
  // As many listen to it as conversations wait for something.
  setMaxListeners(0, ending.signal);

  const attempt = async <Result>(
    what: string,
    call: (call: AdapterCall) => Promise<Result>,
  ): Promise<Result> => {
    const controller = new AbortController();
    controllers.add(controller);
    let timer: NodeJS.Timeout | undefined;
    const givenUp = new Promise<never>((_resolve, reject) => {
      const giveUp = (why: string): void =>
        reject(new AdapterError('transient', `${system}: ${what} was given up: ${why}.`));
      controller.signal.addEventListener('abort', () => giveUp('the bridge is closing'));
      timer = setTimeout(() => {
        giveUp(`no outcome after ${timeoutMs} ms`);
        controller.abort();
      }, timeoutMs).unref();
    });
    try {
      return await Promise.race([call({ signal: controller.signal, log }), givenUp]);
    } catch (error) {
      throw toAdapterError(system, what, error);
    } finally {
      clearTimeout(timer);
      controllers.delete(controller);
    }
  };

  return {
    async run(what, call) {
      if (ending.signal.aborted) {
        throw new AdapterError('transient', `${system}: ${what} was not begun: the bridge is closing.`);
      }
      running.enter();
      try {
        return await attempt(what, call);
      } finally {
        running.leave();
      }
    },
    get ended() {
      return ending.signal.aborted;
    },
    signal: ending.signal,
    async end(graceMs) {
      ending.abort();
      await within(running.idle(), graceMs);
      for (const controller of controllers) controller.abort();
    },
  };
}

/** An adapter that throws anything else has a mistake, which trying again does not mend. */
function toAdapterError(system: string, what: string, error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  return new AdapterError('invalid', `${system}: ${what} failed in the adapter itself.`, { cause: error });
}
