import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

describe('openapi.json', () => {
  it('matches the output of scripts/openapi.js', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/openapi.js', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it("passes Redocly's rules", () => {
    const lint = 'node_modules/@redocly/cli/bin/cli.js';
    const report = execFileSync(process.execPath, [lint, 'lint', '--format=json', 'openapi.json'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(JSON.parse(report.slice(report.indexOf('{'))).totals).toEqual({
      errors: 0,
      warnings: 0,
      ignored: 0,
    });
  });
});
