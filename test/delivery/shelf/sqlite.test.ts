import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { openSqliteShelf } from '../../../src/delivery/sqlite/index.js';
import { describeShelf } from './contract.js';

describe('a shelf in SQLite', () => {
  describeShelf(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-shelf-'));
    const file = join(folder, 'shelf.db');
    const shelves = [openSqliteShelf(file), openSqliteShelf(file)] as const;
    onTestFinished(async () => {
      for (const opened of shelves) await opened.close();
      rmSync(folder, { recursive: true });
    });
    return [shelves[0].shelf, shelves[1].shelf];
  });
});
