import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ask } from '../../src/cli/commands/init.js';
import { temporaryFolder } from '../standalone/databases.js';
import { runCli } from './run-cli.js';

const init = (cwd: string, ...args: string[]) => runCli(['init', ...args], { cwd });

describe('init', () => {
  it('writes a project without a question where there is no terminal, and prints the next commands', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await init(cwd, 'My Receiver');
    expect(code).toBe(0);
    expect(stdout).toContain('(express, sqlite, none)');
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

  it('refuses a folder that is not empty, and writes nothing into it', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'full'));
    writeFileSync(join(cwd, 'full/notes.txt'), 'mine');
    const { code, stderr } = await init(cwd, 'full');
    expect([code, stderr]).toEqual([2, 'The folder full is not empty. Choose a new one.\n']);
    expect(readdirSync(join(cwd, 'full'))).toEqual(['notes.txt']);
  });

  it.each([
    [['--host', 'hono', '--adapter', 'desk'], 'choose --host express'],
    [['--delivery', 'inline', '--adapter', 'desk'], 'choose --delivery sqlite or postgres'],
    [['--host', 'koa'], 'Allowed choices are express, fastify, hono, next'],
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

  it('asks at a terminal for what the flags do not say, and offers only what goes together', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown = '';
    // Answers each question when it is asked: a mistake first, then a name and a number.
    const answers = ['7', 'inline', '2'];
    output.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (text.includes('[1]: ')) input.write(`${answers.shift()}\n`);
    });
    expect(await ask({ host: 'fastify' }, { input, output })).toEqual({
      host: 'fastify',
      delivery: 'inline',
      adapter: 'slack',
    });
    expect(shown).not.toContain('Which server?');
    expect(shown).not.toContain('desk');
  });
});
