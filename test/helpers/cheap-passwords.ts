import type { BinaryLike, ScryptOptions } from 'node:crypto';
import { vi } from 'vitest';

/**
 * A setup file: hashes passwords at a sixteenth of the cost. A hash takes 100 ms on purpose, and the desk's tests create
 * more than a thousand. Stored hashes still name the production cost.
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
