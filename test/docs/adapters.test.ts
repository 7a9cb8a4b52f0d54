import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { conformanceChecks } from '../../src/testing/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
const WORK = join(ROOT, '.docs-check');
const GUIDE = readFileSync(join(ROOT, 'docs/adapters.md'), 'utf8');

afterAll(() => rmSync(WORK, { recursive: true, force: true }));

it('the guide to adapters has code blocks that compile', () => {
  const blocks = [...GUIDE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(3);
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK);
  const config = { extends: '../tsconfig.json', include: ['*.ts'] };
  writeFileSync(join(WORK, 'tsconfig.json'), JSON.stringify(config));
  blocks.forEach((code, index) => {
    writeFileSync(join(WORK, `block-${index}.ts`), code);
  });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', WORK], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

it('the guide to adapters lists the checks of the conformance kit', () => {
  const listed = [...GUIDE.matchAll(/^\| `([\w-]+)` \| (.+?) \|$/gm)]
    .filter(([line]) => line.split('|').length === 4)
    .map(([, id, title]) => ({ id, title }));
  expect(listed).toEqual(conformanceChecks);
});
