import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies a process on its machine, so that others there notice its end at once instead of waiting for its lease:
 * the machine since its last boot, the namespace of process ids (a container has its own), the id, and the start time,
 * because ids are used again.
 */
interface ProcessIdentity {
  readonly machine: string;
  readonly pid: number;
  readonly startedAt: string;
}

/** Identifies this process; `null` where the system has no `/proc`. */
export function identifyProcess(): string | null {
  const machine = identifyMachine();
  const startedAt = readProcess(process.pid)?.startedAt;
  if (machine === null || startedAt === undefined) return null;
  return JSON.stringify({ machine, pid: process.pid, startedAt } satisfies ProcessIdentity);
}

/** Whether a process has certainly ended. `false` if it runs, is paused, or cannot be seen from here. */
export function hasEnded(identity: string | null): boolean {
  if (identity === null) return false;
  const { machine, pid, startedAt } = JSON.parse(identity) as ProcessIdentity;
  if (machine !== identifyMachine()) return false;
  const found = readProcess(pid);
  // `/proc` may hide the processes of other users, but signals tell them from missing ones.
  if (!found) return isMissing(pid);
  return found.startedAt !== startedAt || ENDED_STATES.has(found.state);
}

/** Zombie, and dead. */
const ENDED_STATES: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

let thisMachine: string | null | undefined;

/** Containers with a shared namespace count as separate machines by their host names: the lease decides there. */
function identifyMachine(): string | null {
  thisMachine ??= readOrNull(() =>
    [
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      readlinkSync('/proc/self/ns/pid'),
      hostname(),
    ].join(' '),
  );
  return thisMachine;
}

/** The state and the start time of a process: fields 3 and 22 of its `stat`, after a name that may have spaces. */
function readProcess(pid: number): { readonly state: string; readonly startedAt: string } | null {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? null : { state, startedAt };
}

function isMissing(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
