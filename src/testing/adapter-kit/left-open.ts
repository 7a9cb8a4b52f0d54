import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Watches what a task opens: timers, connections, servers, child processes. */
export interface OpenWatch {
  /** Runs a task whose openings count, and what it sets off. */
  run<Value>(task: () => Promise<Value>): Promise<Value>;
  /** The kinds of what is open still and keeps the process alive, once that has had time to change. */
  left(patienceMs: number): Promise<readonly string[]>;
  stop(): void;
}

/** What keeps a process alive, by the names that Node has for it. */
const KINDS = new Set([
  'Timeout',
  'TCPWRAP',
  'TCPSERVERWRAP',
  'PIPEWRAP',
  'UDPWRAP',
  'PROCESSWRAP',
  'FSEVENTWRAP',
  'WORKER',
]);
const LOOK_EVERY_MS = 20;

/** Makes an {@link OpenWatch}. What others open in the same process meanwhile does not count. */
export function watchOpen(): OpenWatch {
  const inside = new AsyncLocalStorage<true>();
  const open = new Map<number, { readonly kind: string; readonly resource: object }>();
  const hook = createHook({
    init(id, kind, _trigger, resource) {
      if (KINDS.has(kind) && inside.getStore()) open.set(id, { kind, resource });
    },
    destroy: (id) => void open.delete(id),
  }).enable();
  const kinds = (): string[] =>
    [...open.values()].filter(({ resource }) => keepsAlive(resource)).map(({ kind }) => kind);

  return {
    run: (task) => inside.run(true, task),
    async left(patienceMs) {
      const deadline = performance.now() + patienceMs;
      // Connections take a moment to end after both sides have let go.
      while (kinds().length > 0 && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
      return [...new Set(kinds())];
    },
    stop: () => void hook.disable(),
  };
}

function keepsAlive(resource: object): boolean {
  return !('hasRef' in resource) || typeof resource.hasRef !== 'function' || Boolean(resource.hasRef());
}
