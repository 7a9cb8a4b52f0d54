import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, ROOT, read } from './pages.js';

describe('llms.txt and llms-full.txt of the package', () => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/llms.js')]);
  const index = read('llms.txt');
  const all = read('llms-full.txt');
  /** The index itself takes the place of the first, and the second is for those who report a weakness. */
  const pages = PAGES.filter((page) => !['README.md', 'SECURITY.md'].includes(page));

  it('list every page once, with a sentence', () => {
    const entries = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S.*$/gm)].map(([, file = '']) => file);
    expect(entries.filter((file) => file !== 'ARCHITECTURE.md').sort()).toEqual([...pages].sort());
    expect(index.match(/^- /gm)).toHaveLength(entries.length);
  });

  it('contain every page, except for translations', () => {
    const marks = [...all.matchAll(/^<!-- (\S+\.md) -->$/gm)].map(([, file = '']) => file);
    const expected = pages.filter((page) => !page.startsWith('docs/zh/') && page !== 'examples/README.md');
    expect(marks.sort()).toEqual([...expected].sort());
    const lastLine = read('docs/delivery.md').trim().split('\n').at(-1) ?? '';
    expect(all).toContain(lastLine);
  });

  it('have links from the folder of the package, and leave code alone', () => {
    expect(all).toContain('](docs/zh/index.md)');
    expect(all).not.toMatch(/\]\(\.\.?\//);
    const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(read('docs/events.md')) ?? [];
    expect(all).toContain(code);
  });
});

describe('AGENTS.md', () => {
  const text = read('AGENTS.md');

  it('is short, and leads to files that exist', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
    const files = [
      ...[...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, href = '']) => href),
      ...(text.match(/test\/[\w/-]+\.test\.ts/g) ?? []),
    ];
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names every folder of src', () => {
    expect(readdirSync(join(ROOT, 'src')).filter((folder) => !text.includes(folder))).toEqual([]);
  });
});
