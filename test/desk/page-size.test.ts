import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const ASSETS = new URL('../../dist/desk/page/assets/', import.meta.url);

it('the script of the page is under 90 kB compressed', () => {
  const files = readdirSync(ASSETS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  expect(files.some((name) => name.startsWith('main-'))).toBe(true);
  const bytes = files.map((name) => gzipSync(readFileSync(new URL(name, ASSETS))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(90_000);
});
