import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/delivery/sqlite/database.js';
import { sqliteWith } from '../../src/delivery/sqlite/sqlite.js';
import { chatEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder, threadedSqlite } from '../helpers/sqlite-store.js';
import { eventually, notes } from './contract/stage.js';

/** A host that notes what is handled. */
function host() {
  const logged = logLines();
  const handled = notes<string>();
  const handle = async ({ key }: { key: string }): Promise<void> => handled.add(key);
  return { handled, logged, handle, greet: async () => {}, report: () => {}, log: logged.log };
}

/** A program that is ended by itself while its events are being stored. */
const PROGRAM = `
  import { sqlite } from ${JSON.stringify(new URL('../../dist/delivery/sqlite/index.js', import.meta.url).href)};
  const quiet = () => {};
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
  const delivery = sqlite({ file: process.argv[2] });
  delivery.start({ handle: async () => {}, greet: async () => {}, report: quiet, log });
  const event = (key) => ({ name: 'handoff.message', key, conversationId: key, body: {}, receivedAt: 1, requestId: 'r' });
  let number = 0;
  const storeOn = async () => {
    for (;;) {
      const key = 'event ' + (number += 1);
      if ((await delivery.accept(event(key))) === 'stored') process.stdout.write(key + '\\n');
      if (number === 200) process.exit(0);
    }
  };
  for (let hand = 0; hand < 20; hand += 1) void storeOn();
`;

describe('the thread that writes', () => {
  it('leaves the event loop alone while another holds the database', async () => {
    const file = join(await temporaryFolder(), 'handoff.db');
    const delivery = threadedSqlite({ file, pollMs: 10 });
    const to = host();
    delivery.start(to);
    await delivery.accept(chatEvent('c', { key: 'first' }));
    await to.handled.until(1);

    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = delivery.accept(chatEvent('c', { key: 'second' }));
    // Were this thread to wait for the database, nobody would be left to give it back.
    await new Promise((resolve) => setTimeout(resolve, 50));
    other.exec('COMMIT');
    other.close();
    expect(await waiting).toBe('stored');
    expect(await to.handled.until(2)).toEqual(['first', 'second']);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('is followed by another when it dies, and what it had not answered has failed', async () => {
    const folder = await temporaryFolder();
    const thread = join(folder, 'thread.mjs');
    const died = join(folder, 'died');
    // Dies of the first thing it is asked to store; the next is the real one.
    writeFileSync(
      thread,
      `import { existsSync, writeFileSync } from 'node:fs';
       import { parentPort } from 'node:worker_threads';
       if (existsSync(${JSON.stringify(died)})) {
         await import(${JSON.stringify(new URL('../../dist/delivery/sqlite/thread.js', import.meta.url).href)});
       } else {
         writeFileSync(${JSON.stringify(died)}, '');
         parentPort.on('message', () => { throw new Error('out of memory'); });
       }`,
    );
    const delivery = sqliteWith({ file: join(folder, 'handoff.db'), pollMs: 10 }, pathToFileURL(thread));
    const to = host();
    delivery.start(to);
    expect(await delivery.accept(chatEvent('c', { key: 'lost' }))).toBe('unavailable');
    expect(to.logged.about('the database cannot be written')[0]).toMatchObject({
      err: { message: 'out of memory' },
    });
    await eventually(async () =>
      expect(await delivery.accept(chatEvent('c', { key: 'kept' }))).not.toBe('unavailable'),
    );
    expect(await to.handled.until(1)).toEqual(['kept']);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('is not started again and again when each dies at once', async () => {
    const folder = await temporaryFolder();
    const thread = join(folder, 'thread.mjs');
    const starts = join(folder, 'starts');
    writeFileSync(
      thread,
      `import { appendFileSync } from 'node:fs';
       appendFileSync(${JSON.stringify(starts)}, '.');
       throw new Error('no memory left');`,
    );
    const delivery = sqliteWith({ file: join(folder, 'handoff.db'), pollMs: 10 }, pathToFileURL(thread));
    delivery.start(host());
    for (let times = 0; times < 200; times += 1) {
      expect(await delivery.accept(chatEvent('c', { key: `${times}` }))).toBe('unavailable');
    }
    expect(readFileSync(starts, 'utf8').length).toBeLessThan(20);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('has its place also where the application itself runs in a thread', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      `import { parentPort } from 'node:worker_threads';
       import { sqlite } from ${JSON.stringify(new URL('../../dist/delivery/sqlite/index.js', import.meta.url).href)};
       const quiet = () => {};
       const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
       const delivery = sqlite({ file: ${JSON.stringify(join(folder, 'handoff.db'))} });
       const handled = new Promise((resolve) => {
         delivery.start({ handle: async () => resolve(), greet: async () => {}, report: quiet, log });
       });
       const event = { name: 'handoff.message', key: 'k', conversationId: 'c', body: {}, receivedAt: 1, requestId: 'r' };
       const accepted = await delivery.accept(event);
       await handled;
       await delivery.stop({ timeoutMs: 1_000 });
       parentPort.postMessage(accepted);`,
    );
    const application = new Worker(program);
    expect(await once(application, 'message')).toEqual(['stored']);
    await application.terminate();
  });

  it('lets a process end in the middle of its work, with all that was stored', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'program.mjs');
    writeFileSync(program, PROGRAM);
    for (let time = 0; time < 3; time += 1) {
      const file = join(folder, `${time}.db`);
      const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      expect(await once(child, 'close')).toEqual([0, null]);
      const stored = printed.trim().split('\n');
      expect(stored.length).toBeGreaterThan(100);

      const delivery = threadedSqlite({ file });
      for (const key of stored) expect(await delivery.seen(chatEvent(key, { key })), key).toBe(true);
      await delivery.stop({ timeoutMs: 1_000 });
    }
  });
});
