import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.js';
import { type Call, createRunGroup } from './run-group.js';
import { createWrites } from './writes.js';

/** What the thread is told when it starts. */
export interface ThreadData {
  readonly file: string;
  readonly keepContent: boolean;
  /** What both sides see: see {@link GATE}. */
  readonly gate: Int32Array<SharedArrayBuffer>;
}

/** The places of the gate: whether the thread is at its database, and whether it may go there no more. */
export const GATE = { busy: 0, shut: 1 } as const;

/** What the thread is sent: groups to write, or that it shall end. */
export type ToThread = readonly Call[] | 'close';

/** What it says: the results of all groups of a commit, one after another, or why that failed. */
export type FromThread = { readonly results: readonly unknown[] } | { readonly failed: ThreadFailure };

/** An error that has left its thread. */
export interface ThreadFailure {
  readonly message: string;
  readonly code?: unknown;
  readonly groups: number;
}

/** What waits while one commit is under way shares the next. */
function work(port: MessagePort, { file, keepContent, gate }: ThreadData): void {
  const database = openDatabase(file);
  const run = createRunGroup(database, createWrites(database, keepContent));

  /** A process that ends must not end in the middle of a statement: some drivers abort it then. */
  const pass = (through: () => void): void => {
    Atomics.store(gate, GATE.busy, 1);
    if (Atomics.load(gate, GATE.shut) === 0) through();
    Atomics.store(gate, GATE.busy, 0);
    Atomics.notify(gate, GATE.busy);
  };

  const commit = (groups: readonly (readonly Call[])[]): FromThread => {
    try {
      return { results: run(groups.flat()) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return { failed: { message, code, groups: groups.length } };
    }
  };

  port.on('message', (first: ToThread) => {
    const groups: (readonly Call[])[] = [];
    let next: ToThread | undefined = first;
    while (next !== undefined && next !== 'close') {
      groups.push(next);
      next = receiveMessageOnPort(port)?.message as ToThread | undefined;
    }
    pass(() => {
      if (groups.length > 0) port.postMessage(commit(groups));
      if (next === 'close') database.close();
    });
    if (next === 'close') port.close();
  });
  pass(() => undefined);
}

if (parentPort) work(parentPort, workerData as ThreadData);
