import type { Database } from './database.js';
import { type Call, createRunGroup, type Verb } from './run-group.js';
import { createWrites, type Writes } from './writes.js';

/** Writes so that everything of one turn of the event loop shares one commit. */
export interface Writer {
  /** Writes something within the next commit. Resolves to its result once that is on disk. */
  write<Name extends Verb>(
    verb: Name,
    ...args: Parameters<Writes[Name]>
  ): Promise<Awaited<ReturnType<Writes[Name]>>>;
  /** Writes nothing more, once what was begun is done. */
  close(): Promise<void>;
}

/** Hears what became of a group. */
export interface GroupEnd {
  done(results: readonly unknown[]): void;
  /** Nothing of the group has happened. */
  failed(error: unknown): void;
}

/** Takes a group to where it is written. */
export type SendGroup = (calls: readonly Call[], end: GroupEnd) => void;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects what is to be written in one turn of the event loop, and sends it as a group, or in groups of a size. */
export function collectGroups(send: SendGroup, size = Number.POSITIVE_INFINITY): Pick<Writer, 'write'> {
  let calls: Call[] = [];
  let waiting: Waiting[] = [];

  const flush = (): void => {
    if (calls.length === 0) return;
    const group = waiting;
    const sent = calls;
    calls = [];
    waiting = [];
    send(sent, {
      done(results) {
        for (const [index, { resolve }] of group.entries()) resolve(results[index]);
      },
      failed(error) {
        for (const { reject } of group) reject(error);
      },
    });
  };

  const write = (verb: Verb, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      calls.push({ verb, args });
      waiting.push({ resolve, reject });
      if (calls.length === 1) setImmediate(flush);
      else if (calls.length >= size) flush();
    });
  return { write: write as Writer['write'] };
}

/** Makes a {@link Writer} that writes in this thread, which stands still for as long as the disk takes. */
export function openWriter(database: Database, keepContent = false): Writer {
  const run = createRunGroup(database, createWrites(database, keepContent));
  const { write } = collectGroups((calls, end) => {
    let results: unknown[];
    try {
      results = run(calls);
    } catch (error) {
      return end.failed(error);
    }
    end.done(results);
  });
  return { write, close: () => Promise.resolve() };
}
