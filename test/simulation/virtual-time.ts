import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/**
 * Virtual time and chance for production code, which reads the global clock, timers and random numbers. While an event
 * of a simulated process runs, and everything that follows from it without waiting, those globals belong to that
 * process; at all other times they are the real ones.
 */
export interface VirtualProcess {
  /** What `Date.now()` returns. */
  wallClock(): number;
  /** What `performance.now()` returns. */
  monotonicClock(): number;
  /** Calls back after a time. Returns a function that cancels it. */
  startTimer(ms: number, callback: () => void): () => void;
  /** What `Math.random()` returns. */
  chance(): number;
}

let current: VirtualProcess | null = null;

/**
 * Runs an event as a process. Resolves once every promise that it settled has been followed: ticks run when no
 * promise is left, and before any other event of Node.
 */
export async function runAs(process: VirtualProcess | null, event: () => void): Promise<void> {
  current = process;
  try {
    event();
    await new Promise<void>((resolve) => globalThis.process.nextTick(resolve));
  } finally {
    current = null;
  }
}

class VirtualTimer {
  readonly #arm: () => () => void;
  #cancel: () => void;

  constructor(arm: () => () => void) {
    this.#arm = arm;
    this.#cancel = arm();
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    this.#cancel();
    this.#cancel = this.#arm();
    return this;
  }
  close(): this {
    this.#cancel();
    return this;
  }
}

type Callback = (...args: unknown[]) => void;

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  clearImmediate: globalThis.clearImmediate,
  Date: globalThis.Date,
  random: Math.random,
  performanceNow: performance.now.bind(performance),
  sleep: timersPromises.setTimeout,
  randomUUID: crypto.randomUUID,
  randomBytes: crypto.randomBytes,
};

const once = (process: VirtualProcess, callback: Callback, ms: number, args: unknown[]): VirtualTimer =>
  new VirtualTimer(() => process.startTimer(ms, () => callback(...args)));

function repeat(process: VirtualProcess, callback: Callback, ms: number, args: unknown[]): VirtualTimer {
  return new VirtualTimer(() => {
    let cancel = (): void => undefined;
    const arm = (): void => {
      cancel = process.startTimer(ms, () => {
        arm();
        callback(...args);
      });
    };
    arm();
    return () => cancel();
  });
}

const clear =
  (clearReal: (timer: never) => void) =>
  (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.close();
    else clearReal(timer as never);
  };

/** Like `setTimeout` of `node:timers/promises`. */
function sleep(process: VirtualProcess, ms: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      timer.close();
      reject(signal?.reason);
    };
    const end = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    };
    const timer = once(process, end, ms, []);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

class VirtualDate extends real.Date {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(VirtualDate.now());
    else super(...(args as [number]));
  }
  static override now(): number {
    return current ? current.wallClock() : real.Date.now();
  }
}

const atLeast = (ms: unknown): number => Math.max(1, Number(ms) || 0);

const virtualBytes = (process: VirtualProcess, size: number): Buffer =>
  Buffer.from(Array.from({ length: size }, () => Math.floor(process.chance() * 256)));

const virtualUuid = (process: VirtualProcess): string =>
  virtualBytes(process, 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Replaces the global clock, timers and random numbers while `task` runs. */
export async function withVirtualTime<Result>(task: () => Promise<Result>): Promise<Result> {
  const set = (target: object, replacements: object): void => {
    for (const [name, value] of Object.entries(replacements)) {
      Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
    }
  };
  set(globalThis, {
    setTimeout: (callback: Callback, ms?: number, ...args: unknown[]) =>
      current ? once(current, callback, atLeast(ms), args) : real.setTimeout(callback, ms, ...(args as [])),
    setInterval: (callback: Callback, ms?: number, ...args: unknown[]) =>
      current
        ? repeat(current, callback, atLeast(ms), args)
        : real.setInterval(callback, ms, ...(args as [])),
    setImmediate: (callback: Callback, ...args: unknown[]) =>
      current ? once(current, callback, 0, args) : real.setImmediate(callback, ...(args as [])),
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    clearImmediate: clear(real.clearImmediate),
    Date: VirtualDate,
  });
  set(Math, { random: () => (current ? current.chance() : real.random()) });
  set(performance, { now: () => (current ? current.monotonicClock() : real.performanceNow()) });
  set(timersPromises, {
    setTimeout: (ms?: number, value?: unknown, options?: { signal?: AbortSignal }) =>
      current ? sleep(current, atLeast(ms), value, options?.signal) : real.sleep(ms, value, options),
  });
  set(crypto, {
    randomUUID: () => (current ? virtualUuid(current) : real.randomUUID()),
    randomBytes: (size: number, ...rest: []) =>
      current ? virtualBytes(current, size) : real.randomBytes(size, ...rest),
  });
  syncBuiltinESMExports();
  try {
    return await task();
  } finally {
    const { sleep: realSleep, random, randomUUID, randomBytes, performanceNow: _now, ...globals } = real;
    set(globalThis, globals);
    set(Math, { random });
    Reflect.deleteProperty(performance, 'now');
    set(timersPromises, { setTimeout: realSleep });
    set(crypto, { randomUUID, randomBytes });
    syncBuiltinESMExports();
  }
}
