import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const run = (command: string, ...args: readonly string[]): void => {
  execFileSync(command, args, { stdio: 'pipe' });
};

const isPossible = (attempt: () => void): boolean => {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
};

/** Mounts a tmpfs of this size. Needs root. */
function mount(megabytes: number): { folder: string; unmount(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-disk-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    unmount() {
      // Lazily: a driver may keep a closed file open until the next garbage collection.
      run('umount', '--lazy', folder);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Requirement: mounting a small filesystem, which tests fill up. */
export const SMALL_DISK = {
  name: 'mount',
  found: isPossible(() => mount(1).unmount()),
  leavesOut: 'SQLite on a full disk',
  howToGet: 'run the tests as root on Linux, so that they can mount a small filesystem',
};

/** A filesystem of this size, until the test ends. */
export function smallDisk(megabytes: number): string {
  const disk = mount(megabytes);
  onTestFinished(() => disk.unmount());
  return disk.folder;
}

/** Makes files immutable, even for root and for processes that have them open. */
export const freeze = (...files: readonly string[]): void => run('chattr', '+i', ...files);

/** Undoes {@link freeze}. */
export const thaw = (...files: readonly string[]): void => run('chattr', '-i', ...files);

/** Requirement: `chattr +i`, which makes open files read-only. */
export const FROZEN_FILES = {
  name: 'chattr',
  found: isPossible(() => {
    const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-frozen-'));
    try {
      freeze(folder);
      thaw(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }),
  leavesOut: 'SQLite on a file that becomes read-only',
  howToGet: 'run the tests as root on Linux, with a temporary folder whose filesystem knows chattr +i',
};
