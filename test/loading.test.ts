import { execFileSync } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

/** Everything that loads with a module of the built package: packages by name, files of `dist` by folder. */
function loadedWith(entry: string) {
  const url = pathToFileURL(join(DIST, entry)).href;
  const output = execFileSync(process.execPath, [join(ROOT, 'bench/loaded.js'), url, 'files'], {
    encoding: 'utf8',
  });
  const files = output
    .split('\n')
    .filter((line) => line.startsWith('file://'))
    .map((line) => fileURLToPath(line));
  const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const own = files.filter((file) => file.startsWith(DIST)).map((file) => relative(DIST, file));
  return {
    packages: new Set(packages),
    folders: new Set(own.filter((file) => file.includes('/')).map((file) => file.split('/')[0])),
  };
}

describe('import', () => {
  it('of handoff-kit loads the core alone: no Express, bridge, command line, page, metrics or telemetry', () => {
    const { packages, folders } = loadedWith('public/index.js');
    expect(folders).toEqual(
      new Set([
        'client',
        'delivery',
        'diagnostics',
        'events',
        'handoff',
        'internal',
        'protocol',
        'public',
        'receiver',
        'recording',
      ]),
    );
    expect(packages).toContain('zod');
    for (const name of [
      'express',
      'commander',
      'csv-parse',
      'pino-http',
      'prom-client',
      '@opentelemetry/api',
      'pg',
    ])
      expect([...packages]).not.toContain(name);
  });

  it('of handoff-kit/opentelemetry needs no package but on use, and of handoff-kit/metrics no Express', () => {
    expect([...loadedWith('public/opentelemetry.js').packages]).not.toContain('@opentelemetry/api');
    const { packages } = loadedWith('public/metrics.js');
    expect([...packages]).toContain('prom-client');
    expect([...packages]).not.toContain('express');
  });
});
