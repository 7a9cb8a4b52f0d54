import {
  chmodSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConnection, retryWhileLocked } from '../../src/delivery/sqlite/database.js';
import { openSqliteDatabase, sqlite } from '../../src/delivery/sqlite/index.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { chatEvent } from '../helpers/events.js';
import { temporaryFolder, threadedSqlite } from '../helpers/sqlite-store.js';
import { makeReceiver, start } from '../helpers/start.js';
import { eventually, notes } from './contract/stage.js';

const newFile = async (): Promise<string> => join(await temporaryFolder(), 'handoff.db');

/** Writes the log into the file itself: otherwise damage to the file could be repaired from the log. */
function checkpoint(file: string): void {
  const connection = openConnection(file);
  connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  connection.close();
}

/** A file with all tables, closed. */
async function usedFile(): Promise<string> {
  const file = await newFile();
  await (await openSqliteDatabase(file)).close();
  checkpoint(file);
  return file;
}

/** Sends a message to a receiver, and returns the status of its answer. */
const send = async (url: string, body: string): Promise<number> =>
  (await request(url).post('/chat').send(chatBody({ body }))).status;

/** A receiver on a file, not started. It is closed with the test. */
function receiverOn(file: string) {
  const delivery = sqlite({ file });
  const made = makeReceiver({ delivery });
  onTestFinished(async () => void (await made.receiver.close({ timeoutMs: 1 })));
  return { ...made, delivery };
}

describe('a new file that several processes open at the same time', () => {
  const lockedFor = (times: number, error: Error) => {
    let calls = 0;
    return () => {
      calls += 1;
      if (calls <= times) throw error;
    };
  };

  it('is opened by each: one that SQLite refuses at once tries again', () => {
    const locked = Object.assign(new Error('database is locked'), { errcode: 5 });
    expect(() => retryWhileLocked(lockedFor(3, locked))).not.toThrow();
  });

  it('is not tried again for other reasons', () => {
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    expect(() => retryWhileLocked(lockedFor(1, full))).toThrow(full);
  });
});

describe('a file that cannot be used', () => {
  it.each([
    ['is not a database', (file: string) => writeFileSync(file, 'This is a shopping list. '.repeat(100))],
    [
      'is damaged',
      (file: string) =>
        writeFileSync(
          file,
          readFileSync(file).map((byte, index) => (index < 100 ? byte : 0xff)),
        ),
    ],
  ])('because it %s makes start() reject with what to do', async (_why, damage) => {
    const file = await usedFile();
    damage(file);
    const { receiver, delivery, logged } = receiverOn(file);
    const failure = await receiver.start().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'DATABASE_UNUSABLE' });
    expect(String(failure)).toContain(file);
    expect(String(failure)).toContain('Check that its folder exists');
    expect(await delivery.accept(chatEvent('c'))).toBe('unavailable');
    expect(String(logged.about('the database cannot be used')[0]?.reason)).toContain(file);
    await expect(openSqliteDatabase(file)).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
  });

  it('because it may not be written makes start() reject', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may write every file: run the tests as another user');
    const file = await usedFile();
    chmodSync(file, 0o400);
    await expect(receiverOn(file).receiver.start()).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
  });

  it('because a newer version wrote it is left unchanged', async () => {
    const file = await usedFile();
    const connection = openConnection(file);
    connection.exec('UPDATE schema_version SET version = 99');
    connection.close();
    checkpoint(file);
    const before = readFileSync(file);
    await expect(receiverOn(file).receiver.start()).rejects.toMatchObject({ code: 'DATABASE_TOO_NEW' });
    await expect(openSqliteDatabase(file)).rejects.toThrow(/newer version/);
    expect(readFileSync(file)).toEqual(before);
  });
});

