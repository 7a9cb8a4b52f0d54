import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { startFakeDesk } from './fake-desk.js';
import { programsIn, ROOT } from './pages.js';

const WORK = join(ROOT, '.snippets-check');

/**
 * The adapter of the guide passes the conformance kit with the harness of the guide, whose tests these are. The reader
 * has the helpdesk.
 */
rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK);
afterAll(() => rmSync(WORK, { recursive: true, force: true }));
Object.assign(globalThis, { startFakeDesk });
for (const { file, parts } of programsIn('docs/adapters.md')) {
  const code = parts.join('');
  const name = code.includes('declare function startFakeDesk') ? 'harness.ts' : file;
  writeFileSync(join(WORK, name), code);
}
await import(/* @vite-ignore */ pathToFileURL(join(WORK, 'harness.ts')).href);
