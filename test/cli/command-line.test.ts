import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/standalone/index.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { runCli, runCliProcess } from './run-cli.js';

const packageFile = new URL('../../package.json', import.meta.url);

const outcome = (...args: string[]) => runCli(args, { env: { FORCE_COLOR: '1' } });

/** Makes a package look as if it were not installed. */
const withoutPackages = (...names: string[]): string => {
  const code = `import Module from 'node:module';
    for (const name of ['_load', '_resolveFilename']) {
      const original = Module[name];
      Module[name] = (request, ...rest) => {
        if (!${JSON.stringify(names)}.includes(request)) return Reflect.apply(original, Module, [request, ...rest]);
        throw Object.assign(new Error('Cannot find ' + request), { code: 'MODULE_NOT_FOUND' });
      };
    }`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
};

const PLATFORM = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: 'key' };

describe('the command line', () => {
  it('shows the version of the package', async () => {
    const { version }: { version: string } = JSON.parse(readFileSync(packageFile, 'utf8'));
    for (const run of [runCli, runCliProcess]) {
      const { code, stdout, stderr } = await run(['--version'], { env: { FORCE_COLOR: '1' } });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    }
  });

  it('explains how to start', async () => {
    const { code, stdout } = await outcome('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('handoff-kit serve --dev');
    expect(stdout).toMatch(/^ {2}serve /m);
  });

  it.each([
    ['serve', '--help'],
    ['help', 'serve'],
  ])('explains every setting of serve: %s %s', async (...args) => {
    const { code, stdout } = await outcome(...args);
    expect(code).toBe(0);
    for (const { flag, env } of SETTINGS) {
      expect(stdout).toContain(flag);
      expect(stdout).toContain(`[${env}]`);
    }
    expect(stdout).toMatch(/Examples:.*\$ handoff-kit serve --config handoff\.json/s);
    expect(stdout).toContain('Exit codes:');
  });

  it.each([
    [['serv'], "unknown command 'serv'\n(Did you mean serve?)"],
    [['serve', '--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['serve', '--port'], "option '--port <number>' argument missing"],
    [['serve', 'more'], 'too many arguments'],
    [['--nonsense'], "unknown option '--nonsense'"],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const { code, stdout, stderr } = await outcome(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(complaint);
    expect(stderr).toContain('handoff-kit --help');
  });

  it.each([
    [['serve'], {}, 'Cannot start: 2 things are wrong with the settings.'],
    [['inbox', 'list'], { DATABASE_URL: 'sqlite:/none.db' }, 'There is no database at /none.db.'],
    [['desk', 'list-agents'], { DATABASE_URL: 'none' }, 'DATABASE_URL is none: nothing is stored,'],
    [
      ['simulate', '--receiver-url', 'http://127.0.0.1:1', '--webhook-secret', 's'],
      {},
      'A secret is sent together with',
    ],
    [
      ['send', 'chat', '--receiver-url', 'http://127.0.0.1:1', '--body', '/none'],
      {},
      'Cannot read /none (ENOENT).',
    ],
    [['check'], {}, 'PLATFORM_BASE_URL (--platform-base-url) is missing:'],
    [['knowledge', 'add'], PLATFORM, 'There is nothing to add. Give pairs or files;'],
    [['adapter', 'scrip'], {}, 'Give --url:'],
  ])('says as a sentence what is wrong with %j', async (args, env, sentence) => {
    const { code, stdout, stderr } = await runCli(args, { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.slice(0, sentence.length)).toBe(sentence);
  });

  it.each([
    [['serve'], 'sqlite:./x.db', 'npm install @photostructure/sqlite'],
    [['serve'], 'postgres://127.0.0.1:1/x', 'npm install pg'],
    [['desk', 'add-agent', 'ann'], 'sqlite:./x.db', 'npm install @photostructure/sqlite'],
    [['inbox', 'list'], 'postgres://127.0.0.1:1/x', 'npm install pg'],
  ])('exits with 2 when the package that %j needs for %s is not installed', async (args, url, remedy) => {
    const env = { ...ENVIRONMENT, DATABASE_URL: url };
    const hidden = withoutPackages('node:sqlite', '@photostructure/sqlite', 'pg');
    const { code, stdout, stderr } = await runCliProcess(args, { env: { ...env, NODE_OPTIONS: hidden } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain('    at ');
  });

  it('shows its help and exits with 2 without a command', async () => {
    const { code, stdout, stderr } = await outcome();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: handoff-kit');
  });
});
