import { describe, expect, it } from 'vitest';
import { createMemoryHandoffStore, type HandoffStore } from '../../src/handoff/index.js';
import { inline, type Receipt } from '../../src/public/index.js';
import { eventually } from '../delivery/contract/stage.js';
import { sqliteEngine } from '../helpers/sqlite-store.js';
import { benchWith } from './conversations.js';

const inlineEngine = {
  stores: false,
  createStore: async () => ({ open: () => inline(), remove: async () => {} }),
};

/** A store that fails while `isBroken` is set. */
function failing(store: HandoffStore) {
  const broken = { isBroken: false };
  const unlessBroken = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    if (broken.isBroken) throw new Error('the disk is gone');
    return act();
  };
  return Object.assign(broken, {
    store: {
      ...store,
      create: (conversation) => unlessBroken(() => store.create(conversation)),
      get: (id) => unlessBroken(() => store.get(id)),
      update: (id, version, change) => unlessBroken(() => store.update(id, version, change)),
    } satisfies HandoffStore,
  });
}

describe('a store of conversations that fails', () => {
  it('makes a request fail, which the sender can repeat', async () => {
    const disk = failing(createMemoryHandoffStore());
    const { bench, receiver, logged } = await benchWith(inlineEngine, { wrapStore: () => disk.store });
    disk.isBroken = true;
    const refused = await bench.requestHandoff({ conversationId: 'c' });
    expect(refused.deliveries).toMatchObject([{ status: 500 }]);
    expect(logged.about('handling an event failed')).toMatchObject([
      { err: { message: 'the disk is gone' } },
    ]);
    disk.isBroken = false;
    await bench.requestHandoff();
    expect(await receiver.conversations.get(bench.conversation.id)).toMatchObject({ state: 'waiting' });
  });

  it('makes replies fail, even if they are not awaited, and the process survives', async () => {
    const disk = failing(createMemoryHandoffStore());
    const forgotten: Promise<Receipt>[] = [];
    const { bench, receiver, logged } = await benchWith(inlineEngine, {
      wrapStore: () => disk.store,
      register: (made) =>
        made.on('handoff.message', ({ reply }) => {
          disk.isBroken = true;
          forgotten.push(reply('hello'));
        }),
    });
    const { id } = await bench.requestHandoff();
    expect(await bench.say('hi')).toMatchObject({ status: 200 });
    await expect(receiver.conversations.end(id)).rejects.toThrow('the disk is gone');
    await expect(forgotten[0]).rejects.toThrow('the disk is gone');
    expect(logged.about('could not be stored')).toHaveLength(2);
    disk.isBroken = false;
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'waiting' });
  });

  it('makes a stored event be retried until it succeeds', async () => {
    const disks: ReturnType<typeof failing>[] = [];
    const failures: unknown[] = [];
    const { bench, becomes } = await benchWith(sqliteEngine, {
      register: (made) => made.onError(({ error }) => failures.push(error)),
      wrapStore: (store) => {
        if (!store) throw new Error('SQLite stores conversations');
        const disk = failing(store);
        disks.push(disk);
        return disk.store;
      },
    });
    for (const disk of disks) disk.isBroken = true;
    await bench.requestHandoff();
    await eventually(() => expect(failures.length).toBeGreaterThan(1));
    for (const disk of disks) disk.isBroken = false;
    await becomes({ state: 'waiting', session: 1 });
  });
});

describe('a receiver without handoff endpoints', () => {
  it('tracks no conversations, and lists none', async () => {
    const disk = failing(createMemoryHandoffStore());
    disk.isBroken = true;
    const { bench, receiver } = await benchWith(inlineEngine, {
      auth: { message: false, handoff: false },
      wrapStore: () => disk.store,
    });
    const reply = async (): Promise<unknown> => receiver.conversations.reply('unknown', 'hello');
    await expect(reply()).rejects.toThrow(/40356/);
    disk.isBroken = false;
    expect(await receiver.conversations.list()).toEqual([]);
    expect(bench.replies).toEqual([]);
  });
});
