import { onTestFinished } from 'vitest';
import {
  createReceiver,
  type EventName,
  type HandlerContexts,
  HandoffKitError,
  type ReceiverOptions,
} from '../../src/index.js';
import { type BenchReceiverOptions, createTestBench, type TestBench } from '../../src/testing/index.js';

/** A receiver that says back what it hears, in a way that tests can steer by what they say. */
export function echoReceiver(options: Omit<ReceiverOptions, 'log'>) {
  return createReceiver({ log: false, ...options }).on('handoff.message', async ({ payload, reply, end }) => {
    if (payload.body === 'throw') throw new Error('as the test wants it');
    if (payload.body === 'close') await end();
    else if (payload.body !== 'be quiet') await reply(`You said: ${payload.body}`);
  });
}

/** A bench around an echo, until the test ends; `seen` has what reached the handlers, in order. */
export async function echoBench(options: Partial<ReceiverOptions> = {}) {
  const seen: HandlerContexts[EventName][] = [];
  const receiver = (given: BenchReceiverOptions) =>
    echoReceiver({ ...given, ...options })
      .admit(({ user }) => user.userId !== 'nobody' || 'we do not talk to nobody')
      .onAny((context) => {
        seen.push(context);
      });
  const bench = await createTestBench({ receiver });
  onTestFinished(() => bench.close());
  return { bench, seen };
}

/** The error that a task of the bench ends with. */
export async function errorOf(task: Promise<unknown> | (() => unknown)): Promise<HandoffKitError> {
  try {
    await (typeof task === 'function' ? task() : task);
  } catch (error) {
    if (error instanceof HandoffKitError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

/** Has a bench end with the test. */
export function untilTestEnds(bench: TestBench): TestBench {
  onTestFinished(() => bench.close());
  return bench;
}
