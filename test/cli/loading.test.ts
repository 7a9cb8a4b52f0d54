import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.js';

const SRC = resolve(import.meta.dirname, '../../src');

/** What a module names in its imports and exports: not what it loads when it needs it, nor types. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const statements = text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';$/gm);
  return Array.from(statements, ([, target = '']) => target);
}

/** Everything that is loaded together with a file of `src`: packages by name, files by path. */
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
      'cli/exit.ts',
      'cli/main.ts',
      'cli/program.ts',
    ]);
  });

  it.each(COMMANDS)(
    'loads with $name what explains it, and what it does only when it does it',
    ({ name }) => {
      const loaded = loadedWith(`cli/commands/${name}.ts`);
      expect(loaded).toContain('commander');
      const servers =
        /^(express|pino|pino-http|csv-parse)|^(adapters\/\w+|bridge|receiver|service|simulator)\/index/;
      expect(loaded.filter((each) => servers.test(each))).toEqual([]);
    },
  );
});
