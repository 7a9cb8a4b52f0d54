import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import type { Engine } from '../delivery/contract.js';

/** A folder that goes with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Longer than any test: what one process holds falls to another because it was given back, not in time. */
const LEASE_MS = 600_000;

/** Files of SQLite, for the contract. */
export const sqliteEngine: Engine = {
  stores: true,
  async createStore() {
    const file = join(await mkdtemp(join(tmpdir(), 'handoff-kit-')), 'handoff.db');
    return {
      open: (options) => sqlite({ file, leaseMs: LEASE_MS, pollMs: 20, ...options }),
      remove: () => rm(join(file, '..'), { recursive: true, force: true }),
    };
  },
};
