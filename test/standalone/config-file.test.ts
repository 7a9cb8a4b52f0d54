import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/standalone/index.js';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import { ENVIRONMENT } from './environment.js';

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string | object): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const { PORT: _port, ...withoutPort } = ENVIRONMENT;

async function refusal(configFile: string, env: Record<string, string> = withoutPort): Promise<string> {
  try {
    await readSettings({ configFile, env });
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('this file was accepted');
}

describe('a config file', () => {
  it('can hold every setting, written as in the environment or as in code', async () => {
    const configFile = fileWith({
      port: 8_080,
      MOUNT_PATH: '/hooks',
      WEBHOOK_USERNAME: 'someone',
      handoffAuth: 'none',
      showText: true,
    });
    expect((await readSettings({ configFile, env: {} })).settings).toMatchObject({
      port: 8_080,
      mountPath: '/hooks',
      webhookUsername: 'someone',
      handoffAuth: 'none',
      showText: true,
    });
  });

  it('is overridden by the environment and by flags, setting by setting', async () => {
    const configFile = fileWith({ port: 1, mountPath: '/file', logLevel: 'error' });
    const { settings } = await readSettings({
      configFile,
      env: { ...withoutPort, MOUNT_PATH: '/env', LOG_LEVEL: 'debug' },
      flags: { logLevel: 'trace' },
    });
    expect(settings).toMatchObject({ port: 1, mountPath: '/env', logLevel: 'trace' });
  });

  it('may begin with a byte order mark', async () => {
    const configFile = fileWith('\uFEFF{ "port": 8080 }');
    expect((await readSettings({ configFile, env: withoutPort })).settings.port).toBe(8_080);
  });

  it('is named as the source of a wrong value', async () => {
    const configFile = fileWith({ port: 'x' });
    expect(await refusal(configFile)).toContain(`(from ${configFile})`);
  });

  it.each([
    [{ prot: 1 }, /prot +is not a setting. Did you mean port\?/],
    [{ webhook_secrt: 'x' }, /webhook_secrt +is not a setting. Did you mean webhookSecret\?/],
    [{ 'mount-path': '/x' }, /mount-path +is not a setting. Did you mean mountPath\?/],
    [{ colour: 'red' }, /colour +is not a setting. The settings are port, host,/],
    [{ port: 1, PORT: 1 }, /PORT +is there twice/],
    [{ port: [1] }, /PORT +must be a text, a number, true or false/],
    [{ webhookSecret: null }, /WEBHOOK_SECRET +must be a text/],
    [{ databaseUrl: 'sqlite' }, /DATABASE_URL +must be sqlite:<file>/],
    [{ ADAPTER: 'telephone' }, /ADAPTER +must be one of desk, request-tracker/],
    ['[]', /--config +must be a JSON object/],
    ['{\n"port": 1,\n}', /--config +is not JSON: look at line 3/],
  ])('is refused with %j', async (content, expected) => {
    expect(await refusal(fileWith(content))).toMatch(expected);
  });

  it('causes one problem, not two, for a value of a wrong type', async () => {
    const message = await refusal(fileWith({ webhookUsername: null }), { HANDOFF_AUTH: 'none' });
    expect(message.match(/WEBHOOK_USERNAME/g)).toHaveLength(1);
  });

  it('that does not exist is reported, and settings that it could hold are not', async () => {
    const path = join(folder, 'nowhere.json');
    const message = await refusal(path, { PORT: 'x' });
    expect(message).toContain(path);
    expect(message).toMatch(/PORT +must be/);
    expect(message).not.toContain('WEBHOOK_USERNAME');
  });

  it('that is not JSON is not quoted, since it may hold secrets', async () => {
    expect(await refusal(fileWith('{ "webhookSecret": sEcret-1 }'))).not.toContain('sEcret');
    expect(await refusal(fileWith({ webhookSecret: { value: 'sEcret-1' } }))).not.toContain('sEcret');
  });
});
