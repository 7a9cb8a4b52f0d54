import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '../../delivery/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { openDelivery } from '../../standalone/index.js';

/** A store that is gone when the demo is over. */
export interface TemporaryStore {
  readonly delivery: Delivery | null;
  remove(): void;
}

/** Opens a store for the demo, so that replies survive an outage there, too; nothing where SQLite is missing. */
export async function openTemporaryStore(): Promise<TemporaryStore> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-demo-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    return { delivery: await openDelivery({ kind: 'sqlite', file: join(folder, 'demo.db') }), remove };
  } catch (error) {
    remove();
    if (error instanceof HandoffKitError && error.code === 'SQLITE_MISSING')
      return { delivery: null, remove };
    throw error;
  }
}
