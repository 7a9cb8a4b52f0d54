import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';

const METHODS = ['debug', 'error', 'info', 'log', 'warn'] as const;

/** Runs a task and returns the console output during it, followed by the lines that the task returns. */
export async function captureConsole(task: () => Promise<readonly string[]>): Promise<string[]> {
  const lines: string[] = [];
  const real = METHODS.map((method) => [method, console[method]] as const);
  for (const [method, write] of real) {
    console[method] = (...given: unknown[]) => {
      lines.push(format(...given));
      write.apply(console, given);
    };
  }
  try {
    lines.push(...(await task()));
    return lines;
  } finally {
    for (const [method, write] of real) console[method] = write;
  }
}

interface ObservedCall<Value> {
  readonly value: Value;
  /** The number of `fetch` calls. */
  readonly fetchCount: number;
}

/** Runs a function that should be pure, with the clock `aheadMs` in the future and `fetch` calls counted. */
export function observeCall<Value>(act: () => Value, aheadMs: number): ObservedCall<Value> {
  const { Date: realDate, fetch: realFetch } = globalThis;
  const now = realDate.now() + aheadMs;
  let fetchCount = 0;
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now]),
    get: (target, name) => (name === 'now' ? () => now : Reflect.get(target, name)),
  });
  globalThis.fetch = (...given) => {
    fetchCount += 1;
    return realFetch(...given);
  };
  try {
    return { value: act(), fetchCount };
  } finally {
    globalThis.Date = realDate;
    globalThis.fetch = realFetch;
  }
}

/** Tracks the handles that a task opens: timers, connections, servers, child processes. */
interface HandleTracker {
  /** Runs a task whose handles are tracked, including those of its continuations. */
  run<Value>(task: () => Promise<Value>): Promise<Value>;
  /** The kinds of open handles that keep the process alive. Waits up to the timeout for them to close. */
  openKinds(timeoutMs: number): Promise<readonly string[]>;
  stop(): void;
}

/** Async resource types that keep a process alive. */
const HANDLE_KINDS = new Set([
  'Timeout',
  'TCPWRAP',
  'TCPSERVERWRAP',
  'PIPEWRAP',
  'UDPWRAP',
  'PROCESSWRAP',
  'FSEVENTWRAP',
  'WORKER',
]);
const POLL_INTERVAL_MS = 20;

/** Handles opened by concurrent code are not counted. */
export function trackOpenHandles(): HandleTracker {
  const tracked = new AsyncLocalStorage<true>();
  const open = new Map<number, { readonly kind: string; readonly resource: object }>();
  const hook = createHook({
    init(id, kind, _trigger, resource) {
      if (HANDLE_KINDS.has(kind) && tracked.getStore()) open.set(id, { kind, resource });
    },
    destroy: (id) => void open.delete(id),
  }).enable();
  const kinds = (): string[] =>
    [...open.values()].filter(({ resource }) => keepsAlive(resource)).map(({ kind }) => kind);

  return {
    run: (task) => tracked.run(true, task),
    async openKinds(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      // Connections take a moment to close.
      while (kinds().length > 0 && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
      return [...new Set(kinds())];
    },
    stop: () => void hook.disable(),
  };
}

function keepsAlive(resource: object): boolean {
  return !('hasRef' in resource) || typeof resource.hasRef !== 'function' || Boolean(resource.hasRef());
}
