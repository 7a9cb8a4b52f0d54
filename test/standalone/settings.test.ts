import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/standalone/index.js';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import type { SettingSources } from '../../src/standalone/settings/settings-sources.js';
import { USERNAME } from '../helpers/credentials.js';
import { ENVIRONMENT } from './environment.js';

const settingsOf = async (env: Record<string, string>, more: Omit<SettingSources, 'env'> = {}) =>
  (await readSettings({ env: { ...ENVIRONMENT, ...env }, ...more })).settings;

async function problemsOf(sources: SettingSources): Promise<SettingsError> {
  try {
    await readSettings(sources);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('these settings were accepted');
}

const complaint = async (env: Record<string, string>): Promise<string> => {
  const { problems } = await problemsOf({ env: { ...ENVIRONMENT, ...env } });
  return problems.map(({ setting, message }) => `${setting} ${message}`).join('\n');
};

describe('settings', () => {
  it('have the defaults of the documentation', async () => {
    const { WEBHOOK_USERNAME, HANDOFF_TOKEN } = ENVIRONMENT;
    const { settings } = await readSettings({ env: { WEBHOOK_USERNAME, HANDOFF_TOKEN } });
    expect(settings).toEqual({
      port: 3_000,
      mountPath: '/webhook',
      trustProxy: false,
      webhookUsername: WEBHOOK_USERNAME,
      handoffAuth: 'path',
      handoffToken: HANDOFF_TOKEN,
      databaseUrl: { kind: 'sqlite', file: resolve('handoff.db') },
      waitTimeout: 60_000,
      agentNames: false,
      probeAuth: 'required',
      bodyLimit: 262_144,
      shutdownDelay: 0,
      shutdownTimeout: 10_000,
      showText: false,
      logLevel: 'info',
    });
  });

  it('are all read', async () => {
    const settings = await settingsOf({
      PORT: '8080',
      HOST: '::1',
      MOUNT_PATH: '/hooks/agent/',
      HANDOFF_AUTH: 'bearer',
      HANDOFF_TOKEN: 'some-token',
      PLATFORM_BASE_URL: 'https://api.example.com',
      PLATFORM_API_KEY: 'app-key',
      DATABASE_URL: 'postgres://me@localhost/handoffs',
      GREETING: 'Hello',
      AUTO_REPLY: 'You said: {text}',
      PROBE_AUTH: 'none',
      BODY_LIMIT: '1mb',
      SHUTDOWN_TIMEOUT: '500ms',
      SHOW_TEXT: 'true',
      LOG_LEVEL: 'debug',
    });
    expect(settings).toMatchObject({
      port: 8_080,
      host: '::1',
      mountPath: '/hooks/agent',
      handoffAuth: 'bearer',
      handoffToken: 'some-token',
      platformBaseUrl: 'https://api.example.com',
      platformApiKey: 'app-key',
      databaseUrl: { kind: 'postgres', url: 'postgres://me@localhost/handoffs' },
      greeting: 'Hello',
      autoReply: 'You said: {text}',
      probeAuth: 'none',
      bodyLimit: 1_048_576,
      shutdownTimeout: 500,
      showText: true,
      logLevel: 'debug',
    });
  });

  it.each([
    ['262144', 262_144],
    ['64kb', 65_536],
    ['2MB', 2_097_152],
  ])('accept the size %s', async (text, bytes) => {
    expect((await settingsOf({ BODY_LIMIT: text })).bodyLimit).toBe(bytes);
  });

  it.each(['webhook', 'none'])('accept the choice %s for handoff requests', async (choice) => {
    const { WEBHOOK_USERNAME } = ENVIRONMENT;
    const { settings } = await readSettings({ env: { WEBHOOK_USERNAME, HANDOFF_AUTH: choice } });
    expect(settings.handoffAuth).toBe(choice);
  });

  it('come from flags before the environment', async () => {
    expect((await settingsOf({ PORT: '1' }, { flags: { port: '2' } })).port).toBe(2);
  });

  it('that are wrong or missing are listed all at once', async () => {
    const { message, problems, code } = await problemsOf({
      env: {
        PORT: '65536',
        HOST: 'not a host',
        MOUNT_PATH: 'webhook',
        PLATFORM_BASE_URL: 'api.example.com',
        PLATFORM_API_KEY: 'Bearer app-key',
        AUTO_REPLY: 'Hello {name}',
        PROBE_AUTH: 'maybe',
        BODY_LIMIT: 'much',
        SHUTDOWN_TIMEOUT: '10',
        SHOW_TEXT: 'perhaps',
        LOG_LEVEL: 'loud',
        DATABASE_URL: './handoff.db',
        ADAPTER: 'telephone',
      },
    });
    expect(code).toBe('SETTINGS_INVALID');
    expect(problems.map(({ setting }) => setting).sort()).toEqual(
      [
        'ADAPTER',
        'AUTO_REPLY',
        'BODY_LIMIT',
        'DATABASE_URL',
        'HANDOFF_AUTH',
        'HOST',
        'LOG_LEVEL',
        'MOUNT_PATH',
        'PORT',
        'PROBE_AUTH',
        'PLATFORM_API_KEY',
        'PLATFORM_BASE_URL',
        'SHOW_TEXT',
        'SHUTDOWN_TIMEOUT',
        'WEBHOOK_USERNAME',
      ].sort(),
    );
    for (const { setting } of problems) expect(message).toContain(setting);
    expect(message).toContain('15 things are wrong');
  });

  it.each([
    [{ PORT: '-1' }, /PORT must be a whole number/],
    [{ PORT: '80a' }, /PORT must be a whole number/],
    [{ MOUNT_PATH: '/a b' }, /MOUNT_PATH must be a path/],
    [{ MOUNT_PATH: '/readyz' }, /MOUNT_PATH is taken by the health checks/],
    [{ HANDOFF_AUTH: 'paht:abc' }, /HANDOFF_AUTH must be one of/],
    [{ HANDOFF_AUTH: 'bearer:' }, /HANDOFF_AUTH must be one of/],
    [{ HANDOFF_AUTH: 'path:some-token-of-a-path' }, /HANDOFF_AUTH must be one of/],
    [{ HANDOFF_AUTH: 'none' }, /HANDOFF_TOKEN has no effect with HANDOFF_AUTH=none/],
    [{ HANDOFF_TOKEN: 'short' }, /HANDOFF_TOKEN needs at least 16/],
    [{ HANDOFF_AUTH: 'bearer', HANDOFF_TOKEN: 'two words' }, /HANDOFF_TOKEN has white space/],
    [{ WEBHOOK_SECRET: ' spaced' }, /WEBHOOK_SECRET .* white space/],
    [{ WEBHOOK_USERNAME: 'a:b' }, /WEBHOOK_USERNAME has a colon/],
    [{ PLATFORM_BASE_URL: 'https://api.example.com' }, /PLATFORM_API_KEY is missing/],
    [{ PLATFORM_API_KEY: 'app-key' }, /PLATFORM_BASE_URL is missing/],
    [{ GREETING: 'Hello' }, /GREETING needs PLATFORM_BASE_URL and PLATFORM_API_KEY/],
    [{ AUTO_REPLY: 'Hello' }, /AUTO_REPLY needs PLATFORM_BASE_URL and PLATFORM_API_KEY/],
    [{ BODY_LIMIT: '0' }, /BODY_LIMIT must be a size/],
    [{ SHUTDOWN_TIMEOUT: '4000s' }, /SHUTDOWN_TIMEOUT must be a time/],
    [{ DATABASE_URL: 'mysql://localhost/x' }, /DATABASE_URL must be sqlite:<file>, postgres:/],
    [{ MOUNT_PATH: '/metrics' }, /MOUNT_PATH is taken by the health checks/],
  ])('are refused with %j', async (env, expected) => {
    expect(await complaint(env)).toMatch(expected);
  });

  it.each(['WEBHOOK_USERNAME', 'HANDOFF_TOKEN', 'DATABASE_URL'])(
    'that are empty are refused: %s',
    async (env) => {
      expect(await complaint({ [env]: '' })).toBe(`${env} is empty. Give it a value, or remove it.`);
    },
  );

  it('may have an empty secret, which is none', async () => {
    const { settings } = await readSettings({ env: { ...ENVIRONMENT, WEBHOOK_SECRET: '' } });
    expect(settings).toMatchObject({ webhookUsername: USERNAME });
    expect(settings.webhookSecret).toBeUndefined();
    expect(await complaint({ WEBHOOK_SECRET: '', WEBHOOK_USERNAME: '' })).toBe(
      'WEBHOOK_USERNAME is empty. Give it a value, or remove it.',
    );
  });

  it('that hold secrets are never shown', async () => {
    const { message, problems } = await problemsOf({
      env: {
        WEBHOOK_USERNAME: 'sEcret-1:x',
        WEBHOOK_SECRET: 'sEcret-2 ',
        HANDOFF_AUTH: 'path:sEcret-3',
        PLATFORM_BASE_URL: 'https://me:sEcret-4@api.example.com',
        PLATFORM_API_KEY: 'sEcret-5 x',
        DATABASE_URL: 'postgres://me:sEcret-6#@localhost/x',
      },
    });
    expect(problems).toHaveLength(6);
    expect(message + JSON.stringify(problems)).not.toMatch(/sEcret/);
  });
});
