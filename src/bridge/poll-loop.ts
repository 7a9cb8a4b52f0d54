import { AdapterError } from './adapter-error.js';
import type { BridgeParts } from './parts.js';
import type { ReceiveEvents } from './receive-events.js';
import { pause } from './retry-by-kind.js';

/** A loop that runs until the bridge ends. */
export interface Loop {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

const POLL_EVERY_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
const LEAST_LEASE_MS = 30_000;

/**
 * Asks the system for what happened, for as long as the bridge lasts. One process asks; the others stand by. What
 * was heard is safe before the cursor moves, so an end in between repeats it, and loses nothing.
 */
export function createPollLoop(parts: BridgeParts, events: ReceiveEvents): Loop {
  const { adapter, lifecycle, calls, background, auth, log, owner, settings } = parts;
  const { store } = lifecycle;
  const everyMs = adapter.capabilities.pollEveryMs ?? POLL_EVERY_MS;
  const name = `bridge poll ${adapter.name}`;
  const leaseMs = Math.max(LEAST_LEASE_MS, everyMs * 3, settings.callTimeoutMs + everyMs);

  const pollOnce = async (): Promise<void> => {
    if (!(await store.lease(name, owner, leaseMs))) return;
    const cursor = await store.cursor(name);
    const polled = await calls.run('poll', (call) => {
      if (!adapter.poll) throw new AdapterError('invalid', `${adapter.name} has no poll.`);
      return adapter.poll(cursor, call);
    });
    auth.accepted();
    await events.receive(polled.events);
    if (polled.cursor !== cursor) await store.moveCursor(name, cursor, polled.cursor);
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!background.aborted) {
      try {
        await pollOnce();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!background.aborted) report(error, failures);
      }
      await pause(waitAfter(failures), background);
    }
    await store.release(name, owner).catch(() => undefined);
  };

  const report = (error: unknown, failures: number): void => {
    if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
    else log.warn({ err: error, failures }, 'what happened in the system could not be read');
  };

  const waitAfter = (failures: number): number =>
    Math.min(Math.max(LONGEST_WAIT_MS, everyMs), everyMs * 2 ** Math.min(failures, 10));

  return { ended: run() };
}