describe('a file that is damaged', () => {
  it('by truncation makes start() reject, or the receiver answer 503', async () => {
    const file = await usedFile();
    truncateSync(file, 5_000);
    const to = await start({ delivery: sqlite({ file, pollMs: 20 }) });
    onTestFinished(async () => void (await to.receiver.close({ timeoutMs: 1 })));
    // Versions of SQLite differ in how much of a file they check when it is opened.
    const failure = await to.receiver.start().catch((error: unknown) => error);
    if (failure) expect(failure).toMatchObject({ message: expect.stringMatching(/malformed|cannot use/) });
    expect(await send(to.url, 'hello')).toBe(503);
    await to.logged.until('the database cannot be used');
  });

  it('under a running receiver makes it answer 503, and the process survives', async () => {
    const file = await newFile();
    const to = await start({ delivery: sqlite({ file, pollMs: 20 }) });
    const handled = notes<string>();
    to.receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
    await to.receiver.start();
    expect(await send(to.url, 'before')).toBe(200);
    await handled.until(1);
    checkpoint(file);
    writeFileSync(file, readFileSync(file).fill(0xff, 0, 65_536));
    const statuses = [
      await send(to.url, 'x'.repeat(200_000)),
      (await request(to.url).post('/conversation/establish').send(establishBody())).status,
    ];
    expect(statuses).toEqual([503, 503]);
    expect(await to.logged.until('the database cannot be used')).toMatchObject({
      reason: expect.any(String) as string,
    });
    await to.receiver.close({ timeoutMs: 100 });
  });
});

describe.each([
  ['in the caller’s thread', sqlite],
  ['in a thread', threadedSqlite],
])('a file that is taken away under a running receiver, which writes %s', (_way, openFile) => {
  it.each([
    ['deleted', (file: string) => rmSync(file)],
    [
      'deleted with its log',
      (file: string) => {
        for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path);
      },
    ],
    ['left without its log', (file: string) => rmSync(`${file}-wal`)],
    [
      'replaced by a copy',
      (file: string) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ])(
    'because it is %s: 503, with the reason in the log, and the store is not ready',
    async (_what, takeAway) => {
      const file = await newFile();
      const delivery = openFile({ file, pollMs: 20 });
      const to = await start({ delivery });
      const handled = notes<string>();
      to.receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
      await to.receiver.start();
      expect(await send(to.url, 'before')).toBe(200);
      await handled.until(1);
      takeAway(file);
      expect(await send(to.url, 'after')).toBe(503);
      expect(await to.logged.until('the database cannot be used')).toMatchObject({
        code: 'DATABASE_FILE_GONE',
        reason: expect.stringContaining(file) as string,
      });
      await expect(delivery.queues?.check()).rejects.toMatchObject({ code: 'DATABASE_FILE_GONE' });
      await to.receiver.close({ timeoutMs: 1 });
    },
  );
});

describe('the queues of a file', () => {
  it('can be inspected and repaired while a receiver works on it', async () => {
    const file = await newFile();
    const handled = notes<string>();
    const to = await start({ delivery: sqlite({ file, pollMs: 20, maxAttempts: 1 }) });
    const state = { broken: true };
    to.receiver.on('handoff.message', ({ payload }) => {
      if (state.broken) throw new Error('broken');
      handled.add(payload.body);
    });
    await to.receiver.start();
    expect(await send(to.url, 'hello')).toBe(200);
    await to.logged.until('became a dead letter');
    state.broken = false;
    const { queues, close } = await openSqliteDatabase(file);
    await eventually(async () => expect(await queues.depth('inbox')).toMatchObject({ dead: 1 }));
    const [dead] = await queues.list('inbox', { state: 'dead' });
    expect(await queues.retry('inbox', dead?.id ?? '')).toBe(true);
    expect(await handled.until(1)).toEqual(['hello']);
    await close();
    await to.receiver.close();
  });
});

describe('several processes', () => {
  it('may open a new file at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const file = await newFile();
      const opened = await Promise.all(Array.from({ length: 4 }, () => openSqliteDatabase(file)));
      for (const { queues } of opened) await queues.check();
      for (const { close } of opened) await close();
    }
  });
});

describe('the settings of a file', () => {
  it('make a commit survive a power cut', async () => {
    const connection = openConnection(await newFile());
    expect(connection.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(connection.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    connection.close();
  });

  it('are checked at construction', () => {
    for (const options of [
      { concurrency: 0 },
      { maxAttempts: 0 },
      { leaseMs: 0 },
      { pollMs: 1.5 },
      { rememberMs: -1 },
    ]) {
      expect(() => sqlite({ file: 'unused.db', ...options })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
  });

  it.each([':memory:', ''])('refuse a database in memory: %j', (file) => {
    expect(() => sqlite({ file })).toThrow('would lose its events with the process');
  });
});
