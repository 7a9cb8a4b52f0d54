import { onTestFinished } from 'vitest';
import type { HandlerContexts } from '../../src/events/index.js';
import {
  createReceiver,
  type EventName,
  HandoffKitError,
  type ReceiverOptions,
} from '../../src/public/index.js';
import { type BenchReceiverOptions, createTestBench, type TestBench } from '../../src/testing/index.js';

/** A receiver that echoes messages. The texts "throw", "close" and "be quiet" change its behaviour. */
export function echoReceiver(options: Omit<ReceiverOptions, 'log'>) {
  return createReceiver({ log: false, unhandled: 'accept', ...options }).on(
    'handoff.message',
    async ({ payload, reply, end }) => {
      if (payload.body === 'throw') throw new Error('thrown on purpose');
      if (payload.body === 'close') await end();
      else if (payload.body !== 'be quiet') await reply(`You said: ${payload.body}`);
    },
  );
}

/** A bench with an echo receiver, until the test ends. `handled` collects the handler contexts in order. */
export async function echoBench(options: Partial<ReceiverOptions> = {}) {
  const handled: HandlerContexts[EventName][] = [];
  const record = (context: HandlerContexts[EventName]): void => {
    handled.push(context);
  };
  const receiver = (given: BenchReceiverOptions) =>
    echoReceiver({ ...given, ...options })
      .admit(({ user }) => user.userId !== 'blocked-user' || 'this user is blocked')
      .onAny(record)
      .on('probe', record);
  const bench = await createTestBench({ receiver });
  onTestFinished(() => bench.close());
  return { bench, handled };
}

/** The error of a task. */
export async function errorOf(task: Promise<unknown> | (() => unknown)): Promise<HandoffKitError> {
  try {
    await (typeof task === 'function' ? task() : task);
  } catch (error) {
    if (error instanceof HandoffKitError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

/** Closes a bench at the end of the test. */
export function closeAfterTest(bench: TestBench): TestBench {
  onTestFinished(() => bench.close());
  return bench;
}
