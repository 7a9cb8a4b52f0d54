import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/delivery/index.js';
import { openDatabase } from '../../src/delivery/sqlite/database.js';
import { openSqliteQueues, sqlite } from '../../src/delivery/sqlite/index.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { start } from '../helpers/start.js';
import { eventually, notes } from './contract/stage.js';

const newFile = async (): Promise<string> => join(await temporaryFolder(), 'handoff.db');

/** A file that was used and closed. */
async function usedFile(): Promise<string> {
  const file = await newFile();
  const database = openDatabase(file);
  // Some drivers leave the log behind, from which a damaged file would be put right.
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  database.close();
  return file;
}

describe('a file that cannot be used', () => {
  it.each([
    ['is no database', (file: string) => writeFileSync(file, 'This is a shopping list. '.repeat(100))],
    [
      'is damaged',
      (file: string) =>
        writeFileSync(
          file,
          readFileSync(file).map((byte, index) => (index < 100 ? byte : 0xff)),
        ),
    ],
  ])('because it %s is refused with what to do', async (_why, damage) => {
    const file = await usedFile();
    damage(file);
    const open = (): unknown => sqlite({ file });
    expect(open).toThrow(expect.objectContaining({ code: 'DATABASE_UNUSABLE' }));
    expect(open).toThrow(file);
    expect(open).toThrow(/Check that its folder exists/);
  });

  it('because its folder is not there is refused with what to do', async () => {
    const file = join(await temporaryFolder(), 'nowhere', 'handoff.db');
    expect(() => sqlite({ file })).toThrow(expect.objectContaining({ code: 'DATABASE_UNUSABLE' }));
  });

  it('because it may not be written is refused with what to do', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may write every file: run the tests as another user');
    const file = await usedFile();
    chmodSync(file, 0o400);
    expect(() => sqlite({ file })).toThrow(expect.objectContaining({ code: 'DATABASE_UNUSABLE' }));
  });

  it('because a newer version wrote it is left as it is', async () => {
    const file = await usedFile();
    const database = openDatabase(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    const before = readFileSync(file);
    expect(() => sqlite({ file })).toThrow(expect.objectContaining({ code: 'DATABASE_TOO_NEW' }));
    expect(() => openSqliteQueues(file)).toThrow(/newer version/);
    expect(readFileSync(file)).toEqual(before);
  });
});

function tryOpen(file: string): { delivery: Delivery } | { error: unknown } {
  try {
    return { delivery: sqlite({ file, pollMs: 20 }) };
  } catch (error) {
    return { error };
  }
}

describe('a file that is damaged under a running receiver', () => {
  it('or was cut short before is refused, or 503 to the sender', async () => {
    const file = await usedFile();
    truncateSync(file, 5_000);
    const opened = tryOpen(file);
    // How much of a file is looked at when it is opened differs between the versions of SQLite.
    if ('error' in opened) {
      expect(opened.error).toMatchObject({ code: 'DATABASE_UNUSABLE' });
      return;
    }
    const to = await start({ delivery: opened.delivery });
    expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(503);
    expect(await to.logged.until('the database cannot be written')).toMatchObject({ file });
    await to.receiver.close();
  });

  it('is 503 to the sender, and the process lives on', async () => {
    const file = await newFile();
    const to = await start({ delivery: sqlite({ file, pollMs: 20 }) });
    const handled = notes<string>();
    to.receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
    expect(
      (
        await request(to.url)
          .post('/chat')
          .send(chatBody({ body: 'before' }))
      ).status,
    ).toBe(200);
    await handled.until(1);
    // A checkpoint first, so that the damage is not hidden by the log.
    const other = openDatabase(file);
    other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    other.close();
    writeFileSync(file, readFileSync(file).fill(0xff, 0, 65_536));
    const statuses = [];
    for (const [path, body] of [
      ['/chat', chatBody({ body: 'x'.repeat(200_000) })],
      ['/conversation/establish', establishBody()],
    ] as const) {
      statuses.push((await request(to.url).post(path).send(body)).status);
    }
    expect(statuses).toEqual([503, 503]);
    expect(await to.logged.until('the database cannot be written')).toMatchObject({ file });
    await to.receiver.close();
  });
});

describe('the queues of a file', () => {
  it('can be looked into and put right while a receiver is at work', async () => {
    const file = await newFile();
    const handled = notes<string>();
    const to = await start({ delivery: sqlite({ file, pollMs: 20, maxAttempts: 1 }) });
    const state = { broken: true };
    to.receiver.on('handoff.message', ({ payload }) => {
      if (state.broken) throw new Error('broken');
      handled.add(payload.body);
    });
    expect(
      (
        await request(to.url)
          .post('/chat')
          .send(chatBody({ body: 'hello' }))
      ).status,
    ).toBe(200);
    await to.logged.until('parked as dead');
    state.broken = false;
    const queues = openSqliteQueues(file);
    await eventually(async () => expect(await queues.depth('inbox')).toMatchObject({ dead: 1 }));
    const [dead] = await queues.list('inbox', { state: 'dead' });
    expect(await queues.retry('inbox', dead?.id ?? '')).toBe(true);
    expect(await handled.until(1)).toEqual(['hello']);
    await queues.close();
    await to.receiver.close();
  });
});

describe('the settings of a file', () => {
  it('make a commit outlive a power cut', async () => {
    const database = openDatabase(await newFile());
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    database.close();
  });

  it('are checked', () => {
    for (const options of [
      { concurrency: 0 },
      { maxAttempts: 0 },
      { leaseMs: 0 },
      { pollMs: 1.5 },
      { rememberMs: -1 },
    ]) {
      expect(() => sqlite({ file: ':memory:', ...options })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
  });
});
