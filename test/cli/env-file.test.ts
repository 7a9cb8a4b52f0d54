import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { temporaryFolder } from '../standalone/databases.js';
import { addressOf, runNode } from '../standalone/program.js';
import { runCli } from './run-cli.js';

const folderWith = (text: string): string => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), text);
  return folder;
};

/** A file as people write them: comments, quotes, several lines, an export. */
const FILE = `# the receiver
PORT=0
HOST=127.0.0.1   # this machine
export WEBHOOK_USERNAME="${USERNAME}"
WEBHOOK_SECRET='${SECRET}'

DATABASE_URL=none
GREETING="Hello
and welcome"
PLATFORM_BASE_URL=http://127.0.0.1:2
PLATFORM_API_KEY=key
HANDOFF_TOKEN=${PATH_TOKEN}
`;

describe('.env', () => {
  it('has the settings of serve and of simulate, and the environment wins', async () => {
    const cwd = folderWith(FILE);
    const serve = runNode(['dist/cli/main.js', 'serve', '--json'], { MOUNT_PATH: '/hooks' }, cwd);
    const url = await addressOf(serve);
    const env = { RECEIVER_URL: `${url}/hooks` };
    const simulate = runNode(['dist/cli/main.js', 'simulate', '--json', '--port', '0'], env, cwd);
    const [, probes = ''] = await simulate.until(/"probes":(\[.*?\])/);
    expect(JSON.parse(probes)).toMatchObject([
      { webhook: 'messages', reachable: true },
      { webhook: 'handoffs', reachable: true },
    ]);
  });

  it('is named where a setting in it is wrong', async () => {
    const ended = await runCli(['serve'], { cwd: folderWith(FILE.replace('PORT=0', 'PORT=many')) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^ {2}PORT .*\(from \.env\)$/m);
  });

  it('warns of a name that is close to a setting, without the value', async () => {
    const cwd = folderWith('RECEIVER_URL=http://127.0.0.1:9\nWEBHOOK_SECRT=sEcret\nDB_HOST=sEcret\n');
    const warning = '.env: WEBHOOK_SECRT is not a setting. Did you mean WEBHOOK_SECRET?';
    expect((await runCli(['send', 'chat'], { cwd })).stderr).toBe(`${warning}\n`);
    const json = await runCli(['send', 'chat', '--json'], { cwd });
    expect(JSON.parse(json.stderr)).toEqual({ warning });
    // The setting has a value, so that the other name is one of another program.
    const env = { WEBHOOK_USERNAME: USERNAME, WEBHOOK_SECRET: SECRET };
    expect((await runCli(['send', 'chat'], { cwd, env })).stderr).toBe('');
  });

  it.each([
    ['a line that is no assignment', 'PORT=0\nsEcret value\n', 2],
    ['a quote that is not closed', 'PORT=0\n\nSECRET="sEcret\nHOST=127.0.0.1\n', 3],
    ['text behind a quote', 'SECRET="sEcret" more\n', 1],
  ])('with %s is refused with the line, which is not shown', async (_name, text, line) => {
    const cwd = folderWith(text);
    for (const command of [['serve'], ['simulate'], ['doctor'], ['inbox', 'list']]) {
      const { code, stderr } = await runCli(command, { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`.env, line ${line}: `)]);
      expect(stderr).not.toContain('sEcret');
    }
    expect((await runCli(['serve', '--help'], { cwd })).code).toBe(0);
  });
});

describe('flags with credentials', () => {
  it.each(['--webhook-username', '--handoff-token'])('%s must not be empty', async (flag) => {
    const { code, stderr } = await runCli(['send', 'chat', '--receiver-url', 'http://127.0.0.1:9', flag, '']);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag} (`);
  });
});

describe('--version', () => {
  it.each([['--version'], ['serve', '--version'], ['inbox', 'list', '-V'], ['send', 'chat', '--version']])(
    'is known everywhere: %s %s',
    async (...args) => {
      const { code, stdout } = await runCli(args.filter((word) => word !== undefined));
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    },
  );
});
