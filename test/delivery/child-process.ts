import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { identifyProcess } from '../../src/delivery/process-identity.js';

/** The identity that a process with this id would give itself. */
export function identityOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return JSON.stringify({ ...JSON.parse(identifyProcess() ?? '{}'), pid, startedAt });
}

/** Starts a program that is killed when the test ends. */
export function startChild(
  command: string,
  args: readonly string[],
): ChildProcess & { readonly pid: number } {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { pid } = child;
  if (pid === undefined) throw new Error('the process did not start');
  return Object.assign(child, { pid });
}
