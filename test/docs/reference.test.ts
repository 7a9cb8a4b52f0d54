import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.js';
import { EVENT_NAMES } from '../../src/events/catalog.js';
import { SETTINGS } from '../../src/standalone/index.js';
import { blocksIn, ROOT, read } from './pages.js';

const headingsIn = (page: string, level: string): string[] =>
  [...read(page).matchAll(new RegExp(`^${level} (.+)$`, 'gm'))].map(([, title = '']) => title);

describe('the reference', () => {
  it('matches the code', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/reference.js', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('has every command', () => {
    expect(headingsIn('docs/reference/cli.md', '##')).toEqual(
      COMMANDS.map(({ name }) => `handoff-kit ${name}`),
    );
  });

  it('has every event', () => {
    expect(headingsIn('docs/reference/events.md', '##')).toEqual([...EVENT_NAMES]);
  });

  it('has every setting', () => {
    const page = read('docs/settings.md');
    expect(SETTINGS.filter(({ env }) => !page.includes(`| \`${env}\` |`))).toEqual([]);
  });

  it('has every metric that the sources name', () => {
    const page = read('docs/reference/metrics.md');
    const folders = ['src/metrics', 'src/opentelemetry', 'src/standalone'];
    const sources = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => read(`${folder}/${name}`)),
    );
    // A quoted name after `name:` is for Prometheus; the first argument of a call is for OpenTelemetry.
    const names = sources.flatMap((source) => [
      ...source.matchAll(
        /(?:name: |duration\(\s*|create\w+\()'((?:handoff_kit|process|http|messaging)[._][\w.]+)'/g,
      ),
    ]);
    expect(names.length).toBeGreaterThan(20);
    expect(names.map(([, name = '']) => name).filter((name) => !page.includes(`| \`${name}\` |`))).toEqual(
      [],
    );
  });
});

describe('the tutorial in Simplified Chinese', () => {
  it('has the same code as the English tutorial', () => {
    expect(blocksIn(read('docs/zh/tutorial.md'))).toEqual(blocksIn(read('docs/tutorial.md')));
  });

  it('has the same headings, tables and addresses', () => {
    const shapeOf = (page: string) => ({
      headings: headingsIn(page, '##').length,
      rows: read(page).match(/^\|/gm)?.length,
      addresses: read(page)
        .match(/https?:\/\/[\w.:/-]+/g)
        ?.toSorted(),
    });
    expect(shapeOf('docs/zh/tutorial.md')).toEqual(shapeOf('docs/tutorial.md'));
  });
});
