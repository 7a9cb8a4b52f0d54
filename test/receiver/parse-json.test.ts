import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/receiver/parse-json.js';

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
  test.prop([tree], { numRuns: 2_000 })('comes to the same end as the walk', (value) => {
    const text = `{"value":${write(value)}}`;
    // What a body parser made of a text is always walked.
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
