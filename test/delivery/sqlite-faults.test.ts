import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { expect, it } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import type { Receiver } from '../../src/public/index.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { describeWith } from '../helpers/requirement.js';
import { FROZEN_FILES, freeze, SMALL_DISK, smallDisk, thaw } from '../helpers/small-disk.js';
import { temporaryFolder, threadedSqlite } from '../helpers/sqlite-store.js';
import { start } from '../helpers/start.js';
import { eventually, notes } from './contract/stage.js';

const PORTION = 64 * 1024;

/** Fills a folder's filesystem to the last byte with a file that can be removed again. */
function fillUp(file: string): void {
  for (let size = PORTION; size >= 1; size = Math.floor(size / 2)) {
    for (let more = true; more; ) {
      try {
        writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
      } catch {
        more = false;
      }
    }
  }
}

/** The ways to write. */
const WAYS = [
  ['in the caller’s thread', sqlite],
  ['in a thread', threadedSqlite],
] as const;

/** A receiver on a file until the test ends, and the messages it handled. */
async function startOn(openFile: typeof sqlite, file: string, register?: (receiver: Receiver) => unknown) {
  const delivery = openFile({ file, pollMs: 20, backoff: { minDelayMs: 1, maxDelayMs: 20 } });
  const to = await start({ delivery });
  const handled = notes<string>();
  to.receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
  register?.(to.receiver);
  await to.receiver.start();
  const send = async (text: string, size = 0): Promise<number> => {
    const body = chatBody({ conversation_id: 'c', body: text, filler: 'x'.repeat(size) });
    return (await request(to.url).post('/chat').send(body)).status;
  };
  return { ...to, delivery, handled, send };
}

describeWith(SMALL_DISK)('SQLite on a full disk', () => {
  it.each(WAYS)(
    'answers 503, works again once there is room, and has every event that was answered 200, %s',
    async (_way, openFile) => {
      const folder = smallDisk(4);
      const to = await startOn(openFile, join(folder, 'handoff.db'));
      const accepted: string[] = [];
      for (let number = 0; number < 5; number += 1) {
        if ((await to.send(`early ${number}`)) === 200) accepted.push(`early ${number}`);
      }
      expect(accepted).toHaveLength(5);

      fillUp(join(folder, 'filler'));
      const statuses = new Set<number>();
      for (let number = 0; number < 40; number += 1) {
        const status = await to.send(`full ${number}`, PORTION);
        statuses.add(status);
        if (status === 200) accepted.push(`full ${number}`);
      }
      expect([...statuses].filter((status) => status !== 200)).toEqual([503]);
      const establish = await request(to.url).post('/conversation/establish').send(establishBody());
      expect([establish.status, establish.body]).toEqual([503, { code: 503, message: 'cannot store' }]);
      expect(establish.headers['retry-after']).toBe('1');
      expect(to.logged.about('the database cannot be used').length).toBeGreaterThan(0);
      await expect(to.delivery.queues?.check()).rejects.toThrow(/full/);

      rmSync(join(folder, 'filler'));
      await eventually(() => to.delivery.queues?.check());
      await eventually(async () => expect(await to.send('late')).toBe(200));
      accepted.push('late');
      await eventually(() => expect(to.handled.all).toContain('late'));
      expect(to.handled.all).toEqual(accepted);
      await to.receiver.close();
    },
  );

  it.each(WAYS)(
    'does not repeat an event whose end it could not store at once, %s',
    async (_way, openFile) => {
      const folder = smallDisk(4);
      const file = join(folder, 'handoff.db');
      const release = notes<string>();
      const to = await startOn(openFile, file, (receiver) =>
        receiver.on('message', async () => {
          fillUp(join(folder, 'filler'));
          release.add('full');
        }),
      );
      expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(200);
      await release.until(1);
      await to.logged.until('the database cannot be used');
      rmSync(join(folder, 'filler'));
      await eventually(async () =>
        expect(await to.delivery.queues?.depth('inbox')).toMatchObject({ waiting: 0 }),
      );
      expect(release.all).toEqual(['full']);
      await to.receiver.close();
    },
  );
});

describeWith(FROZEN_FILES)('SQLite on a file that becomes read-only', () => {
  it.each(WAYS)(
    'answers 503, works again once it may write, and has every event that was answered 200, %s',
    async (_way, openFile) => {
      // In memory, a file that is open already stays writable.
      const file = join(await temporaryFolder(tmpdir()), 'handoff.db');
      const to = await startOn(openFile, file);
      expect(await to.send('before')).toBe(200);
      // Not the `-shm` file: processes share it as memory, and SQLite cannot work without writing to it.
      const files = [file, `${file}-wal`];
      freeze(...files);
      try {
        expect(await to.send('meanwhile')).toBe(503);
        expect((await request(to.url).post('/conversation/establish').send(establishBody())).status).toBe(
          503,
        );
      } finally {
        thaw(...files);
      }
      expect(await to.send('after')).toBe(200);
      await eventually(() => expect(to.handled.all).toEqual(['before', 'after']));
      await to.receiver.close();
    },
  );
});
