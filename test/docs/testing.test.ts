import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blocksIn, ROOT, read } from './pages.js';

it('the guide to testing has tests that pass', () => {
  const work = join(ROOT, '.testing-check');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  onTestFinished(() => rmSync(work, { recursive: true, force: true }));
  const tests = blocksIn(read('docs/testing.md')).filter(({ code }) => code.includes("from 'node:test'"));
  expect(tests.length).toBeGreaterThan(1);
  const files = tests.map(({ code }, index) => {
    // The code has no types, so that Node can run it unchanged.
    const file = join(work, `guide-${index}.test.mjs`);
    writeFileSync(file, code);
    return file;
  });
  // Under vitest, node:test would consider itself another runner's child.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const output = execFileSync(process.execPath, ['--test', ...files], { encoding: 'utf8', env });
  expect(output).toMatch(/^(?:#|ℹ) fail 0$/m);
  expect(output).not.toMatch(/^(?:#|ℹ) pass 0$/m);
});
