import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../standalone/databases.js';
import { databaseUrl } from '../standalone/start-program.js';
import { fileWith } from './config-file.js';
import { managesAgents } from './desk-agents.js';
import { runCli } from './run-cli.js';

describe('the commands of the desk', () => {
  managesAgents('SQLite', async () => databaseUrl());

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
