import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody, parseJson } from '../../src/receiver/body.js';
import { property } from '../helpers/property.js';

const DEPTH = 4;
const key = fc.constantFrom('a', '__proto__', 'constructor', 'prototype', 'b');
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'large', maxDepth: DEPTH + 2 },
    fc.constantFrom(1, 'constructor', '__proto__', '[[[[[{{{', null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((entries) => new Pairs(entries)),
  ),
}));

/** An object that may have `__proto__` as an own key, which an object literal cannot. */
class Pairs {
  readonly entries: [string, unknown][];

  constructor(entries: [string, unknown][]) {
    this.entries = entries;
  }
}

function write(value: unknown): string {
  if (value instanceof Pairs) {
    return `{${value.entries.map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`).join(',')}}`;
  }
  return Array.isArray(value) ? `[${value.map(write).join(',')}]` : JSON.stringify(value);
}

/** The same text with the first letter of each key written as an escape. */
const escaped = (text: string): string => text.replaceAll('"__proto__"', '"\\u005f_proto__"');

describe('the fast path of parsing', () => {
  property([tree], { numRuns: 200 })('gives the same result as the walk', (value) => {
    const text = `{"value":${write(value)}}`;
    // The result of a body parser is always walked.
    const walked = parseJson(JSON.parse(text), DEPTH);
    expect(parseJson(text, DEPTH)).toEqual(walked);
    expect(parseJson(escaped(text), DEPTH)).toEqual(walked);
  });

  it('accepts harmless words that contain proto', () => {
    expect(parseJson('{"text":"the constructor of __proto__"}', DEPTH)).toEqual({
      text: 'the constructor of __proto__',
    });
  });
});

/** Pieces of JSON that often fit together. */
const pieces = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      ' ',
      '"',
      '\\',
      '"a"',
      '"9007199254740993"',
      '9007199254740993',
      '-9007199254740993',
      '9007199254740991',
      '0',
      '.5',
      'e2',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const anyJson = fc
  .json({ noUnicodeString: false })
  .map((text) => text.replaceAll(/(?<=[:[,])true/g, '9007199254740993'));

describe('large integers', () => {
  property([fc.oneof(pieces, anyJson)], { numRuns: 500 })(
    'do not change whether a text is valid JSON',
    (text) => {
      expect(isJson(String(decodeBody(text)))).toBe(isJson(text));
    },
  );

  property([anyJson])('become strings, and nothing else changes', (text) => {
    const rounded = (_key: string, value: unknown): unknown =>
      typeof value === 'string' && /^-?\d{16,}$/.test(value) ? Number(value) : value;
    expect(JSON.parse(String(decodeBody(text)), rounded)).toEqual(JSON.parse(text, rounded));
  });

  it('are found in linear time, even after an unterminated string', () => {
    const text = `{"a":9007199254740993,"b":"${'\\"'.repeat(100_000)}`;
    expect(decodeBody(text)).toBe(text.replace('9007199254740993', '"9007199254740993"'));
  });
});
