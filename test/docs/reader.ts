import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from './pages.js';

/** A folder as a reader has it: a package of modules, in which this package and all others are installed. */
export function readersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{ "name": "reader", "private": true, "type": "module" }\n');
  const installed = join(ROOT, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(installed)) {
    symlinkSync(join(installed, name), join(folder, 'node_modules', name));
  }
  symlinkSync(ROOT, join(folder, 'node_modules/handoff-kit'));
  return folder;
}
