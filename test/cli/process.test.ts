import { describe, expect, it } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { start } from '../helpers/start.js';
import { emptyDatabase, temporaryFolder } from '../standalone/databases.js';
import { runCli, runCliProcess } from './run-cli.js';

const NOBODY = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: 'key' };

/** Most tests of commands run them in the process of the tests. These run one of each family as users do. */
describe('a command in a process of its own', () => {
  it.each<[string[], Record<string, string>, number, RegExp]>([
    [['completion', 'bash'], {}, 0, /complete /],
    [
      ['adapter', 'scrip', '--url', 'https://desk.example/'],
      { RT_WEBHOOK_SECRET: 's'.repeat(16) },
      0,
      /Scrips/,
    ],
    [['init', 'one'], {}, 0, /npm install/],
    [['check'], NOBODY, 1, /cannot reach http/],
    [['adapter', 'check'], {}, 2, /ADAPTER {2}is missing/],
  ])('has the same outcome: %j', async (args, env, code, written) => {
    const ended = await runCliProcess(args, { env, cwd: temporaryFolder() });
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).toMatch(written);
    const here = await runCli(args, { env, cwd: temporaryFolder() });
    expect([here.code, here.stdout, here.stderr]).toEqual([ended.code, ended.stdout, ended.stderr]);
  });

  it('uses a database', async () => {
    const env = await emptyDatabase();
    const { code, stdout } = await runCliProcess(['inbox', 'list', '--json'], { env });
    expect([code, JSON.parse(stdout)]).toEqual([0, { queue: 'inbox', jobs: [], more: false }]);
    expect((await runCliProcess(['inbox', 'show', '999'], { env })).code).toBe(1);
  });

  it('reads standard input, and ends although the connection is kept alive', async () => {
    const to = await start();
    const args = ['send', 'chat', '--receiver-url', to.url, '--body', '-'];
    expect((await runCliProcess(args, { input: JSON.stringify(chatBody()) })).code).toBe(0);
    expect(to.seen).toHaveLength(1);
  });
});

describe('a command in the process of the tests', () => {
  it('cannot run beside another one, and leaves nothing behind', async () => {
    const before = [
      process.env,
      process.cwd(),
      process.stdout,
      process.exitCode,
      process.listenerCount('SIGINT'),
    ];
    const first = runCli(['completion', 'csh'], { cwd: temporaryFolder() });
    await expect(runCli(['--version'])).rejects.toThrow('handoff-kit completion csh still runs');
    expect((await first).code).toBe(2);
    const after = [
      process.env,
      process.cwd(),
      process.stdout,
      process.exitCode,
      process.listenerCount('SIGINT'),
    ];
    expect(after).toEqual(before);
  });
});
