import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from '../../src/bridge/adapter/text.js';
import { property } from '../helpers/property.js';

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

describe('splitText', () => {
  it.each([
    ['short', 10, ['short']],
    ['', 10, ['']],
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 8, ['one two', 'three']],
    ['first line\nsecond line', 15, ['first line', 'second line']],
    ['first words.\n\nsecond\nthird', 20, ['first words.', 'second\nthird']],
    ['a word-longer-than-that', 10, ['a', 'word-longe', 'r-than-tha', 't']],
    ['🇩🇪🇫🇷🇯🇵', 9, ['🇩🇪🇫🇷', '🇯🇵']],
    ['e\u0301e\u0301e\u0301', 5, ['e\u0301e\u0301', 'e\u0301']],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 12, ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']],
    ['漢字漢字漢字', 4, ['漢字漢字', '漢字']],
  ])('splits at the best break: %j at %i', (text, maxLength, parts) => {
    expect(splitText(text, maxLength)).toEqual(parts);
  });

  it('keeps surrogate pairs whole even when one grapheme is too long', () => {
    expect(splitText('👩‍👩‍👧‍👦', 4)).toEqual(['👩‍', '👩‍', '👧‍', '👦']);
  });

  property([fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 2, max: 50 })])(
    'loses nothing but blanks at the cuts, and no part is too long',
    (text, maxLength) => {
      const parts = splitText(text, maxLength);
      expect(parts.every((part) => part.length <= maxLength)).toBe(true);
      expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      expect(parts.some((part) => LONE_SURROGATE.test(part))).toBe(LONE_SURROGATE.test(text));
    },
  );
});
