import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { HandoffKitError } from '../../internal/index.js';
import { type CommandOptions, type Commands, createCommands } from './commands.js';
import { type Connection, createTransactionRunner, rollBack } from './database.js';

/**
 * Group commit: commands that arrive while a commit is under way share the next one, so that one sync of the disk
 * serves many senders. The writer has its own thread, so that a slow disk does not block the event loop.
 *
 * ```
 *   main thread                                  writer thread
 *   run('add', …)  ─┐
 *   run('add', …)  ─┼─ once per turn ──────────► waits ─► takes every group that has arrived
 *   run('claim')   ─┘                                      BEGIN IMMEDIATE
 *                                                          run the commands, in order
 *   resolve or reject each ◄── results, or one error ──── COMMIT (synced)
 * ```
 */
export interface Writer {
  /** Runs a command within the next commit. Resolves once it is on disk. */
  run<Name extends keyof Commands>(
    name: Name,
    ...args: Parameters<Commands[Name]>
  ): Promise<ReturnType<Commands[Name]>>;
  /** Finishes the commands that were sent, and rejects later ones. */
  close(): Promise<void>;
}

export type Command = readonly [name: keyof Commands, ...args: unknown[]];

type RunCommand = (...args: readonly unknown[]) => unknown;

/** Message to the writer thread: a group of commands, or `close`. */
export type WriterRequest = readonly Command[] | 'close';

/** Message from the writer thread: the results of all groups of a commit, in order, or why the commit failed. */
export type WriterResponse =
  | { readonly results: readonly unknown[] }
  | { readonly failed: { readonly message: string; readonly code?: unknown }; readonly groups: number };

export interface WriterThreadData extends CommandOptions {
  readonly file: string;
  readonly exitGate: Int32Array;
}

/**
 * Shared between the threads: whether the writer is using the database, and whether the process is exiting. Some
 * drivers abort the process when it exits during a statement.
 */
export const EXIT_GATE = { busy: 0, exiting: 1 } as const;

/** Runs commands in one transaction. If it throws, nothing was stored. */
export function createGroupRunner(
  connection: Connection,
  options: CommandOptions,
  checkFile: () => void,
): (commands: readonly Command[]) => unknown[] {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const runTransaction = createTransactionRunner(connection) as RunCommand;
  let queueCommands: Readonly<Record<Exclude<keyof Commands, 'transaction'>, RunCommand>> | undefined;
  const run = ([name, ...args]: Command): unknown => {
    if (name === 'transaction') return runTransaction(...args);
    // Only now, since the first transaction creates the tables.
    queueCommands ??= createCommands(connection, options) as unknown as NonNullable<typeof queueCommands>;
    return queueCommands[name](...args);
  };
  return (commands) => {
    try {
      begin.get();
      const results = commands.map(run);
      commit.get();
      checkFile();
      return results;
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  };
}

interface Caller {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type SendGroup = (commands: readonly Command[], callers: readonly Caller[]) => void;

/** Collects the commands of one turn of the event loop into a group. */
function collectGroups(send: SendGroup): Writer['run'] {
  let commands: Command[] = [];
  let callers: Caller[] = [];
  const flush = (): void => {
    const group = commands;
    const waiting = callers;
    commands = [];
    callers = [];
    send(group, waiting);
  };
  const run = (...command: Command): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (commands.length === 0) setImmediate(flush);
      commands.push(command);
      callers.push({ resolve, reject });
    });
  return run as Writer['run'];
}

/** Creates a {@link Writer} that commits in the caller's thread and blocks it meanwhile. */
export function createInlineWriter(
  connection: Connection,
  options: CommandOptions,
  checkFile: () => void,
): Writer {
  const runGroup = createGroupRunner(connection, options, checkFile);
  const run = collectGroups((commands, callers) => {
    let results: unknown[];
    try {
      results = runGroup(commands);
    } catch (error) {
      for (const { reject } of callers) reject(error);
      return;
    }
    for (const [index, { resolve }] of callers.entries()) resolve(results[index]);
  });
  return { run, close: () => Promise.resolve() };
}

/** The file of the writer thread; `null` if a bundler packed this package into one file. */
export function findWriterThread(): URL | null {
  const here = import.meta.url as string | undefined;
  const file = here === undefined ? null : new URL('./writer-thread.js', here);
  return file && existsSync(file) ? file : null;
}

/** How long the exit of a process waits for its last commit. */
const EXIT_TIMEOUT_MS = 2_000;

/** The delay before a thread that died is replaced: it may die again at once. */
const RESTART_DELAY_MS = 500;

/** Called when the process exits. One listener for all databases avoids Node's warning about many listeners. */
const exitHooks = new Set<() => void>();
const runExitHooks = (): void => {
  for (const hook of exitHooks) hook();
};

/**
 * Creates a {@link Writer} with a thread of its own. A thread that dies is replaced; commands it had not answered are
 * rejected, although they may have been committed.
 */
export function createThreadWriter(threadFile: URL, data: Omit<WriterThreadData, 'exitGate'>): Writer {
  const exitGate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  /** The callers of groups that were sent and not yet answered, in order. */
  let unanswered: (readonly Caller[])[] = [];
  let thread: Worker | undefined;
  let startedAt = 0;
  let lastError: unknown;
  let closing: Promise<void> | undefined;

  const onResponse = (response: WriterResponse): void => {
    if ('failed' in response) {
      const { message, code } = response.failed;
      const error = Object.assign(new Error(message), code === undefined ? {} : { code });
      for (const { reject } of unanswered.splice(0, response.groups).flat()) reject(error);
      return;
    }
    let index = 0;
    while (index < response.results.length) {
      const callers = unanswered.shift();
      if (!callers) return;
      for (const { resolve } of callers) {
        resolve(response.results[index]);
        index += 1;
      }
    }
  };

  const start = (): Worker => {
    startedAt = performance.now();
    Atomics.store(exitGate, EXIT_GATE.busy, 1);
    const started = new Worker(threadFile, { workerData: { ...data, exitGate } satisfies WriterThreadData });
    started.on('message', onResponse);
    started.on('error', (error) => onDeath(started, error));
    started.on('exit', () => onDeath(started, closedError()));
    return started;
  };

  const onDeath = (dead: Worker, error: unknown): void => {
    if (thread !== dead) return;
    thread = undefined;
    lastError = error;
    Atomics.store(exitGate, EXIT_GATE.busy, 0);
    const callers = unanswered.flat();
    unanswered = [];
    for (const { reject } of callers) reject(error);
  };

  const run = collectGroups((commands, callers) => {
    try {
      if (closing) throw closedError();
      if (!thread && performance.now() - startedAt < RESTART_DELAY_MS) throw lastError;
      thread ??= start();
      thread.postMessage(commands satisfies WriterRequest);
      unanswered.push(callers);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  });

  const onExit = (): void => {
    Atomics.store(exitGate, EXIT_GATE.exiting, 1);
    Atomics.wait(exitGate, EXIT_GATE.busy, 1, EXIT_TIMEOUT_MS);
  };
  if (exitHooks.size === 0) process.on('exit', runExitHooks);
  exitHooks.add(onExit);

  const close = async (): Promise<void> => {
    const closed = thread;
    if (closed) {
      closed.postMessage('close' satisfies WriterRequest);
      await once(closed, 'exit');
    }
    exitHooks.delete(onExit);
    if (exitHooks.size === 0) process.off('exit', runExitHooks);
  };

  thread = start();
  return { run, close: () => (closing ??= close()) };
}

const closedError = (): HandoffKitError =>
  new HandoffKitError('DELIVERY_STOPPED', 'the database was closed.');
