import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.js';
import { type Call, createRunGroup } from './run-group.js';
import { type FromThread, GATE, type ThreadData, type ToThread, unpack } from './thread-messages.js';
import { createWrites } from './writes.js';

/** What waits while one commit is under way shares the next. */
function work(port: MessagePort, { file, gate, ...options }: ThreadData): void {
  const database = openDatabase(file);
  const run = createRunGroup(database, createWrites(database, options));

  /** A process that ends must not end in the middle of a statement: some drivers abort it then. */
  const pass = (through: () => void): void => {
    Atomics.store(gate, GATE.busy, 1);
    if (Atomics.load(gate, GATE.shut) === 0) through();
    Atomics.store(gate, GATE.busy, 0);
    Atomics.notify(gate, GATE.busy);
  };

  const commit = (calls: readonly Call[], groups: number): FromThread => {
    try {
      return { results: run(calls) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return { failed: { message, code, groups } };
    }
  };

  port.on('message', (first: ToThread) => {
    const calls: Call[] = [];
    let groups = 0;
    let next: ToThread | undefined = first;
    while (next !== undefined && next !== 'close') {
      unpack(next, calls);
      groups += 1;
      next = receiveMessageOnPort(port)?.message as ToThread | undefined;
    }
    pass(() => {
      if (groups > 0) port.postMessage(commit(calls, groups));
      if (next === 'close') database.close();
    });
    if (next === 'close') port.close();
  });
  pass(() => undefined);
}

// Nothing imports this file: it would begin here too, in a thread of the application.
if (parentPort) work(parentPort, workerData as ThreadData);
