import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../src/delivery/sqlite/database.js';
import type { SqliteOptions } from '../../src/delivery/sqlite/index.js';
import { sqliteWith } from '../../src/delivery/sqlite/sqlite.js';
import { chatEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder, threadedSqlite } from '../helpers/sqlite-store.js';
import { eventually, notes } from './contract/stage.js';
import { checkLostAnswer, LOST_CALLS } from './lost-answer.js';

const built = (file: string): string => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href);
const SQLITE = built('delivery/sqlite/index.js');
const WRITER_THREAD = built('delivery/sqlite/writer-thread.js');

/** A delivery with a host that records handled events. */
function connect(delivery: ReturnType<typeof sqliteWith>) {
  const logged = logLines();
  const handled = notes<string>();
  delivery.connect({
    name: 'default',
    hasBot: () => true,
    handles: () => true,
    handle: async ({ key }) => handled.add(key),
    greet: async () => {},
    report: () => {},
    log: logged.log,
  });
  return { delivery, handled, logged };
}

/** A delivery whose writer thread runs the test's code. */
async function createWithThread(
  createCode: (folder: string) => string,
  options: Partial<SqliteOptions> = {},
) {
  const folder = await temporaryFolder();
  const thread = join(folder, 'thread.mjs');
  writeFileSync(thread, createCode(folder));
  const settings = { file: join(folder, 'handoff.db'), pollMs: 10, ...options };
  return { folder, delivery: sqliteWith(settings, pathToFileURL(thread)) };
}

/** The same, connected. */
async function withThread(...args: Parameters<typeof createWithThread>) {
  const { folder, delivery } = await createWithThread(...args);
  return { folder, ...connect(delivery) };
}

/** The start of programs that use the built package. */
const HOST = `
  import { sqlite } from ${SQLITE};
  const quiet = () => {};
  const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
  const connect = (file, handle) => {
    const delivery = sqlite({ file });
    delivery.connect({ name: 'default', hasBot: () => true, handles: () => true, handle, greet: async () => {}, report: quiet, log });
    return delivery;
  };
  const event = (key) => ({ name: 'handoff.message', bot: 'default', key, conversationId: key, body: {}, receivedAt: 1, requestId: 'r' });
`;

/** Exits while its events are being stored. */
const EXITING_PROGRAM = `${HOST}
  const delivery = connect(process.argv[2], async () => {});
  await delivery.start();
  let number = 0;
  const storeMore = async () => {
    for (;;) {
      const key = 'event ' + (number += 1);
      if ((await delivery.accept(event(key))) === 'stored') process.stdout.write(key + '\\n');
      if (number === 200) process.exit(0);
    }
  };
  for (let sender = 0; sender < 20; sender += 1) void storeMore();
`;

