import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSharedRateLimiter } from '../../src/bridge/calls/rate-limiter.js';
import { AdapterError } from '../../src/public/adapter.js';
import { createReceiver, type Delivery, noAuth } from '../../src/public/index.js';
import { eventually } from '../helpers/eventually.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { onSharedStore } from './instances.js';
import { OUTAGE_MS } from './setup.js';

/** Longer than any test, so that a slot is used once. */
const HOUR_MS = 3_600_000;

/** How processes on one database share rates and news of the helpdesk. `createStore` returns one delivery per process. */
export function describeSharedStore(name: string, createStore: () => Promise<() => Promise<Delivery>>): void {
  const databaseOf = async (delivery: Delivery) => {
    const receiver = createReceiver({ auth: { message: false, handoff: noAuth() }, delivery, log: false });
    receiver.on('handoff.requested', () => {});
    await receiver.start();
    if (!receiver.storage.database) throw new Error('the delivery has a database');
    return { database: receiver.storage.database, close: () => receiver.close() };
  };

  describe(`events in one ${name}`, () => {
    it('are taken over from processes that have stopped or died, in order', async () => {
      const desk = fakeDesk();
      const { bench, start, routeTo } = await onSharedStore(desk, await createStore());
      const first = await start({});
      routeTo(first);
      const user = await bench.requestHandoff();
      await eventually(() => expect(desk.tickets).toHaveLength(1));
      const { database } = first.receiver.storage;
      if (!database) throw new Error('the delivery has a database');
      const table = database.table('bridge_event');
      const store = (id: string, text: string, claim: number) =>
        database.write(
          `INSERT INTO ${table} (id, scope, conversation, events, arrived_at, claim) VALUES ($1, $2, 'T1', $3, 1, ${claim})`,
          [id, JSON.stringify([null, 'fake-desk']), JSON.stringify([agentSays(text)])],
        );
      await store('b', 'two', 0);
      await store('a', 'one', 0);
      // Its count does not change any more.
      await store('c', 'three', 7);
      await eventually(() => expect(user.replies.map(({ text }) => text)).toEqual(['one', 'two', 'three']));
      await eventually(async () => expect(await database.read(`SELECT id FROM ${table}`)).toEqual([]));
    });

    it('are removed with their user, and those of others stay', async () => {
      const desk = fakeDesk();
      const { bench, start, routeTo } = await onSharedStore(desk, await createStore());
      const first = await start({});
      routeTo(first);
      await bench.requestHandoff({ user: { userId: 'ann' } });
      await bench.requestHandoff({ user: { userId: 'ben' } });
      await eventually(() => expect(desk.tickets).toHaveLength(2));
      // Nobody applies what is stored from here on.
      await first.bridge.close({ timeoutMs: 1 });
      const { database, queues } = first.receiver.storage;
      if (!database || !queues) throw new Error('the delivery has a database');
      const table = database.table('bridge_event');
      const store = (id: string, adapter: string, externalId: string) =>
        database.write(
          `INSERT INTO ${table} (id, scope, conversation, events, arrived_at, claim) VALUES ($1, $2, $3, $4, 1, 1)`,
          [
            id,
            JSON.stringify([null, adapter]),
            externalId,
            JSON.stringify([agentSays('hello', { externalId })]),
          ],
        );
      await store('ann', 'fake-desk', 'T1');
      await store('ben', 'fake-desk', 'T2');
      await store('elsewhere', 'another-desk', 'T1');
      await queues.forget('ann');
      const left = await database.read(`SELECT id FROM ${table} ORDER BY id`);
      expect(left.map(({ id }) => id)).toEqual(['ben', 'elsewhere']);
    });
  });

  describe(`rate limits of processes on one ${name}`, () => {
    it('hold for all of them together', async () => {
      const open = await createStore();
      const processes = await Promise.all([databaseOf(await open()), databaseOf(await open())]);
      const rate = { overall: { count: 20, perMs: HOUR_MS }, perConversation: { count: 3, perMs: HOUR_MS } };
      const limiters = processes.map(({ database }) => createSharedRateLimiter(rate, database, 'desk'));
      const ids = Array.from({ length: 60 }, (_, index) => `T${index % 10}`);
      const reservations = await Promise.all(
        limiters.flatMap((limiter) => ids.map((id) => limiter.reserve(id, 0))),
      );
      expect(reservations.filter(({ granted }) => granted)).toHaveLength(20);
      const [first] = limiters;
      expect(await first?.reserve('another', 0)).toMatchObject({ granted: false });
      for (const { close } of processes) await close();
    });

    it('count what a process sent that is gone, for all conversations and for each', async () => {
      const desk = fakeDesk();
      const { bench, start, routeTo } = await onSharedStore(desk, await createStore());
      const rate = { overall: { count: 2, perMs: HOUR_MS }, perConversation: { count: 1, perMs: HOUR_MS } };
      const first = await start({ capabilities: { rate } });
      routeTo(first);
      const { simulator } = bench;
      const one = await simulator.requestHandoff({ conversationId: 'one' });
      await one.say('1');
      await eventually(() => expect(desk.count('send')).toBe(1));
      await first.stop();

      const second = await start({ capabilities: { rate } });
      routeTo(second);
      await one.say('2');
      await eventually(() => expect(second.bridge.stats().postponed).toBe(1));
      const two = await simulator.requestHandoff({ conversationId: 'two' });
      await two.say('3');
      await eventually(() => expect(desk.count('send')).toBe(2));
      const three = await simulator.requestHandoff({ conversationId: 'three' });
      await three.say('4');
      await eventually(() => expect(second.bridge.stats().postponed).toBeGreaterThanOrEqual(2));
      expect(desk.count('send')).toBe(2);
    });

    it('hold while both send', async () => {
      const desk = fakeDesk();
      const { bench, start, routeTo } = await onSharedStore(desk, await createStore());
      const rate = { overall: { count: 3, perMs: HOUR_MS } };
      const instances = [await start({ capabilities: { rate } }), await start({ capabilities: { rate } })];
      for (const [index, instance] of [...instances, ...instances, ...instances, ...instances].entries()) {
        routeTo(instance);
        const conversation = await bench.simulator.requestHandoff({ conversationId: `c-${index}` });
        await conversation.say('hello');
      }
      const postponed = (): number =>
        instances.reduce((sum, { bridge }) => sum + bridge.stats().postponed, 0);
      await eventually(() => expect(postponed()).toBeGreaterThanOrEqual(5));
      expect(desk.count('send')).toBe(3);
    });
  });

  describe(`an outage of the helpdesk, for processes on one ${name}`, () => {
    it('ends for all of them when one finds that it answers again', async () => {
      const desk = fakeDesk();
      const { bench, start, routeTo } = await onSharedStore(desk, await createStore());
      const down = (): never => {
        throw new AdapterError('transient', 'the desk is down.');
      };
      // The first one tries again only after an hour, the second one soon. Postponed events wait for hours.
      const retry = { tries: 1, longestWaitMs: 1 };
      const first = await start({ bridge: { retry: { ...retry, firstWaitMs: HOUR_MS } } });
      routeTo(first);
      const conversations = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((conversationId) =>
          bench.simulator.requestHandoff({ conversationId }),
        ),
      );
      desk.behave({ send: down });
      const [last, ...others] = conversations;
      for (const conversation of others) await conversation.say('hello');
      await sleep(OUTAGE_MS);
      await last?.say('hello');
      await eventually(() => expect(first.bridge.isAvailable()).toBe(false));
      await eventually(() => expect(first.bridge.stats().postponed).toBeGreaterThanOrEqual(6));

      // It has no other way to learn of the outage than its own call, which the opening of a conversation is.
      const second = await start({ bridge: { retry: { ...retry, firstWaitMs: 1 } } });
      desk.behave({ send: down, open: down, find: down });
      routeTo(second);
      for (let n = 0; second.bridge.isAvailable(); n += 1)
        await bench.simulator.requestHandoff({ conversationId: `refused-${n}` });
      desk.behave();
      await eventually(async () => {
        await bench.simulator.requestHandoff({ conversationId: 'accepted' });
        expect(second.bridge.isAvailable()).toBe(true);
      });

      await eventually(() => expect(desk.tickets.flatMap(({ messages }) => messages)).toHaveLength(6));
      expect(first.bridge.isAvailable()).toBe(true);
    });
  });
}
