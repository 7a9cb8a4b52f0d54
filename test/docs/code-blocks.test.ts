import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PAGES, programsIn, ROOT } from './pages.js';

const WORK = join(ROOT, '.docs-check');

/** hosts.long.test.ts compiles docs/hosts.md together with files that frameworks generate. */
const ELSEWHERE = ['docs/hosts.md'];

it('every block of TypeScript and JavaScript compiles', () => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK);
  onTestFinished(() => rmSync(WORK, { recursive: true, force: true }));
  const config = {
    extends: '../tsconfig.json',
    // Few applications set the second option, and the Chat SDK's types do not compile with it.
    compilerOptions: { noUnusedLocals: false, exactOptionalPropertyTypes: false },
    include: ['**/*'],
  };
  writeFileSync(join(WORK, 'tsconfig.json'), JSON.stringify(config));
  const blocks = PAGES.filter((page) => !ELSEWHERE.includes(page)).flatMap((page) =>
    programsIn(page).map(({ file, parts }) => ({ file: join(page, file), code: parts.join('') })),
  );
  expect(blocks.length).toBeGreaterThan(20);
  for (const { file, code } of blocks) {
    mkdirSync(dirname(join(WORK, file)), { recursive: true });
    writeFileSync(join(WORK, file), code);
  }
  // Generous, since the machine may be busy.
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  expect(spawnSync(process.execPath, [tsc, '-p', WORK], { encoding: 'utf8' }).stdout).toBe('');
}, 120_000);
