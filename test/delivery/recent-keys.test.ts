import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { createRecentKeys } from '../../src/delivery/index.js';

describe('recent keys', () => {
  test.prop([fc.array(fc.string({ maxLength: 2 }), { maxLength: 200 }), fc.integer({ min: 1, max: 20 })])(
    'are the newest ones, whatever they are and however many there may be',
    (added, maxKeys) => {
      const recent = createRecentKeys({ maxKeys, maxAgeMs: 60_000 });
      for (const key of added) recent.add(key);
      const newest = new Set(added.slice(-maxKeys));
      for (const key of new Set([...added, 'never'])) expect(recent.has(key)).toBe(newest.has(key));
      expect(recent.size).toBe(Math.min(maxKeys, added.length));
    },
  );
});
