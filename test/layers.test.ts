import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/** The folders from the lowest to the highest of the core, each of which may import those before it. */
const CORE = [
  'internal',
  'protocol',
  'diagnostics',
  'client',
  'events',
  'handoff',
  'delivery',
  'recording',
  'receiver',
  'bridge',
  'adapters',
];

const below = (folder: string): string[] => CORE.slice(0, CORE.indexOf(folder));
const without = (folders: readonly string[], ...excluded: readonly string[]): string[] =>
  folders.filter((folder) => !excluded.includes(folder));

/** What each folder may import. `cli` may import everything; `public` re-exports. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  protocol: below('protocol'),
  diagnostics: below('diagnostics'),
  client: below('client'),
  events: below('events'),
  handoff: without(below('handoff'), 'client'),
  delivery: below('delivery'),
  recording: ['protocol', 'internal'],
  receiver: below('receiver'),
  bridge: without(below('bridge'), 'client'),
  adapters: below('adapters'),
  desk: below('adapters'),
  metrics: without(below('adapters'), 'client'),
  opentelemetry: ['receiver', 'diagnostics', 'protocol', 'internal'],
  bindings: ['receiver', 'internal'],
  simulator: ['internal'],
  doctor: ['simulator', 'protocol', 'internal'],
  testing: [...without(below('adapters'), 'client'), 'simulator'],
  standalone: [...CORE, 'desk', 'metrics'],
  public: [...CORE, 'desk', 'bindings', 'metrics', 'opentelemetry', 'simulator', 'testing'],
};

/** Entries besides those of folders and adapters: each is a part that can be loaded without the rest. */
const SECOND_ENTRIES: readonly string[] = [
  'desk/records.js',
  'delivery/postgres/index.js',
  'delivery/sqlite/index.js',
  'internal/create-log.js',
  'internal/readable-log.js',
  'recording/replay.js',
  'simulator/sending/index.js',
];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file));

/** `import … from`, `export … from`, `import('…')`, and imports for their side effects. */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)'(\.[^']+)'/g;

const importsOf = (file: string, text: string): Import[] =>
  [...text.matchAll(IMPORT)].map(([, path = '']) => ({
    file,
    target: relative(SRC, resolve(SRC, dirname(file), path)).replaceAll('\\', '/'),
  }));

const imports = files.flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')));

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

describe('the layers', () => {
  it.each([
    ["import { a } from './x.js';", 'receiver/x.js'],
    ["export * from '../events/index.js';", 'events/index.js'],
    ["import '../delivery/index.js';", 'delivery/index.js'],
    ["await import('../delivery/sqlite/index.js');", 'delivery/sqlite/index.js'],
  ])('are read from every form of import: %s', (text, target) => {
    expect(importsOf('receiver/a.ts', text)).toEqual([{ file: 'receiver/a.ts', target }]);
  });

  it('are read from many imports in every folder', () => {
    expect(imports.length).toBeGreaterThan(500);
    const importing = new Set(imports.map(({ file }) => folderOf(file)));
    expect([...importing]).toEqual(
      expect.arrayContaining([...without(Object.keys(MAY_IMPORT), 'internal'), 'cli']),
    );
  });

  it('are those that ARCHITECTURE.md draws', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const drawn = [...text.matchAll(/^(\w+)\/ +\S/gm)].map(([, folder]) => folder);
    expect(new Set(drawn)).toEqual(new Set([...Object.keys(MAY_IMPORT), 'cli']));
    expect(new Set(files.map(folderOf))).toEqual(new Set(drawn));
  });

  it('have an entry each', () => {
    for (const folder of Object.keys(MAY_IMPORT)) {
      if (!['adapters', 'bindings'].includes(folder)) expect(files, folder).toContain(`${folder}/index.ts`);
    }
    const adapters = new Set(files.flatMap((file) => /^adapters\/[\w-]+/.exec(file)?.[0] ?? []));
    for (const adapter of adapters) expect(files, adapter).toContain(`${adapter}/index.ts`);
  });

  it.each(Object.entries(MAY_IMPORT))('%s imports only folders below it', (folder, allowed) => {
    const others = imports
      .filter(({ file, target }) => folderOf(file) === folder && folderOf(target) !== folder)
      .filter(({ target }) => !allowed.includes(folderOf(target)));
    expect(others).toEqual([]);
  });

  it('have no circles of imports, not even of types', () => {
    const sourceOf = (target: string): string =>
      files.find((file) => file.replace(/tsx?$/, 'js') === target) ?? target;
    const edges = imports.map(({ file, target }) => ({ file, target: sourceOf(target) }));
    // A file that imports no remaining file goes; only circles, and what imports them, stay.
    let remaining = new Set(files);
    for (let before = -1; before !== remaining.size; ) {
      before = remaining.size;
      const importing = edges.filter(({ target }) => remaining.has(target));
      remaining = new Set(importing.map(({ file }) => file).filter((file) => remaining.has(file)));
    }
    expect([...remaining]).toEqual([]);
  });

  it('have public names in one folder, which only re-exports', () => {
    for (const file of files.filter((each) => folderOf(each) === 'public')) {
      const statements = readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      expect(statements.replaceAll(/export [^;]* from '[^']+';/g, '').trim(), file).toBe('');
    }
  });

  it('are entered by their entries', () => {
    const others = imports
      .filter(({ file, target }) => !(folderOf(file) === 'public' && folderOf(target) === 'bindings'))
      .filter(({ file, target }) => folderOf(file) !== folderOf(target))
      .filter(({ target }) => !/^(adapters\/[\w-]+|\w+)\/index\.js$/.test(target))
      .filter(({ target }) => !SECOND_ENTRIES.includes(target));
    expect(others).toEqual([]);
  });
});
