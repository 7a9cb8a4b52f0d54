import type { Call } from './run-group.js';
import type { WritesOptions } from './writes.js';

/** What the thread is told when it starts. */
export interface ThreadData extends WritesOptions {
  readonly file: string;
  /** What both sides see: see {@link GATE}. */
  readonly gate: Int32Array<SharedArrayBuffer>;
}

/** The places of the gate: whether the thread is at its database, and whether it may go there no more. */
export const GATE = { busy: 0, shut: 1 } as const;

/** What the thread is sent: groups to write, or that it shall end. */
export type ToThread = readonly Call[] | 'close';

/** What it says: the results of all groups of a commit, one after another, or why that failed. */
export type FromThread = { readonly results: readonly unknown[] } | { readonly failed: ThreadFailure };

/** An error that has left its thread. */
export interface ThreadFailure {
  readonly message: string;
  readonly code?: unknown;
  readonly groups: number;
}
