import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.js';
import { type Call, createRunGroup } from './run-group.js';
import { type FromThread, GATE, type ThreadData, type ToThread } from './thread-messages.js';
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

// Nothing imports this file: it would begin here too, in a thread of the application.
if (parentPort) work(parentPort, workerData as ThreadData);
