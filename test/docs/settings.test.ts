import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_GROUPS, SETTING_KEYS } from '../../src/standalone/index.js';

const ROOT = resolve(import.meta.dirname, '../..');

describe('docs/settings.md', () => {
  it('is what the settings say', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/settings.js', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('has every setting once', () => {
    const grouped = SETTING_GROUPS.flatMap(({ keys }) => keys);
    expect([...grouped].sort()).toEqual([...SETTING_KEYS].sort());
  });
});
