import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Adapter, AdapterError } from '../../src/public/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { serve } from '../helpers/serve.js';
import { agentCloses, agentSays, fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';
import { type SetupOptions, setUpBridge, sqliteDelivery } from './setup.js';

/** Starts a bridge with a database and hands a user over. */
async function handOver(options: SetupOptions) {
  const setup = await setUpBridge({
    ...options,
    receiver: { delivery: await sqliteDelivery(), ...options.receiver },
  });
  await setup.bench.requestHandoff();
  await eventually(() => expect(setup.desk.tickets).toHaveLength(1));
  const { database } = setup.receiver.storage;
  if (!database) throw new Error('the delivery has a database');
  const stored = async () => database.read(`SELECT id FROM ${database.table('bridge_event')}`);
  return { ...setup, database, stored };
}

/** A list that is not answered before the gate opens. */
function slowList() {
  const gate = deferred();
  const catchUp: NonNullable<Adapter['catchUp']> = () => gate.promise.then(() => []);
  return { gate, catchUp };
}

describe('a webhook, with a database', () => {
  it('is answered before the helpdesk answers, and applied in order after it', async () => {
    const { gate, catchUp } = slowList();
    const { bench, sendEvents, shown, stored } = await handOver({ adapter: { catchUp } });
    expect(await sendEvents(agentSays('one'), agentCloses())).toBe(200);
    expect(await sendEvents(agentSays('two'))).toBe(200);
    expect(shown()).toEqual([]);
    gate.resolve();
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(shown()).toEqual(['one']);
    await eventually(async () => expect(await stored()).toEqual([]));
  });

  it('is answered before the platform answers', async () => {
    const gate = deferred();
    const { url } = await serve((_request, response) => {
      void gate.promise.then(() => response.end('{}'));
    });
    const { gate: list, catchUp } = slowList();
    const { sendEvents } = await handOver({
      capabilities: { unordered: true },
      adapter: { catchUp },
      receiver: { platform: { baseUrl: url, apiKey: 'key-of-the-platform' } },
    });
    const replies = Array.from({ length: 10 }, (_value, index) => agentSays(`reply ${index}`));
    const answers = await Promise.all([...replies, agentCloses()].map((event) => sendEvents(event)));
    expect(new Set(answers)).toEqual(new Set([200]));
    list.resolve();
    gate.resolve();
  });

  it('is answered while its conversation is being opened', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({
      async open(apply) {
        const opened = apply();
        await gate.promise;
        return opened;
      },
      find: () => gate.promise.then(() => null),
    });
    const { bench, sendEvents, shown } = await setUpBridge({
      desk,
      receiver: { delivery: await sqliteDelivery() },
      bridge: { whenUnavailable: 'apologise', messages: { unavailable: 'No agent is available.' } },
    });
    await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    expect(await sendEvents(agentSays('I saw you coming.'))).toBe(200);
    expect(shown()).toEqual([]);
    gate.resolve();
    await eventually(() => expect(shown()).toEqual(['I saw you coming.']));
  });

  it('is tried again when its events cannot be applied', async () => {
    let isDown = true;
    const { bench, sendEvents, logged, stored } = await handOver({
      adapter: {
        async catchUp() {
          if (isDown) throw new AdapterError('transient', 'the desk is down.');
          return [];
        },
      },
    });
    expect(await sendEvents(agentCloses())).toBe(200);
    await logged.until('events not applied yet; they are tried again');
    expect(await stored()).toHaveLength(1);
    isDown = false;
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    await eventually(async () => expect(await stored()).toEqual([]));
  });

  it.each([0, 3_600_000])(
    'waits for an earlier one of its conversation that cannot be applied yet, also when the clock is set back by %d ms',
    async (setBackMs) => {
      let isDown = true;
      const { bench, sendEvents, logged, shown } = await handOver({
        capabilities: { unordered: true },
        adapter: {
          async catchUp() {
            if (isDown) throw new AdapterError('transient', 'the desk is down.');
            return [];
          },
        },
      });
      const tries = () => logged.about('they are tried again').length;
      expect(await sendEvents(agentCloses())).toBe(200);
      await eventually(() => expect(tries()).toBeGreaterThan(0));
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - setBackMs);
      onTestFinished(() => clock.mockRestore());
      expect(await sendEvents(agentSays('after the close'))).toBe(200);
      clock.mockRestore();
      const before = tries();
      await eventually(() => expect(tries()).toBeGreaterThan(before + 1));
      expect(shown()).toEqual([]);
      isDown = false;
      await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
      expect(shown()).toEqual([]);
    },
  );

  it('keeps the events of one conversation from waiting for those of another', async () => {
    let isDown = true;
    const { bench, sendEvents, logged, stored, desk } = await handOver({
      adapter: {
        async catchUp({ externalId }) {
          if (isDown && externalId === 'T1')
            throw new AdapterError('transient', 'this ticket cannot be listed.');
          return [];
        },
      },
    });
    const other = await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(2));
    const toOther = (text: string) => agentSays(text, { externalId: 'T2' });
    expect(await sendEvents(agentCloses())).toBe(200);
    expect(await sendEvents(agentSays('after the close'), toOther('one'))).toBe(200);
    expect(await sendEvents(toOther('two'))).toBe(200);
    await eventually(() => expect(other.replies.map(({ text }) => text)).toEqual(['one', 'two']));
    await logged.until('events not applied yet; they are tried again');
    expect(await stored()).toHaveLength(2);
    isDown = false;
    await eventually(async () => expect(await stored()).toEqual([]));
  });

  it('is answered 503 when it cannot be stored', async () => {
    const { sendEvents, database, shown } = await handOver({});
    const { write } = database;
    let isFull = true;
    vi.spyOn(database, 'write').mockImplementation(async (sql, values) => {
      if (isFull && sql.includes('INSERT') && sql.includes('bridge_event'))
        throw new Error('the disk is full');
      return write(sql, values);
    });
    const reply = agentSays('one');
    expect(await sendEvents(reply)).toBe(503);
    isFull = false;
    expect(await sendEvents(reply)).toBe(200);
    await eventually(() => expect(shown()).toEqual(['one']));
  });

  it('is not stored if it has no effect: echoes, notes, and conversations that are no handoffs', async () => {
    const { bench, sendEvents, database, bridge } = await handOver({});
    const write = vi.spyOn(database, 'write');
    await sendEvents(agentSays('ours', { author: { kind: 'self', name: null } }));
    await sendEvents(agentSays('a note', { internal: true }));
    await sendEvents(agentSays('to another user', { externalId: 'T99' }));
    await bench.closeByUser();
    await eventually(() => expect(bridge.stats()).toMatchObject({ dropped: 3 }));
    expect(write.mock.calls.filter(([sql]) => /INSERT INTO \S*bridge_event/.test(sql))).toEqual([]);
  });

  it('is answered 422 where that marks a reply to an ended conversation as failed', async () => {
    const { bench, sendEvents, receiver } = await handOver({ capabilities: { marksFailedWebhooks: true } });
    expect(await sendEvents(agentSays('in time'))).toBe(200);
    const { id } = await bench.closeByUser().then(() => bench.conversation);
    await eventually(async () => expect((await receiver.conversations.get(id))?.state).toMatch(/^clos/));
    expect(await sendEvents(agentSays('too late'))).toBe(422);
  });
});

describe('events that were answered, and not applied before their process ended', () => {
  it('are applied by the next one', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start({ adapter: { catchUp: () => new Promise(() => {}) } });
    routeTo(first);
    const user = await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    expect(await first.sendEvents(agentSays('one'), agentCloses())).toBe(200);
    await first.stop();
    expect(user.replies).toEqual([]);
    routeTo(await start({ adapter: { catchUp: async () => [] } }));
    await eventually(() => expect(user.endedBy).toBe('agent'));
    expect(user.replies.map(({ text }) => text)).toEqual(['one']);
  });
});
