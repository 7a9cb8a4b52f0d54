import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/adapters/chatwoot/plain-text.js';
import { property } from '../../helpers/property.js';

describe("plain text of agents' Markdown", () => {
  it.each([
    ['**important**', 'important'],
    ['this is *important* to us', 'this is important to us'],
    ['**a** and **b**', 'a and b'],
    ['one\\\ntwo', 'one\ntwo'],
    ['one\\\r\ntwo', 'one\ntwo'],
    ['[our page](https://example.com/a)', 'our page (https://example.com/a)'],
    ['[https://example.com](https://example.com)', 'https://example.com'],
    ['see <https://example.com/a?b=1>', 'see https://example.com/a?b=1'],
    ['![a picture](https://example.com/a.png)', 'https://example.com/a.png'],
    ['[@Ada](mention://user/3/Ada) please look', '@Ada please look'],
  ])('of %j is %j', (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });

  it.each([
    '2*3*4 = 24',
    'a * b * c',
    '* one\n* two',
    'snake_case_name and __init__',
    'C:\\temp\\new',
    '<b>bold</b> & "quoted" 5 < 6',
    '[not a link] (at all)',
    '[x](javascript:alert)',
    '**',
    '****',
    'price: 5* (see note*)',
    '👩‍👩‍👧 你好 مرحبا',
  ])('keeps %j unchanged', (text) => {
    expect(plainText(text)).toBe(text);
  });

  property([fc.string({ unit: fc.constantFrom('*', '[', ']', '(', ')', '<', '\\', '\n', 'a', ' ') })])(
    'never gets longer than one blank for each link',
    (markdown) => {
      expect(plainText(markdown).length).toBeLessThanOrEqual(markdown.length + 1);
    },
  );

  it.each(['[', '<https://a', '[a](https://', '*a', '**a ', '![](a'])(
    'takes 150,000 characters of %j',
    (part) => {
      const text = part.repeat(Math.ceil(150_000 / part.length));
      expect(plainText(text).length).toBeGreaterThan(0);
    },
  );
});
