import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openDelivery } from '../../src/standalone/index.js';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import { chatEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder } from './databases.js';
import { ENVIRONMENT } from './environment.js';
import { WAIT_OPTIONS } from './wait-options.js';

const settingsOf = async (env: Record<string, string>) =>
  (await readSettings({ env: { ...ENVIRONMENT, ...env } })).settings;

describe('the settings of storage', () => {
  it('are read', async () => {
    const env = { CONCURRENCY: '4', MAX_ATTEMPTS: '3', REMEMBER_DAYS: '30', WHEN_UNKNOWN: 'dead-letter' };
    expect(await settingsOf(env)).toMatchObject({
      concurrency: 4,
      maxAttempts: 3,
      rememberDays: 30,
      whenUnknown: 'dead-letter',
    });
    expect(await settingsOf({})).not.toHaveProperty('concurrency');
  });

  it.each([
    [{ CONCURRENCY: '0' }, /CONCURRENCY +must be a whole number from 1 to 1000/],
    [{ MAX_ATTEMPTS: 'many' }, /MAX_ATTEMPTS +must be a whole number/],
    [{ REMEMBER_DAYS: '1.5' }, /REMEMBER_DAYS +must be a whole number from 1 to 3650/],
    [{ WHEN_UNKNOWN: 'lose' }, /WHEN_UNKNOWN +must be resend or dead-letter/],
  ])('are validated: %o', async (env: Record<string, string>, complaint) => {
    await expect(settingsOf(env)).rejects.toThrow(complaint);
  });

  it('reach the engine', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const delivery = await openDelivery({ kind: 'sqlite', file }, await settingsOf({ MAX_ATTEMPTS: '1' }));
    const attempts: number[] = [];
    delivery?.connect({
      name: 'default',
      hasBot: () => true,
      handles: () => true,
      handle: async (_event, { attempt }) => {
        attempts.push(attempt);
        throw new Error('no');
      },
      greet: async () => {},
      report: () => {},
      log: logLines().log,
    });
    await delivery?.start?.();
    await delivery?.accept(chatEvent('c'));
    await vi.waitFor(
      async () => expect(await delivery?.queues?.depth('inbox')).toMatchObject({ waiting: 0, dead: 1 }),
      WAIT_OPTIONS,
    );
    expect(attempts).toEqual([1]);
    await delivery?.stop({ timeoutMs: 1_000 });
  });
});
