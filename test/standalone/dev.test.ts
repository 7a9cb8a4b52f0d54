import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import { commandsToPaste, welcome } from '../../src/standalone/welcome.js';
import { startCli } from '../cli/run-cli.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { paste, pasteKit } from './curl.js';
import { temporaryFolder } from './databases.js';
import { ENVIRONMENT } from './environment.js';
import { serveAsTextInProcess, startStandalone } from './in-process.js';
import type { RunningProgram } from './program.js';
import { WAIT_OPTIONS } from './wait-options.js';

const commandsOf = (program: RunningProgram): string[] =>
  Array.from(program.stdout().matchAll(/^ {2}(curl .*)$/gm), ([, command = '']) => command);

const secondOf = (ms: number): number => Math.floor(ms / 1_000);

describe('serve --dev', () => {
  it('needs no settings, and prints commands that work when pasted', async () => {
    const program = serveAsTextInProcess(['--dev', '--port', '0']);
    await program.until(/shows it\./);
    expect(program.stdout()).toMatch(/^handoff-kit listens on http:\/\/127\.0\.0\.1:\d+/);
    expect(program.stdout()).toMatch(/^Replies: off\..*\n.*handoff-kit simulate/m);
    const commands = commandsOf(program);
    expect(commands).toHaveLength(5);
    expect(await paste(commands)).toEqual([200, 200, 200, 200, 200]);
    await program.until(/test of message/);
    const [, events = ''] = program.stdout().split('--show-text shows it.');
    expect(events.trim().split('\n')).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}message +conversation-1 {2}user-1 {2}26 characters$/),
      expect.stringMatching(/ {2}handoff\.requested +handoff-1 {2}user:user-1 {2}1 earlier message$/),
      expect.stringMatching(/ {2}handoff\.message +handoff-1 {2}the user {2}19 characters$/),
      expect.stringMatching(/ {2}handoff\.closed +handoff-1 {2}USER_CLOSED$/),
      expect.stringMatching(/ {2}probe +test of message$/),
    ]);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it('prints commands that are new events whenever they are pasted, also after a restart', async () => {
    const folder = temporaryFolder();
    const flags = ['--dev', '--port', '0', '--handoff-token', PATH_TOKEN];
    const started = () => startCli(['serve', ...flags], { cwd: folder });
    for (let run = 1; run <= 2; run += 1) {
      const program = started();
      await program.until(/shows it\./);
      const commands = commandsOf(program);
      expect(await paste(commands, { HANDOFF_TOKEN: PATH_TOKEN })).toEqual([200, 200, 200, 200, 200]);
      const pastedAt = Date.now();
      await program.until(/ probe /);
      await program.until(/ handoff\.requested .* handoff\.message .* handoff\.closed /s);
      program.signal('SIGINT');
      expect(await program.ended).toBe(0);
      // The commands tell events apart by the second.
      await vi.waitFor(() => expect(secondOf(Date.now())).toBeGreaterThan(secondOf(pastedAt)), WAIT_OPTIONS);
    }
  });

  it.each([
    [
      'all credentials',
      `WEBHOOK_USERNAME=${USERNAME}\nWEBHOOK_SECRET=${SECRET}\nHANDOFF_TOKEN=${PATH_TOKEN}\n`,
    ],
    ['a username and an empty secret', `WEBHOOK_USERNAME=${USERNAME}\nWEBHOOK_SECRET=\n`],
    ['a token as Bearer', `HANDOFF_AUTH=bearer\nHANDOFF_TOKEN=${PATH_TOKEN}\n`],
    ['the credentials of messages', `WEBHOOK_USERNAME=${USERNAME}\nHANDOFF_AUTH=webhook\n`],
  ])('prints commands that work as they are with %s in .env', async (_what, file) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.env'), file);
    const program = startCli(['serve', '--dev', '--port', '0'], { cwd: folder });
    await program.until(/shows it\./);
    expect(program.stdout()).toContain('from another terminal, in this folder:');
    const commands = Array.from(
      program.stdout().matchAll(/^ {2}(npx handoff-kit .*)$/gm),
      ([, command = '']) => command,
    );
    expect(commands).toHaveLength(5);
    for (const hidden of [USERNAME, SECRET, PATH_TOKEN]) expect(commands.join('\n')).not.toContain(hidden);
    expect(await pasteKit(commands, folder)).toEqual([0, 0, 0, 0, 0]);
  });

  it('names the variables of the environment that the commands need', async () => {
    const program = startCli(['serve', '--dev', '--port', '0'], {
      cwd: temporaryFolder(),
      env: { WEBHOOK_USERNAME: USERNAME, HANDOFF_TOKEN: PATH_TOKEN },
    });
    await program.until(/shows it\./);
    expect(program.stdout()).toContain(
      'from another terminal, with WEBHOOK_USERNAME and HANDOFF_TOKEN set as here:',
    );
  });

  it('says why the desk is off where there is no SQLite', async () => {
    const platform = { PLATFORM_BASE_URL: 'http://127.0.0.1:2', PLATFORM_API_KEY: 'key' };
    const text = async (env: Record<string, string>, storageAdvice: string | null): Promise<string> => {
      const read = await readSettings({ env: { DATABASE_URL: 'none', ...env }, dev: true });
      return welcome({ url: 'http://127.0.0.1:1', ...read, dev: true, adapters: [], storageAdvice }).text;
    };
    const advised = await text(platform, 'this Node has no SQLite.');
    expect(advised).toContain('Agents: off, since the desk needs a database, and this Node has no SQLite.');
    expect(advised).toContain('Storage: off: this Node has no SQLite.');
    expect(advised).not.toContain('handoff-kit simulate');
    for (const other of [
      await text({}, 'no SQLite'),
      await text({ ...platform, ADAPTER: 'none' }, 'no SQLite'),
    ]) {
      expect(other).not.toContain('since the desk');
    }
    expect(await text(platform, null)).toContain('DATABASE_URL turns it on');
  });

  it('generates new credentials each time', async () => {
    const one = await readSettings({ env: {}, dev: true });
    const other = await readSettings({ env: {}, dev: true });
    expect(Object.keys(one.generated)).toEqual(['WEBHOOK_USERNAME', 'WEBHOOK_SECRET', 'HANDOFF_TOKEN']);
    for (const key of ['webhookUsername', 'webhookSecret', 'handoffToken'] as const) {
      expect(one.settings[key]).not.toEqual(other.settings[key]);
    }
  });

  it('keeps the given settings', async () => {
    const { settings, generated } = await readSettings({ env: { ...ENVIRONMENT, HOST: '::1' }, dev: true });
    expect(generated).toEqual({});
    expect(settings).toMatchObject({
      host: '::1',
      webhookUsername: USERNAME,
      webhookSecret: SECRET,
      handoffAuth: 'path',
      handoffToken: PATH_TOKEN,
    });
  });

  it('generates no secret for a given username, which means Bearer', async () => {
    const { settings, generated } = await readSettings({ env: { WEBHOOK_USERNAME: 'someone' }, dev: true });
    expect(Object.keys(generated)).toEqual(['HANDOFF_TOKEN']);
    expect(settings.webhookSecret).toBeUndefined();
  });

  it('refuses wrong settings', async () => {
    await expect(readSettings({ env: { PORT: 'x' }, dev: true })).rejects.toThrow('PORT');
  });

  it.each([
    ['path and Basic', {}],
    ['webhook and Bearer', { HANDOFF_AUTH: 'webhook', HANDOFF_TOKEN: undefined, WEBHOOK_SECRET: undefined }],
    ['bearer', { HANDOFF_AUTH: 'bearer', HANDOFF_TOKEN: 'token-of-mine' }],
    [
      'none, with a quote in the secret',
      { HANDOFF_AUTH: 'none', HANDOFF_TOKEN: undefined, WEBHOOK_SECRET: 'it\'s "$x" `y`' },
    ],
    ['the root', { MOUNT_PATH: '/' }],
  ])('prints shell variables instead of given credentials: %s', async (_name, own) => {
    const environment = { ...ENVIRONMENT, ...own };
    const { url } = await startStandalone(environment, null, { acceptsUnanswered: true });
    const read = await readSettings({ env: environment, dev: true });
    const commands = commandsToPaste({ url, ...read }).map(({ command }) => command);
    for (const hidden of [USERNAME, SECRET, PATH_TOKEN, 'token-of-mine', "it's"]) {
      expect(commands.join('\n')).not.toContain(hidden);
    }
    const set = Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    expect(await paste(commands, Object.fromEntries(set))).toEqual([200, 200, 200, 200, 200]);
  });
});
