import type { Call, Verb } from './run-group.js';
import type { WritesOptions } from './writes.js';

/** What the thread is told when it starts. */
export interface ThreadData extends WritesOptions {
  readonly file: string;
  /** What both sides see: see {@link GATE}. */
  readonly gate: Int32Array<SharedArrayBuffer>;
}

/** The places of the gate: whether the thread is at its database, and whether it may go there no more. */
export const GATE = { busy: 0, shut: 1 } as const;

/** What the thread is sent: groups to write, each {@link pack packed}, or that it shall end. */
export type ToThread = readonly unknown[] | 'close';

/** Lays calls one behind the other, each with how much it is told: arrays in arrays take longer to another thread. */
export function pack(calls: readonly Call[]): unknown[] {
  const packed: unknown[] = [];
  for (const [verb, args] of calls) {
    packed.push(verb, args.length);
    for (const arg of args) packed.push(arg);
  }
  return packed;
}

/** Adds the calls that were {@link pack packed} to others. */
export function unpack(packed: readonly unknown[], calls: Call[]): void {
  for (let at = 0; at < packed.length; ) {
    const from = at + 2;
    const to = from + Number(packed[at + 1]);
    calls.push([packed[at] as Verb, packed.slice(from, to)]);
    at = to;
  }
}

/** What it says: the results of all groups of a commit, one after another, or why that failed. */
export type FromThread = { readonly results: readonly unknown[] } | { readonly failed: ThreadFailure };

/** An error that has left its thread. */
export interface ThreadFailure {
  readonly message: string;
  readonly code?: unknown;
  readonly groups: number;
}
