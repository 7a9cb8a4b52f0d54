import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.js';

const SRC = resolve(import.meta.dirname, '../../src');

/** The static imports of a module, without dynamic imports and types. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const statements = text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';$/gm);
  return Array.from(statements, ([, target = '']) => target);
}

/** Everything that loads with a file of `src`: packages by name, files by path. */
function loadedWith(start: string): string[] {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    loaded.add(relative(SRC, file));
    for (const target of importsOf(file)) {
      const path = resolve(dirname(file), target).replace(/\.js$/, '.ts');
      if (!target.startsWith('.')) loaded.add(target);
      else if (!loaded.has(relative(SRC, path))) load(path);
    }
  };
  load(resolve(SRC, start));
  return [...loaded];
}

describe('the command line', () => {
  it('loads no command until one is named', () => {
    const loaded = loadedWith('cli/main.ts');
    expect(loaded.filter((each) => each.includes('/') && !each.startsWith('cli/'))).toEqual([]);
    expect(loaded.filter((each) => each.startsWith('cli/')).sort()).toEqual([
      'cli/command-list.ts',
      'cli/main.ts',
      'cli/program.ts',
    ]);
  });

  it.each(COMMANDS)('loads for the help of $name neither a server nor an adapter', ({ name }) => {
    const loaded = loadedWith(`cli/commands/${name}.ts`);
    expect(loaded).toContain('commander');
    const servers =
      /^(express|pino|pino-http|prom-client|csv-parse)|^(adapters\/[\w-]+|desk|bridge|client|receiver|simulator)\/index/;
    expect(loaded.filter((each) => servers.test(each))).toEqual([]);
  });
});
