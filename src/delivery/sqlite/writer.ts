import type { Database } from './database.js';
import { type Call, createRunGroup, type Verb } from './run-group.js';
import { createWrites, type Writes, type WritesOptions } from './writes.js';

/** Hears what became of something that was to be written. */
export interface Asker<Result> {
  /** It is on disk. */
  done(result: Result): void;
  /** It has not happened. */
  failed(error: unknown): void;
}

/** Writes so that what comes together shares one commit. */
export interface Writer {
  /** Writes something within the next commit. Resolves to its result once that is on disk. */
  write<Name extends Verb>(
    verb: Name,
    ...args: Parameters<Writes[Name]>
  ): Promise<Awaited<ReturnType<Writes[Name]>>>;
  /** The same for what is written for every event, since promises cost. */
  ask<Name extends Verb>(
    asker: Asker<ReturnType<Writes[Name]>>,
    verb: Name,
    ...args: Parameters<Writes[Name]>
  ): void;
  /** Writes nothing more, once what was begun is done. */
  close(): Promise<void>;
}

/** Takes a group to where it is written. Each asker hears of its own call. */
export type SendGroup = (calls: readonly Call[], askers: readonly Asker<unknown>[]) => void;

/** Tells everybody of a group. */
export function tellAll(askers: readonly Asker<unknown>[], results: readonly unknown[], from = 0): void {
  for (let nth = 0; nth < askers.length; nth += 1) askers[nth]?.done(results[from + nth]);
}

/** Tells everybody of a group that nothing of it has happened. */
export function tellFailure(askers: readonly Asker<unknown>[], error: unknown): void {
  for (const asker of askers) asker.failed(error);
}

/** What comes takes the place of what is done: so that is removed first. */
const isFirst = (verb: Verb): boolean => verb === 'finish';

/**
 * Collects what is to be written for as long as each turn of the event loop brings more, and sends it as a group, or
 * in groups of a size. Who is alone waits for one turn that brings nothing, which takes no time.
 */
export function collectGroups(
  send: SendGroup,
  size = Number.POSITIVE_INFINITY,
): Pick<Writer, 'write' | 'ask'> {
  let first = newGroup();
  let rest = newGroup();
  /** How many there were a turn ago. */
  let before = 0;
  let watching = false;

  const count = (): number => first.calls.length + rest.calls.length;

  const flush = (): void => {
    const calls = first.calls.concat(rest.calls);
    const askers = first.askers.concat(rest.askers);
    first = newGroup();
    rest = newGroup();
    before = 0;
    send(calls, askers);
  };

  const look = (): void => {
    if (count() > before) {
      before = count();
      setImmediate(look);
      return;
    }
    watching = false;
    if (count() > 0) flush();
  };

  const ask = (asker: Asker<unknown>, verb: Verb, ...args: readonly unknown[]): void => {
    const { calls, askers } = isFirst(verb) ? first : rest;
    calls.push([verb, args]);
    askers.push(asker);
    if (count() >= size) flush();
    else if (!watching) {
      watching = true;
      setImmediate(look);
    }
  };

  const write = (verb: Verb, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => ask({ done: resolve, failed: reject }, verb, ...args));

  return { ask, write: write as Writer['write'] };
}

const newGroup = (): { calls: Call[]; askers: Asker<unknown>[] } => ({ calls: [], askers: [] });

/** Who takes no lanes: commands that look into queues and put them right. */
const ONLY_LOOKS: WritesOptions = { keepContent: false, owner: 'nobody', leaseMs: 0 };

/** Makes a {@link Writer} that writes in this thread, which stands still for as long as the disk takes. */
export function openWriter(database: Database, options: WritesOptions = ONLY_LOOKS): Writer {
  const run = createRunGroup(database, createWrites(database, options));
  const collected = collectGroups((calls, askers) => {
    let results: unknown[];
    try {
      results = run(calls);
    } catch (error) {
      return tellFailure(askers, error);
    }
    tellAll(askers, results);
  });
  return { ...collected, close: () => Promise.resolve() };
}
