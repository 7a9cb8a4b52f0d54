import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Stopping, and starting again. */
export function restarts(engine: Engine): void {
  describe('stopping', () => {
    it('lets running handlers finish, and starts no others', async () => {
      const set = await stage(engine);
      const held = deferred();
      const seen = notes<string>();
      const before = await set.open(async ({ key }) => {
        seen.add(key);
        await held.promise;
      });
      for (const key of ['1', '2']) await before.accept(chatEvent('c', { key }));
      await seen.until(1);
      const stopping = before.stop();
      held.resolve();
      expect(await stopping).toEqual({ unfinished: 0 });
      expect(seen.all).toEqual(['1']);
      await set.open(({ key }) => seen.add(key));
      expect(await seen.until(2)).toEqual(['1', '2']);
    });

    it('aborts handlers that take too long, and their events are handled again', async () => {
      const set = await stage(engine);
      const seen = notes<[key: string, attempt: number]>();
      const signals: AbortSignal[] = [];
      const before = await set.open(({ key }, { attempt, signal }) => {
        signals.push(signal);
        seen.add([key, attempt]);
        return deferred().promise;
      });
      for (const key of ['1', '2', '3']) await before.accept(chatEvent('c', { key }));
      await seen.until(1);
      expect(await before.stop(1)).toEqual({ unfinished: 1 });
      expect(signals.map(({ reason }) => reason.code)).toEqual(['SHUTTING_DOWN']);
      await set.open(({ key }, { attempt }) => seen.add([key, attempt]));
      expect(await seen.until(4)).toEqual([
        ['1', 1],
        ['1', 2],
        ['2', 1],
        ['3', 1],
      ]);
    });

    it('gives aborted handlers a moment: no other process runs their events meanwhile', async () => {
      const set = await stage(engine);
      const seen = notes<string>();
      const before = await set.open(async ({ key }, { signal }) => {
        seen.add(`${key} begins`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await sleep(300);
        seen.add(`${key} ends`);
      });
      await before.accept(chatEvent('c', { key: '1' }));
      await seen.until(1);
      await set.open(({ key }, { attempt }) => seen.add(`${key} again, attempt ${attempt}`));
      expect(await before.stop(1)).toEqual({ unfinished: 1 });
      expect(await seen.until(3)).toEqual(['1 begins', '1 ends', '1 again, attempt 2']);
    });

    it('refuses what handlers do that go on after that', async () => {
      const set = await stage(engine);
      const platform = await flakyPlatform();
      const resumed = deferred();
      const begun = deferred();
      const outcome = deferred<unknown>();
      const before = await set.receive(platform.options);
      before.receiver.on('handoff.message', async ({ reply, ensureClaimed }) => {
        begun.resolve();
        await resumed.promise;
        const results = await Promise.allSettled([ensureClaimed(), reply('too late')]);
        outcome.resolve(results.map(({ status }) => status));
      });
      await before.accept(chatEvent('c', { key: '1' }));
      await begun.promise;
      await before.stop(1);
      resumed.resolve();
      expect(await outcome.promise).toEqual(['rejected', 'rejected']);
      expect(platform.said('c')).toEqual([]);
    });

    it('releases claimed conversations to other processes', async () => {
      const set = await stage(engine);
      const seen = notes<string>();
      // Its only slot is taken, so it cannot claim the other conversation's event.
      const stuck = await set.open(
        ({ key }) => {
          seen.add(`stuck ${key}`);
          return deferred().promise;
        },
        { concurrency: 1 },
      );
      await stuck.accept(chatEvent('c', { key: '1' }));
      await seen.until(1);
      const other = await set.open(({ key }) => seen.add(`other ${key}`));
      await other.accept(chatEvent('c', { key: '2' }));
      await other.accept(chatEvent('d', { key: '3' }));
      expect(await seen.until(2)).toEqual(['stuck 1', 'other 3']);
      await stuck.stop(1);
      expect(await seen.until(4)).toEqual(['stuck 1', 'other 3', 'other 1', 'other 2']);
    });
  });

  describe('stopping while a handler waits until its reply is delivered', () => {
    it('lets the reply be sent and the handler finish', async () => {
      const called = deferred();
      const answered = deferred();
      const platform = await flakyPlatform(async () => {
        called.resolve();
        await answered.promise;
        return { status: 200 };
      });
      const to = await (await stage(engine)).receive(platform.options);
      const finished = notes<string>();
      to.receiver.on('handoff.message', async ({ text, reply }) => {
        await (await reply(`You said: ${text}`)).delivered();
        finished.add(text);
      });
      for (let index = 0; index < 10; index += 1) await to.accept(chatEvent(`c-${index}`));
      await called.promise;
      const stopping = to.stop();
      answered.resolve();
      expect(await stopping).toEqual({ unfinished: 0 });
      expect(platform.calls).toHaveLength(finished.all.length);
    });
  });

  describe('stopping with every slot taken', () => {
    it('starts no other handler, and waiting events keep their first attempt', async () => {
      const set = await stage(engine);
      const seen = notes<[conversation: string, attempt: number]>();
      const began = deferred();
      const stuck = await set.open(
        () => {
          began.resolve();
          return deferred().promise;
        },
        { concurrency: 1 },
      );
      const ids = ['a', 'b', 'c', 'd'];
      await Promise.all(ids.map((id) => stuck.accept(chatEvent(id))));
      await began.promise;
      expect(await stuck.delivery.stop({ timeoutMs: 500 })).toEqual({ unfinished: 1 });
      await set.open(({ conversationId }, { attempt }) => seen.add([conversationId, attempt]));
      const all = await seen.until(4);
      expect(new Set(all.map(([id]) => id))).toEqual(new Set(ids));
      expect(all.filter(([, attempt]) => attempt === 1)).toHaveLength(3);
    });
  });

  describe('starting again', () => {
    it('handles waiting events of many conversations in order, and no handled event again', async () => {
      const set = await stage(engine);
      const ids = Array.from({ length: 20 }, (_, index) => `c-${index}`);
      const handled = notes<string>();
      const first = async ({ key }: { key: string }) => {
        if (!key.endsWith(':0')) await deferred().promise;
        handled.add(key);
      };
      const before = await set.open(first, { concurrency: 20 });
      for (const at of [0, 1, 2, 3])
        await Promise.all(ids.map((id) => before.accept(chatEvent(id, { key: `${id}:${at}` }))));
      await eventually(async () => expect(await before.queues.depth('inbox')).toMatchObject({ waiting: 60 }));
      await before.stop(1);
      const after = await set.open(({ key }) => handled.add(key));
      await eventually(async () => expect(await after.queues.depth('inbox')).toMatchObject({ waiting: 0 }));
      for (const id of ids) {
        const keys = handled.all.filter((key) => key.startsWith(`${id}:`));
        expect(keys).toEqual([0, 1, 2, 3].map((at) => `${id}:${at}`));
      }
    });

    it('restores every field of a stored event', async () => {
      const set = await stage(engine);
      const event = chatEvent('c', { text: 'Hello?\ud800', receivedAt: 1_742_265_090_895 });
      const before = await set.open(() => deferred().promise);
      await before.accept(event);
      await before.stop(1);
      const seen = notes<unknown>();
      await set.open((restored) => seen.add(restored));
      expect(await seen.until(1)).toEqual([event]);
    });
  });

  describe('an event that is interrupted', () => {
    it('is handled again, however often its process stops, without counting as failed', async () => {
      const set = await stage(engine);
      const seen = notes<number>();
      for (let run = 1; run <= 3; run += 1) {
        const before = await set.open(
          (_event, { attempt }) => {
            seen.add(attempt);
            return deferred().promise;
          },
          { maxAttempts: 1 },
        );
        await before.accept(chatEvent('c', { key: 'k' }));
        await seen.until(run);
        await before.stop(1);
      }
      const after = await set.open((_event, { attempt }) => seen.add(attempt), { maxAttempts: 1 });
      expect(await seen.until(4)).toEqual([1, 2, 3, 4]);
      await eventually(async () =>
        expect(await after.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
      );
    });

    it('twice by the death of its process runs alone', async () => {
      const set = await stage(engine);
      const stored = await set.openDelivery();
      const others = ['a', 'b', 'c', 'd'];
      for (const id of ['suspect', ...others]) await stored.accept(chatEvent(id, { key: `first ${id}` }));
      const { database } = stored;
      if (!database) throw new Error('this engine stores nothing');
      const setCrashes = `UPDATE ${database.table('job')} SET crashes = 2 WHERE conversation = 'suspect'`;
      await database.write(setCrashes);
      await stored.stop({ timeoutMs: 1 });

      const inside = new Set<string>();
      const beside: string[] = [];
      const noted: unknown[] = [];
      const ended = notes<string>();
      const to = await set.open(
        async ({ conversationId: id, key }) => {
          inside.add(id);
          if (inside.has('suspect')) beside.push(...[...inside].filter((other) => other !== 'suspect'));
          if (id === 'suspect') {
            // Events that arrive during its run have to wait.
            await to.accept(chatEvent('a', { key: 'meanwhile' }));
            const crashes = `SELECT crashes FROM ${database.table('job')} WHERE conversation = 'suspect'`;
            noted.push(...((await to.delivery.database?.read(crashes)) ?? []));
          }
          inside.delete(id);
          ended.add(key);
        },
        { leaseMs: 2_000 },
      );
      expect((await ended.until(6)).toSorted()).toEqual(
        ['first suspect', 'meanwhile', ...others.map((id) => `first ${id}`)].toSorted(),
      );
      expect(beside).toEqual([]);
      expect(noted).toEqual([{ crashes: 3 }]);
    });
  });

  describe('a store that can be written', () => {
    it('passes the check, which adds no job', async () => {
      const to = await (await stage(engine)).open(() => {});
      await to.queues.check();
      await to.queues.check();
      expect(await to.queues.depth('inbox')).toEqual({ waiting: 0, dead: 0, oldestAt: null });
    });
  });

  describe('the depth of a queue', () => {
    it('counts waiting and running jobs, and gives the time of the oldest', async () => {
      const held = deferred();
      const to = await (await stage(engine)).open(() => held.promise);
      expect(await to.queues.depth('inbox')).toEqual({ waiting: 0, dead: 0, oldestAt: null });
      const began = Date.now();
      for (const id of ['c', 'c', 'd']) await to.accept(chatEvent(id));
      const { waiting, dead, oldestAt } = await to.queues.depth('inbox');
      expect([waiting, dead]).toEqual([3, 0]);
      expect(oldestAt?.getTime()).toBeGreaterThanOrEqual(began - 1_000);
      expect(await to.delivery.stats()).toMatchObject({ pending: 3 });
      held.resolve();
      await eventually(async () =>
        expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, oldestAt: null }),
      );
      await eventually(async () => expect(await to.delivery.stats()).toEqual({ pending: 0, remembered: 3 }));
    });
  });
}
