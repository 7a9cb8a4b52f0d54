import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { startFakeDesk } from './fake-desk.js';
import { programsIn, ROOT } from './pages.js';

const WORK = join(ROOT, '.snippets-check');

/**
 * The adapter of the guide passes the conformance kit with the harness of the guide, and carries a conversation: both are
 * tests of the guide. The reader has the helpdesk.
 */
rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK);
afterAll(() => rmSync(WORK, { recursive: true, force: true }));
Object.assign(globalThis, { startFakeDesk });
for (const { file, parts } of programsIn('docs/adapters.md')) writeFileSync(join(WORK, file), parts.join(''));
// It imports the tests of the kit.
await import(/* @vite-ignore */ pathToFileURL(join(WORK, 'our-desk.together.ts')).href);
