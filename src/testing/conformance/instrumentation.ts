import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';

const METHODS = ['debug', 'error', 'info', 'log', 'warn'] as const;

/** Runs a task and hears what is written to the console meanwhile, besides what the task itself returns. */
export async function captureConsole(task: () => Promise<readonly string[]>): Promise<{ said: string[] }> {
  const said: string[] = [];
  const real = METHODS.map((method) => [method, console[method]] as const);
  for (const [method, write] of real) {
    console[method] = (...given: unknown[]) => {
      said.push(format(...given));
      write.apply(console, given);
    };
  }
  try {
    said.push(...(await task()));
    return { said };
  } finally {
    for (const [method, write] of real) console[method] = write;
  }
}

/** What a function did while it was watched. */
export interface ObservedCall<Value> {
  readonly value: Value;
  /** How many requests it made by `fetch`. */
  readonly asked: number;
}

/** Runs a function that should be pure, at another time and with its requests counted. */
export function observeCall<Value>(act: () => Value, aheadMs: number): ObservedCall<Value> {
  const { Date: realDate, fetch: realFetch } = globalThis;
  const now = realDate.now() + aheadMs;
  let asked = 0;
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now]),
    get: (target, name) => (name === 'now' ? () => now : Reflect.get(target, name)),
  });
  globalThis.fetch = (...given) => {
    asked += 1;
    return realFetch(...given);
  };
  try {
    return { value: act(), asked };
  } finally {
    globalThis.Date = realDate;
    globalThis.fetch = realFetch;
  }
}

/** Watches what a task opens: timers, connections, servers, child processes. */
export interface HandleTracker {
  /** Runs a task whose openings count, and what it sets off. */
  run<Value>(task: () => Promise<Value>): Promise<Value>;
  /** The kinds of what is open still and keeps the process alive, once that has had time to change. */
  openKinds(stepTimeoutMs: number): Promise<readonly string[]>;
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

/** Makes an {@link HandleTracker}. What others open in the same process meanwhile does not count. */
export function trackOpenHandles(): HandleTracker {
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
    async openKinds(stepTimeoutMs) {
      const deadline = performance.now() + stepTimeoutMs;
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
