import { close, fchmodSync, fstatSync, ftruncate, openSync, readSync, write } from 'node:fs';
import { promisify } from 'node:util';

/** More than this is not kept waiting for a slow disk. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

const writeTo = promisify(write);
const truncate = promisify(ftruncate);
const closeFile = promisify(close);

/** A file to which whole lines are appended. */
export interface LineFile {
  /** Writes in the background, in the order of the calls. Does nothing after a failure. */
  append(line: string): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/**
 * Opens the file, readable by its owner alone. Throws if that fails. After a failed write, which is reported once, the
 * file ends with the last whole line.
 */
export function openLineFile(path: string, onFailure: (reason: string) => void): LineFile {
  const file = openSync(path, 'a+', 0o600);
  const stats = fstatSync(file);
  if (stats.isFile()) fchmodSync(file, 0o600);
  let end = stats.size;
  // A process that was killed may have left a part of a line.
  let waiting = end > 0 && lastByte(file, end) !== '\n' ? ['\n'] : [];
  let waitingCharacters = 0;
  let isWriting = false;
  let hasFailed = false;
  let idle = Promise.resolve();

  const fail = (reason: string): void => {
    hasFailed = true;
    waiting = [];
    onFailure(reason);
  };

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const bytes = Buffer.from(waiting.join(''));
      waiting = [];
      waitingCharacters = 0;
      try {
        for (let done = 0; done < bytes.length; ) {
          done += (await writeTo(file, bytes, done, bytes.length - done, null)).bytesWritten;
        }
        end += bytes.length;
      } catch (error) {
        await truncate(file, end).catch(() => undefined);
        fail(error instanceof Error && 'code' in error ? String(error.code) : 'unknown error');
      }
    }
    isWriting = false;
  };

  return {
    append(line) {
      if (hasFailed) return;
      waitingCharacters += line.length;
      if (waitingCharacters > MAX_WAITING_CHARACTERS) return fail('the disk is too slow');
      waiting.push(`${line}\n`);
      if (isWriting) return;
      isWriting = true;
      idle = writeWaiting();
    },
    async close() {
      await idle;
      await closeFile(file);
    },
  };
}

function lastByte(file: number, size: number): string {
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, size - 1);
  return byte.toString('latin1');
}
