import type { BinaryLike, ScryptOptions } from 'node:crypto';
import { vi } from 'vitest';

/**
 * A setup file: hashes passwords at a sixteenth of the cost. A hash takes 100 ms on purpose, and tests of the desk
 * make more than a thousand of them. What is stored still names the cost of the product.
 */
vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  const scrypt = (
    password: BinaryLike,
    salt: BinaryLike,
    length: number,
    options: ScryptOptions,
    done: (error: Error | null, key: Buffer) => void,
  ): void => crypto.scrypt(password, salt, length, { ...options, N: (options.N ?? 16_384) / 16 }, done);
  return { ...crypto, scrypt };
});