describe('the writer thread', () => {
  it('leaves the event loop free while another process holds the database', async () => {
    const file = join(await temporaryFolder(), 'handoff.db');
    const { delivery, handled } = connect(threadedSqlite({ file, pollMs: 10 }));
    await delivery.start?.();
    await delivery.accept(chatEvent('c', { key: 'first' }));
    await handled.until(1);

    const other = openConnection(file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = delivery.accept(chatEvent('c', { key: 'second' }));
    // If this thread waited for the database, it could never commit.
    await new Promise((resolve) => setTimeout(resolve, 50));
    other.exec('COMMIT');
    other.close();
    expect(await waiting).toBe('stored');
    expect(await handled.until(2)).toEqual(['first', 'second']);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('is replaced when it dies, and commands that it had not answered fail', async () => {
    // The first thread dies of the first event; its successors work.
    const { delivery, handled, logged } = await withThread(
      (folder) => `
        import { existsSync, writeFileSync } from 'node:fs';
        import { parentPort } from 'node:worker_threads';
        const died = ${JSON.stringify(join(folder, 'died'))};
        const on = parentPort.on.bind(parentPort);
        parentPort.on = (name, listener) => on(name, (commands) => {
          if (!existsSync(died) && JSON.stringify(commands).includes('lost')) {
            writeFileSync(died, '');
            throw new Error('out of memory');
          }
          listener(commands);
        });
        await import(${WRITER_THREAD});`,
    );
    await delivery.start?.();
    expect(await delivery.accept(chatEvent('c', { key: 'lost' }))).toBe('unavailable');
    expect(logged.about('the database cannot be used')).toMatchObject([{ reason: 'out of memory' }]);
    await eventually(async () =>
      expect(await delivery.accept(chatEvent('c', { key: 'kept' }))).not.toBe('unavailable'),
    );
    expect(await handled.until(1)).toEqual(['kept']);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('may die between a commit and its answer: every event is handled once, and none is stuck', async () => {
    // Each thread commits as many groups as its entry says, and dies before it answers the last of them.
    const LIVES = [9, 2, 1, 3, 2, 5, 1, 4];
    const { folder, delivery, handled, logged } = await withThread(
      (place) => `
        import { appendFileSync, existsSync, readFileSync } from 'node:fs';
        import { parentPort } from 'node:worker_threads';
        const lives = ${JSON.stringify(join(place, 'lives'))};
        let left = ${JSON.stringify(LIVES)}[existsSync(lives) ? readFileSync(lives).length : 0] ?? Infinity;
        appendFileSync(lives, '.');
        const answer = parentPort.postMessage.bind(parentPort);
        parentPort.postMessage = (response) => {
          left -= 1;
          if (left === 0) process.exit(1);
          answer(response);
        };
        await import(${WRITER_THREAD});`,
      { leaseMs: 600 },
    );
    await eventually(() => delivery.start?.());
    const keys = Array.from({ length: 40 }, (_, nth) => `${nth % 4}:${nth}`);
    for (const key of keys) {
      // Resends after a 503, like a sender.
      await eventually(async () =>
        expect(await delivery.accept(chatEvent(key.slice(0, 1), { key }))).toMatch(/^(stored|duplicate)$/),
      );
    }
    await eventually(async () =>
      expect(await delivery.queues?.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect(readFileSync(join(folder, 'lives')).length).toBe(LIVES.length + 1);
    expect(handled.all.toSorted()).toEqual(keys.toSorted());
    for (const conversation of ['0', '1', '2', '3']) {
      const own = (list: readonly string[]) => list.filter((key) => key.startsWith(conversation));
      expect(own(handled.all)).toEqual(own(keys));
    }
    expect(logged.about('the database cannot be used').length).toBeGreaterThan(0);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it.each(LOST_CALLS)('may die between a commit and its answer: %s', async (lost) => {
    // Dies once, after committing a command of this name, when the test has created the file `armed`.
    const { folder, delivery } = await createWithThread(
      (place) => `
        import { existsSync, writeFileSync } from 'node:fs';
        import { parentPort } from 'node:worker_threads';
        const armed = ${JSON.stringify(join(place, 'armed'))};
        const died = ${JSON.stringify(join(place, 'died'))};
        let isNext = false;
        const on = parentPort.on.bind(parentPort);
        parentPort.on = (name, listener) => on(name, (commands) => {
          isNext = Array.isArray(commands) && commands.some(([command]) => command === ${JSON.stringify(lost)});
          listener(commands);
        });
        const answer = parentPort.postMessage.bind(parentPort);
        parentPort.postMessage = (response) => {
          if (isNext && existsSync(armed) && !existsSync(died)) {
            writeFileSync(died, '');
            process.exit(1);
          }
          answer(response);
        };
        await import(${WRITER_THREAD});`,
      { leaseMs: 600, concurrency: 1, backoff: { minDelayMs: 1, maxDelayMs: 1 } },
    );
    await checkLostAnswer(delivery, {
      arm: () => writeFileSync(join(folder, 'armed'), ''),
      isLost: () => existsSync(join(folder, 'died')),
    });
  });

  it('is not restarted again and again when it dies each time', async () => {
    const { folder, delivery } = await withThread(
      (place) => `
        import { appendFileSync } from 'node:fs';
        appendFileSync(${JSON.stringify(join(place, 'starts'))}, '.');
        throw new Error('no memory left');`,
    );
    const began = performance.now();
    await expect(delivery.start?.()).rejects.toThrow('no memory left');
    for (let times = 0; times < 200; times += 1) {
      expect(await delivery.accept(chatEvent('c', { key: `${times}` }))).toBe('unavailable');
    }
    // Once, and then twice a second at most.
    const most = 2 + (performance.now() - began) / 500;
    expect(readFileSync(join(folder, 'starts'), 'utf8').length).toBeLessThanOrEqual(most);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('works if the application itself runs in a thread', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      `import { parentPort } from 'node:worker_threads';
       ${HOST}
       let onHandled;
       const handled = new Promise((resolve) => { onHandled = resolve; });
       const delivery = connect(${JSON.stringify(join(folder, 'handoff.db'))}, async () => onHandled());
       await delivery.start();
       const accepted = await delivery.accept(event('k'));
       await handled;
       await delivery.stop({ timeoutMs: 1_000 });
       parentPort.postMessage(accepted);`,
    );
    const application = new Worker(program);
    expect(await once(application, 'message')).toEqual(['stored']);
    await application.terminate();
  });

  it('lets a process exit while it writes, with every stored event kept', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'program.mjs');
    writeFileSync(program, EXITING_PROGRAM);
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

  it('is optional: without its file, as in a bundle, the caller’s thread writes', async () => {
    const folder = await temporaryFolder();
    const { delivery, handled } = connect(sqliteWith({ file: join(folder, 'handoff.db') }, null));
    await delivery.start?.();
    expect(await delivery.accept(chatEvent('c', { key: 'k' }))).toBe('stored');
    expect(await handled.until(1)).toEqual(['k']);
    await delivery.stop({ timeoutMs: 1_000 });
  });
});
