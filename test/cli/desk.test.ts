import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logIn, postLogin } from '../adapters/desk/agent-client.js';
import { startServer } from '../helpers/postgres-server.js';
import { temporaryFolder } from '../standalone/databases.js';
import { databaseUrl, startProgram } from '../standalone/start-program.js';
import { fileWith } from './config-file.js';
import { runCli } from './run-cli.js';

const PASSWORD = 'a long pass phrase';
/** Starts a database server and nine processes, one after another. */
const LONG_MS = 120_000;

/** A database URL for each engine. */
const DATABASES = {
  SQLite: async () => databaseUrl(),
  async PostgreSQL() {
    const server = await startServer();
    onTestFinished(() => server.remove());
    return server.connectionString;
  },
};

describe('the commands of the desk', () => {
  it.each(Object.entries(DATABASES))(
    'manage agents while the server runs on %s',
    async (_name, createUrl) => {
      const DATABASE_URL = await createUrl();
      const { url } = await startProgram({ DATABASE_URL });
      const desk = (args: readonly string[], input = '') =>
        runCli(['desk', ...args], { env: { DATABASE_URL }, input });

      const added = await desk(
        ['add-agent', 'ann', '--name', 'Ann Lee', '--password-stdin', '--json'],
        `${PASSWORD}\n`,
      );
      expect([added.code, added.json()]).toEqual([
        0,
        { login: 'ann', name: 'Ann Lee', role: 'administrator', done: 'added' },
      ]);
      await desk(['add-agent', 'ben']);
      expect((await desk(['list-agents', '--json'])).json()).toEqual({
        agents: [
          { id: 'ann', name: 'Ann Lee', role: 'administrator' },
          { id: 'ben', name: 'ben', role: 'agent' },
        ],
      });
      const agent = await logIn(url, 'ann', PASSWORD);
      expect((await agent.state()).me).toEqual({ id: 'ann', name: 'Ann Lee', role: 'administrator' });
      expect((await desk(['set-role', 'ben', 'supervisor'])).stdout).toBe('ben is supervisor.\n');
      expect((await desk(['set-role', 'nobody', 'agent'])).code).toBe(1);
      expect((await postLogin(url, { name: 'ben', password: PASSWORD })).status).toBe(401);

      expect((await desk(['remove-agent', 'ann'])).stdout).toBe('ann was removed.\n');
      expect((await agent.get('/api/state')).status).toBe(401);
      const again = await desk(['remove-agent', 'ann', '--json']);
      expect([again.code, again.json()]).toEqual([1, { login: 'ann', removed: false }]);

      const { lines } = (await desk(['audit', '--json'])).json() as {
        lines: { agent: string | null; action: string }[];
      };
      expect(lines.map(({ agent: who, action }) => [who, action])).toEqual([
        [null, 'agent added'],
        [null, 'agent added'],
        ['ann', 'login'],
        [null, 'role changed'],
        [null, 'refused: login failed'],
        [null, 'agent removed'],
      ]);
      const text = await desk(['audit', '--last', '1']);
      expect(text.stdout).toMatch(/^\d{4}-\S+Z {2}- {2}- {2}agent removed +ann\n$/);
      expect(JSON.stringify(lines)).not.toContain(PASSWORD);
    },
    LONG_MS,
  );

  it('generate a password and show it once', async () => {
    const env = { DATABASE_URL: databaseUrl() };
    const { stdout } = await runCli(['desk', 'add-agent', 'ann'], { env });
    const [, password = ''] = /^Password: (\S{16,})$/m.exec(stdout) ?? [];
    expect(password).not.toBe('');
    const { json } = await runCli(['desk', 'add-agent', 'ann', '--json'], { env });
    expect(json()).toMatchObject({
      login: 'ann',
      done: 'changed',
      password: expect.not.stringMatching(password),
    });
  });

  it.skipIf(process.platform === 'win32')('create a database that other users cannot read', async () => {
    const file = join(temporaryFolder(), 'desk.db');
    await runCli(['desk', 'add-agent', 'ann', '--database-url', `sqlite:${file}`]);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('find the database in the config file of the server', async () => {
    const DATABASE_URL = databaseUrl();
    const config = fileWith({ DATABASE_URL, PORT: '1' });
    const { code } = await runCli(['desk', 'add-agent', 'ann', '--config', config]);
    expect(code).toBe(0);
    const { json } = await runCli(['desk', 'list-agents', '--json'], { env: { DATABASE_URL } });
    expect(json()).toEqual({ agents: [{ id: 'ann', name: 'ann', role: 'administrator' }] });
  });

  it.each(['list-agents', 'audit', 'remove-agent'])('do not create a missing database: %s', async (name) => {
    const file = join(temporaryFolder(), 'no.db');
    const args = [
      'desk',
      name,
      ...(name === 'remove-agent' ? ['ann'] : []),
      '--database-url',
      `sqlite:${file}`,
    ];
    const { code, stderr } = await runCli(args);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no database');
    expect(existsSync(file)).toBe(false);
  });

  it.each<[string[], string, RegExp]>([
    [['add-agent', 'Ann Lee'], '', /A login name is lower-case/],
    [['add-agent', 'ann', '--name', ' '], '', /A name has 1 to 100/],
    [['add-agent', 'ann', '--password-stdin'], 'sEcret', /at least 12 characters/],
    [['add-agent', 'ann', '--password-stdin'], '', /Standard input was empty/],
    [['add-agent', 'ann', '--database-url', 'none'], '', /there is nothing to open/],
    [['add-agent', 'ann', '--role', 'boss'], '', /Allowed choices are agent, supervisor, administrator/],
    [['audit', '--last', '0'], '', /a whole number from 1/],
  ])('refuse %j as wrong use', async (args, input, expected) => {
    const { code, stdout, stderr } = await runCli(['desk', ...args], {
      env: { DATABASE_URL: databaseUrl() },
      input,
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain('sEcret');
  });

  it('report an unreachable database in one line', async () => {
    const env = { DATABASE_URL: 'postgres://me:sEcret@127.0.0.1:9/x' };
    const { code, stderr } = await runCli(['desk', 'list-agents'], { env });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('sEcret');
  });
});
