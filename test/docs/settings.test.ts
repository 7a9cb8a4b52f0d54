import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS, settingsSchema } from '../../src/standalone/index.js';

const ROOT = resolve(import.meta.dirname, '../..');

describe('docs/settings.md', () => {
  it('matches the settings', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/settings.js', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('has every setting once, with its names and its meaning', () => {
    expect(new Set(SETTINGS.map(({ env }) => env)).size).toBe(SETTINGS.length);
    for (const { env, key, flag, help } of SETTINGS) {
      expect([env, key, help], flag).toEqual([
        expect.stringMatching(/^[A-Z_]+$/),
        expect.stringMatching(/^\w+$/),
        expect.any(String),
      ]);
      expect(help).not.toBe('');
    }
    const keys = SETTINGS.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(Object.keys(settingsSchema.shape)));
  });
});
