import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 ** 30;

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES;
}

/** Where tests keep databases: in memory if there is room, since a database waits for the disk at every commit. */
export const DATABASES_FOLDER = existsSync(MEMORY) && hasRoom() ? MEMORY : tmpdir();
