import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecentKeys } from '../../src/internal/index.js';
import { property } from '../helpers/property.js';

describe('recent keys', () => {
  property([fc.array(fc.string({ maxLength: 2 }), { maxLength: 200 }), fc.integer({ min: 1, max: 20 })])(
    'are at least the newest ones, and at most twice as many as asked for',
    (added, maxKeys) => {
      const recent = createRecentKeys({ maxKeys, maxAgeMs: 60_000 });
      for (const key of added) recent.add(key);
      // A key that is added again counts from its last addition.
      const distinct = [...new Set(added.toReversed())];
      const newest = new Set(distinct.slice(0, maxKeys));
      for (const key of newest) expect(recent.has(key)).toBe(true);
      expect(recent.has('never')).toBe(false);
      const remembered = distinct.filter((key) => recent.has(key));
      expect(remembered).toEqual(distinct.slice(0, remembered.length));
      expect(remembered.length).toBeLessThan(2 * maxKeys);
      expect(recent.size).toBe(remembered.length);
    },
  );

  it('are compared by every character, at any length', () => {
    const recent = createRecentKeys({ maxKeys: 5_000, maxAgeMs: 60_000 });
    const long = 'k'.repeat(400);
    const odd = ['', '\u0000', '\ud800', '\udc00', '\ufffd', 'é', 'e\u0301', '日本', `${long}1`, `${long}2`];
    const many = Array.from({ length: 4_000 }, (_, index) => `message:4:c${index % 7}:${index}`);
    for (const key of [...odd, ...many]) {
      expect(recent.has(key)).toBe(false);
      recent.add(key);
    }
    for (const key of [...odd, ...many]) expect(recent.has(key)).toBe(true);
    for (const key of ['\ud801', long, `${long}3`, 'message:4:c1:0', 'É'])
      expect(recent.has(key)).toBe(false);
  });
});
