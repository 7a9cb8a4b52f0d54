import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { HandoffKitError } from '../../internal/index.js';
import {
  type FromThread,
  GATE,
  pack,
  type ThreadData,
  type ThreadFailure,
  type ToThread,
} from './thread-messages.js';
import { type Asker, collectGroups, tellAll, tellFailure, type Writer } from './writer.js';

/** Where the code of the thread lies. */
export const THREAD = new URL('./thread.js', import.meta.url);

/** Whether the code of the thread is where it should be: who packs all files into one leaves it behind. */
export const hasThread = (file: URL): boolean => existsSync(file);

/** The thread begins with so many while the others are still coming; what waits for it shares a commit all the same. */
const GROUP = 16;

/** How long the end of a process waits for its last commit. */
const SHUT_WITHIN_MS = 2_000;

/** A thread that dies soon after its start dies of something that another would die of too: it is not tried at once. */
const NOT_BEFORE_MS = 500;

/** What must be shut when the process ends. */
const open = new Set<() => void>();

/** One listener for all, however many databases a process has open. */
const shutAll = (): void => {
  for (const shut of open) shut();
};

function shutAtExit(shut: () => void): () => void {
  if (open.size === 0) process.on('exit', shutAll);
  open.add(shut);
  return () => {
    open.delete(shut);
    if (open.size === 0) process.off('exit', shutAll);
  };
}

/**
 * Makes a {@link Writer} that writes in a thread of its own: the event loop goes on while the disk is slow, the log is
 * brought into the database, or another process writes. A thread that dies is followed by another; what it had not
 * answered has failed, as far as anybody can tell.
 */
export function createThreadWriter(file: URL, data: Omit<ThreadData, 'gate'>): Writer {
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  /** What was sent, in its order, and not yet answered. */
  let sent: (readonly Asker<unknown>[])[] = [];
  let thread: Worker | undefined;
  let startedAt = 0;
  let diedOf: unknown;
  let closing: Promise<void> | undefined;

  const hear = (answer: FromThread): void => {
    if ('failed' in answer) {
      const failed = sent.splice(0, answer.failed.groups);
      for (const askers of failed) tellFailure(askers, failureOf(answer.failed));
      return;
    }
    const { results } = answer;
    for (let at = 0; at < results.length; ) {
      const askers = sent.shift();
      if (!askers) return;
      tellAll(askers, results, at);
      at += askers.length;
    }
  };

  const start = (): Worker => {
    startedAt = performance.now();
    Atomics.store(gate, GATE.busy, 1);
    const started = new Worker(file, { workerData: { ...data, gate } satisfies ThreadData });
    started.on('message', hear);
    started.on('error', (error) => lose(started, error));
    started.on('exit', () => lose(started, ended()));
    return started;
  };

  const lose = (lost: Worker, error: unknown): void => {
    if (thread !== lost) return;
    thread = undefined;
    diedOf = error;
    Atomics.store(gate, GATE.busy, 0);
    const groups = sent;
    sent = [];
    for (const askers of groups) tellFailure(askers, error);
  };

  const post = (message: ToThread): void => {
    if (!thread && performance.now() - startedAt < NOT_BEFORE_MS) throw diedOf;
    thread ??= start();
    thread.postMessage(message);
  };

  const collected = collectGroups((calls, askers) => {
    if (closing) return tellFailure(askers, ended());
    try {
      post(pack(calls));
    } catch (error) {
      return tellFailure(askers, error);
    }
    sent.push(askers);
  }, GROUP);

  /** Who ends the process waits for the commit that is under way, and no other is begun. */
  const forgetShutting = shutAtExit(() => {
    Atomics.store(gate, GATE.shut, 1);
    Atomics.wait(gate, GATE.busy, 1, SHUT_WITHIN_MS);
  });

  const leave = async (): Promise<void> => {
    const leaving = thread;
    if (leaving) {
      leaving.postMessage('close' satisfies ToThread);
      await once(leaving, 'exit');
    }
    forgetShutting();
  };

  thread = start();
  return { ...collected, close: () => (closing ??= leave()) };
}

const failureOf = ({ message, code }: ThreadFailure): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

const ended = (): HandoffKitError => new HandoffKitError('DELIVERY_STOPPED', 'the database was closed.');
