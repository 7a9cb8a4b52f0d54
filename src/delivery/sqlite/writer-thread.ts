import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createFileCheck, openConnection } from './database.js';
import {
  type Command,
  createGroupRunner,
  EXIT_GATE,
  type WriterRequest,
  type WriterResponse,
  type WriterThreadData,
} from './writer.js';

function serve(port: MessagePort, { file, exitGate, ...options }: WriterThreadData): void {
  const connection = openConnection(file);
  const runGroup = createGroupRunner(connection, options, createFileCheck(file));

  /** Uses the database, unless the process is exiting. */
  const useDatabase = (work: () => void): void => {
    Atomics.store(exitGate, EXIT_GATE.busy, 1);
    if (Atomics.load(exitGate, EXIT_GATE.exiting) === 0) work();
    Atomics.store(exitGate, EXIT_GATE.busy, 0);
    Atomics.notify(exitGate, EXIT_GATE.busy);
  };

  const commit = (commands: readonly Command[], groups: number): WriterResponse => {
    try {
      return { results: runGroup(commands) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return { failed: { message, code }, groups };
    }
  };

  port.on('message', (first: WriterRequest) => {
    const commands: Command[] = [];
    let groups = 0;
    let next: WriterRequest | undefined = first;
    while (next !== undefined && next !== 'close') {
      commands.push(...next);
      groups += 1;
      next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
    }
    useDatabase(() => {
      if (groups > 0) port.postMessage(commit(commands, groups));
      if (next === 'close') connection.close();
    });
    if (next === 'close') port.close();
  });
  useDatabase(() => undefined);
}

// Only ever loaded as a worker: importing this file elsewhere would start serving there.
if (parentPort) serve(parentPort, workerData as WriterThreadData);
