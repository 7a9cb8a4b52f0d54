import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskText } from '../../src/recording/mask-text.js';
import { property } from '../helpers/property.js';

describe('masked text', () => {
  it.each([
    ['Where is parcel 42?', 'xxxxx xx xxxxxx 00?'],
    ['Größe, naïve', 'xxxxx, xxxxx'],
    ['我的包裹在哪里？', '字字字字字字字？'],
    ['はい、ソウル 서울', 'ああ、アアア 가가'],
    ['Где посылка', 'жжж жжжжжжж'],
    ['أين', 'ععع'],
    ['ada@example.com', 'xxx@xxxxxxx.xxx'],
    ['👍🏽 ❤', '🙂🙂 ☺'],
    ['١٢٣ ⅷ', '000 0'],
    ['line\nline\t!', 'xxxx\nxxxx\t!'],
  ])('of %s has its scripts, spaces and punctuation', (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it('hides text in invisible characters', () => {
    const hidden = 'key'.replaceAll(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
    expect(maskText(hidden)).toBe('\u200b'.repeat(6));
  });

  property([fc.string({ unit: 'binary' })])(
    'has the same length, no letters of the text, and stays as it is',
    (text) => {
      const masked = maskText(text);
      expect(masked).toHaveLength(text.length);
      expect(maskText(masked)).toBe(masked);
      expect(masked).not.toMatch(/[a-wyz1-9]/i);
    },
  );
});
