import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLATFORM_ERROR_CODES } from '../../src/client/index.js';
import { ERROR_CODES } from '../../src/internal/error.js';

const SRC = resolve(import.meta.dirname, '../../src');

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== join('internal', 'error.ts'))
  .map((file) => readFileSync(join(SRC, file), 'utf8'));

/** The first group of every match of a pattern, in all source files. */
const found = (pattern: RegExp): Set<string> =>
  new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, code = '']) => code)));

/** Codes that are passed to the constructor of an error. */
const thrown = found(/(?:new (?:[A-Z]\w+Error|DeskRefusal)|super)\(\s*'([A-Z][A-Z_]+)'/g);

/** Constants that are passed, returned or assigned. Lists and types of codes do not count as a use. */
const used = found(/(?:\(\s*|: |return |\? )'([A-Z][A-Z_]+)'/g);

describe('the error codes', () => {
  it('include every code that the sources throw', () => {
    expect(thrown.size).toBeGreaterThan(40);
    expect([...thrown].filter((code) => !(ERROR_CODES as readonly string[]).includes(code))).toEqual([]);
  });

  it('are all in use', () => {
    expect(ERROR_CODES.filter((code) => !used.has(code))).toEqual([]);
  });

  it('are unique', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  });

  it('include the codes of a PlatformError', () => {
    expect(ERROR_CODES).toEqual(expect.arrayContaining([...PLATFORM_ERROR_CODES]));
  });
});
