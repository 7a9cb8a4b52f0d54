import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/sqlite-store.js';

const ROOT = resolve(import.meta.dirname, '../..');

it('without @opentelemetry/api, startOpenTelemetry says what to install', async () => {
  const folder = await temporaryFolder();
  for (const part of ['diagnostics', 'internal', 'opentelemetry', 'protocol'])
    cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  const program = `import { startOpenTelemetry } from './dist/opentelemetry/index.js';
    try { startOpenTelemetry(); } catch ({ code, message }) { console.log(code, message); }`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output).toMatch(/^OPENTELEMETRY_MISSING .*npm install @opentelemetry\/api/);
});
