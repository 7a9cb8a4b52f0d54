import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLATFORM_ERROR_CODES } from '../../src/client/index.js';
import { DESK_ERRORS } from '../../src/desk/server/errors.js';
import { read } from './pages.js';

const SRC = resolve(import.meta.dirname, '../../src');

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(SRC, file), 'utf8'));

/** The first group of every match of a pattern, in all source files. */
const found = (pattern: RegExp): string[] =>
  sources.flatMap((text) => [...text.matchAll(pattern)].map(([, code = '']) => code));

/** Codes that are passed to the constructor of an error, or that belong to a list of codes. */
const thrown = new Set([
  ...found(/(?:new [A-Z]\w+Error|super)\(\s*'([A-Z][A-Z_]+)'/g),
  ...PLATFORM_ERROR_CODES,
  ...Object.keys(DESK_ERRORS),
]);

/** Constants that are passed, returned or assigned. Types of codes do not count as a use. */
const used = new Set([...thrown, ...found(/(?:\(\s*|: |return |\? )'([A-Z][A-Z_]+)'/g)]);

const documented = [...read('docs/troubleshooting.md').matchAll(/^### (.+)$/gm)].map(([, code = '']) => code);

describe('docs/troubleshooting.md', () => {
  it('has an entry for every code that the sources throw', () => {
    expect(thrown.size).toBeGreaterThan(70);
    expect([...thrown].filter((code) => !documented.includes(code))).toEqual([]);
  });

  it('has no entry for a code that is not in use', () => {
    expect(documented.filter((code) => !used.has(code))).toEqual([]);
  });

  it('has one entry for each', () => {
    expect(new Set(documented).size).toBe(documented.length);
  });
});
