import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { channels } from '../../src/diagnostics/index.js';
import { STORED_TREE } from '../opentelemetry/one-handoff.js';

const ROOT = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8');

describe('docs/observability.md', () => {
  it('lists every channel', () => {
    const listed = [...text.matchAll(/^\| `handoff-kit:(\w+)` \|/gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(channels));
  });

  it('lists every metric that the sources name', () => {
    const sources = ['metrics/collect.ts', 'opentelemetry/metrics.ts'].map((file) =>
      readFileSync(join(ROOT, 'src', file), 'utf8'),
    );
    const names = sources.flatMap((source) =>
      [...source.matchAll(/'((?:handoff_kit|process|http|messaging)[._][\w.]+)'/g)].map(([, name]) =>
        String(name),
      ),
    );
    const metrics = names.filter((name) =>
      /total|seconds|duration|messages$|size|age|waiting|dead|paused|available|up$/.test(name),
    );
    expect(metrics.length).toBeGreaterThan(15);
    for (const name of metrics) expect(text).toContain(`\`${name}\``);
  });

  it('shows the trace that the tests check', () => {
    expect(text).toContain(STORED_TREE);
  });

  it('has code that compiles', () => {
    const work = join(ROOT, '.observability-check');
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const config = {
      extends: '../tsconfig.json',
      compilerOptions: { noUnusedLocals: false },
      include: ['*.ts'],
    };
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config));
    const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThan(2);
    for (const [index, code] of blocks.entries()) writeFileSync(join(work, `block-${index}.ts`), code);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(() => execFileSync(process.execPath, [tsc, '-p', work], { encoding: 'utf8' })).not.toThrow();
  });
});
