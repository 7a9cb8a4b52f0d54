import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, read } from './pages.js';

/** The files of the package, as npm packs it. */
const packed: string[] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  }),
)[0].files.map(({ path }: { readonly path: string }) => path);

const withoutCode = (text: string): string =>
  text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, 'code');

/** A page's relative links and pictures. */
const linksIn = (page: string): string[] =>
  [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href = '']) => href)
    .filter((href) => !/^[a-z]+:/.test(href));

/** A page's anchors, derived from its headings as on GitHub and the site. */
function anchorsOf(page: string): string[] {
  const headings = [
    ...read(page)
      .replace(/^```.*?^```$/gms, '')
      .matchAll(/^#+ (.+)$/gm),
  ];
  return headings.map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The problem with a link, if any. */
function problemOf(page: string, href: string): string | null {
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  const isFolder = packed.some((file) => file.startsWith(`${target}/`));
  if (!packed.includes(target) && !isFolder) return `${page}: ${href} is not in the package`;
  if (anchor && !anchorsOf(target).includes(anchor)) return `${page}: ${href} has no such heading`;
  return null;
}

describe('the links of the package', () => {
  const pages = packed.filter(
    (file) => (file.endsWith('.md') && file !== 'CHANGELOG.md') || /^llms.*\.txt$/.test(file),
  );

  it('lead to files of the package, and to headings in them', () => {
    const links = pages.flatMap((page) => linksIn(page).map((href) => ({ page, href })));
    expect(links.length).toBeGreaterThan(100);
    expect(
      links.map(({ page, href }) => problemOf(page, href)).filter((problem) => problem !== null),
    ).toEqual([]);
  });

  it('are found, and their mistakes reported', () => {
    expect(linksIn('README.md')).toContain('docs/tutorial.md');
    expect(problemOf('README.md', 'docs/none.md')).toContain('is not in the package');
    expect(problemOf('README.md', 'docs/delivery.md#none')).toContain('has no such heading');
    expect(problemOf('docs/tutorial.md', '../README.md#a-receiver-in-one-file')).toBeNull();
  });
});

describe('the package', () => {
  it('has the documentation and the examples, and no node_modules', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'llms.txt',
        'llms-full.txt',
        'docs/tutorial.md',
        'docs/zh/tutorial.md',
        'docs/reference/cli.md',
        'examples/README.md',
      ]),
    );
    expect(
      packed.filter((file) => file.includes('node_modules') || file.startsWith('docs/reference/api')),
    ).toEqual([]);
  });
});
