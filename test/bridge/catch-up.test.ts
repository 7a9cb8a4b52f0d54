import { describe, expect, it, vi } from 'vitest';
import {
  type Adapter,
  AdapterError,
  type AdapterErrorKind,
  type InboundEvent,
} from '../../src/public/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { agentCloses, agentSays, fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const fail = (kind: AdapterErrorKind): never => {
  throw new AdapterError(kind, `the desk says ${kind}.`);
};

/** A history of the desk, which `catchUp` lists. */
function history(...happened: InboundEvent[]) {
  const lists: { externalId: string; since: Date }[] = [];
  const catchUp: NonNullable<Adapter['catchUp']> = async ({ externalId }, since) => {
    lists.push({ externalId, since });
    return happened.filter((event) => event.externalId === externalId);
  };
  return { happened, lists, catchUp };
}

/** Starts a bridge and hands a user over. */
async function handOver(adapter: Partial<Adapter>, unordered = false) {
  const setup = await setUpBridge({ capabilities: { unordered }, adapter });
  await setup.bench.requestHandoff();
  return setup;
}

describe('a close that overtakes replies', () => {
  it('takes effect after them, in the order of the helpdesk', async () => {
    const [one, two, close] = [agentSays('one'), agentSays('two'), agentCloses()];
    const { bench, sendEvents, shown } = await handOver(history(one, two, close));
    expect(await sendEvents(close)).toBe(200);
    expect(await sendEvents(two, one)).toBe(200);
    expect(shown()).toEqual(['one', 'two']);
    expect(bench.conversation.endedBy).toBe('agent');
  });

  it('comes last where the helpdesk does not list it', async () => {
    const { bench, sendEvents, shown } = await handOver(history(agentSays('one')));
    await sendEvents(agentCloses());
    expect(shown()).toEqual(['one']);
    expect(bench.conversation.endedBy).toBe('agent');
  });

  it('takes effect after replies that arrive with it and are not listed', async () => {
    const close = agentCloses();
    const { sendEvents, shown } = await handOver(history(agentSays('listed'), close));
    await sendEvents(agentSays('arrived'), close);
    expect(shown()).toEqual(['listed', 'arrived']);
  });

  it('is refused while the list fails, and takes effect by itself when it works again', async () => {
    const { happened, catchUp } = history(agentSays('one'));
    let isDown = true;
    const { bench, sendEvents, shown } = await handOver({
      catchUp: async (...call) => (isDown ? fail('transient') : catchUp(...call)),
    });
    const close = agentCloses();
    happened.push(close);
    expect(await sendEvents(close)).toBe(503);
    expect(bench.conversation.endedBy).toBeNull();
    isDown = false;
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(shown()).toEqual(['one']);
  });

  it('waits for ten minutes for a list that never works, then takes effect', async () => {
    const { bench, sendEvents, logged } = await handOver({ catchUp: async () => fail('transient') });
    expect(await sendEvents(agentCloses())).toBe(503);
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 601_000);
    try {
      await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    } finally {
      vi.mocked(Date.now).mockRestore();
    }
    expect(logged.about('before a close could not be listed')).toMatchObject([{ level: 40 }]);
  });

  it.each(['invalid', 'gone', 'auth'] as const)('takes effect when the list is refused: %s', async (kind) => {
    const { bench, sendEvents, shown, logged } = await handOver({ catchUp: async () => fail(kind) });
    expect(await sendEvents(agentSays('arrived'), agentCloses())).toBe(200);
    expect(shown()).toEqual(['arrived']);
    expect(bench.conversation.endedBy).toBe('agent');
    expect(logged.about('before a close could not be listed')).toMatchObject([{ level: 40 }]);
  });

  it('is not listed for when it is our own', async () => {
    const { lists, catchUp } = history();
    const { sendEvents } = await handOver({ catchUp });
    await sendEvents(agentCloses({ author: { kind: 'self', name: null } }));
    expect(lists).toEqual([]);
  });
});

describe('replies of a helpdesk whose webhooks can overtake one another', () => {
  it('reach the user in the order of the helpdesk, once', async () => {
    const replies = ['one', 'two', 'three'].map((text) => agentSays(text));
    const { sendEvents, shown } = await handOver(history(...replies), true);
    for (const reply of replies.toReversed()) expect(await sendEvents(reply)).toBe(200);
    expect(shown()).toEqual(['one', 'two', 'three']);
  });

  it('are listed once for webhooks that repeat one another, and never for echoes and notes', async () => {
    const reply = agentSays('one');
    const { lists, catchUp } = history(reply);
    const { sendEvents } = await handOver({ catchUp }, true);
    await sendEvents(agentSays('ours', { author: { kind: 'self', name: null } }));
    await sendEvents(agentSays('a note', { internal: true }));
    await sendEvents(reply);
    await sendEvents(reply);
    expect(lists).toHaveLength(1);
  });

  it('are taken as they arrived rather than as listed, since webhooks may say more', async () => {
    const unknown: InboundEvent = { ...agentSays('from Slack'), author: { kind: 'system', name: null } };
    const arrived: InboundEvent = { ...unknown, author: { kind: 'agent', name: 'Ada' } };
    const later = agentSays('later');
    const { sendEvents, shown } = await handOver(history(unknown, later), true);
    await sendEvents(arrived);
    expect(shown()).toEqual(['from Slack', 'later']);
  });

  it('that the list does not know the author of are left to their own webhooks', async () => {
    const unknown: InboundEvent = { ...agentSays('from Slack'), author: { kind: 'system', name: null } };
    const later = agentSays('later');
    const { sendEvents, shown } = await handOver(history(unknown, later), true);
    await sendEvents(later);
    await sendEvents({ ...unknown, author: { kind: 'agent', name: 'Ada' } });
    expect(shown()).toEqual(['later', 'from Slack']);
  });

  it.each(['transient', 'invalid'] as const)('arrive although the list fails: %s', async (kind) => {
    const { sendEvents, shown } = await handOver({ catchUp: async () => fail(kind) }, true);
    expect(await sendEvents(agentSays('one'))).toBe(200);
    expect(shown()).toEqual(['one']);
  });

  it('arrive although the list hangs', async () => {
    const { sendEvents, shown } = await handOver({ catchUp: () => new Promise(() => {}) }, true);
    expect(await sendEvents(agentSays('one'))).toBe(200);
    expect(shown()).toEqual(['one']);
  });

  it('are listed from where the last list ended, once its events are applied', async () => {
    const { happened, lists, catchUp } = history();
    const { sendEvents } = await handOver({ catchUp }, true);
    for (const text of ['one', 'two']) {
      const reply = agentSays(text);
      happened.push(reply);
      await sendEvents(reply);
    }
    const [first, second] = lists;
    expect(second?.since.getTime()).toBeGreaterThan(first?.since.getTime() ?? Number.POSITIVE_INFINITY);
  });

  it('are not taken from the list of another conversation', async () => {
    const strange = agentSays('strange', { externalId: 'T99' });
    const reply = agentSays('one');
    const { sendEvents, shown } = await handOver({ catchUp: async () => [strange, reply] }, true);
    await sendEvents(reply);
    expect(shown()).toEqual(['one']);
  });
});

describe('a message that lists name by another id than webhooks', () => {
  const named = (id: string) => agentSays('ok', { id, sameAs: 'ok' });

  it('reaches the user once, and a second one with the same text does, too', async () => {
    const { happened, catchUp } = history();
    const { sendEvents, shown } = await handOver({ catchUp }, true);
    for (const nth of [1, 2]) {
      happened.push(named(`listed-${nth}`));
      await sendEvents(named(`webhook-${nth}`));
      await sendEvents(named(`webhook-${nth}`));
    }
    expect(shown()).toEqual(['ok', 'ok']);
  });

  it('is not taken for one that came too late, when its webhook comes after the close', async () => {
    const undelivered = vi.fn();
    const { bridge, sendEvents, shown } = await handOver({ ...history(named('listed')), undelivered });
    await sendEvents(agentCloses());
    await sendEvents(named('webhook'));
    await bridge.close();
    expect(shown()).toEqual(['ok']);
    expect(undelivered).not.toHaveBeenCalled();
  });
});

describe('after a downtime', () => {
  it('open conversations are caught up with, in order and once, and closed ones end', async () => {
    const desk = fakeDesk();
    const { happened, catchUp } = history();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start({ adapter: { catchUp } });
    routeTo(first);
    const one = await bench.requestHandoff();
    const other = await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(2));
    const before = agentSays('before');
    happened.push(before);
    await first.sendEvents(before);
    await eventually(() => expect(one.replies).toHaveLength(1));
    await first.stop();
    happened.push(agentSays('meanwhile'), agentSays('and more'));
    happened.push(agentSays('bye', { externalId: 'T2' }), agentCloses({ externalId: 'T2' }));
    const second = await start({ adapter: { catchUp } });
    routeTo(second);
    await eventually(() => expect(other.endedBy).toBe('agent'));
    await eventually(() =>
      expect(one.replies.map(({ text }) => text)).toEqual(['before', 'meanwhile', 'and more']),
    );
    expect(other.replies.map(({ text }) => text)).toEqual(['bye']);
  });

  it('a list that fails is tried again', async () => {
    const desk = fakeDesk();
    const { happened, catchUp } = history();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const first = await start({});
    routeTo(first);
    const user = await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    await first.stop();
    happened.push(agentSays('meanwhile'));
    let tries = 0;
    const second = await start({
      adapter: {
        async catchUp(...call) {
          tries += 1;
          return tries < 3 ? fail('transient') : catchUp(...call);
        },
      },
    });
    routeTo(second);
    await eventually(() => expect(user.replies.map(({ text }) => text)).toEqual(['meanwhile']));
  });
});

describe('catching up', () => {
  it('does not list for a conversation that has ended', async () => {
    const { lists, catchUp } = history();
    const { bench, sendEvents } = await handOver({ catchUp }, true);
    await bench.closeByUser();
    await sendEvents(agentSays('too late'), agentCloses());
    expect(lists).toEqual([]);
  });

  it('of two processes delivers each reply once and in order', async () => {
    const desk = fakeDesk();
    const replies = ['one', 'two', 'three'].map((text) => agentSays(text));
    const gate = deferred();
    const { catchUp } = history(...replies);
    const held: NonNullable<Adapter['catchUp']> = async (...call) =>
      gate.promise.then(() => catchUp(...call));
    const { bench, start, routeTo } = await onSharedFile(desk);
    const options = { capabilities: { unordered: true }, adapter: { catchUp: held } };
    const [first, second] = [await start(options), await start(options)];
    routeTo(first);
    const user = await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    const sending = [
      first.sendEvents(...replies.slice(2)),
      second.sendEvents(...replies.slice(1, 2)),
      first.sendEvents(...replies.slice(0, 1)),
    ];
    gate.resolve();
    expect(await Promise.all(sending)).toEqual([200, 200, 200]);
    await eventually(() => expect(user.replies).toHaveLength(3));
    expect(user.replies.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  it('lists again what could not be applied', async () => {
    const [one, two] = [agentSays('one'), agentSays('two')];
    const { sendEvents, shown, receiver } = await setUpBridge({
      capabilities: { unordered: true },
      adapter: history(one, two),
      receiver: { delivery: await sqliteDelivery() },
    }).then(async (setup) => {
      await setup.bench.requestHandoff();
      await eventually(() => expect(setup.desk.tickets).toHaveLength(1));
      return setup;
    });
    const { store } = receiver.conversations.lifecycle;
    vi.spyOn(store, 'addIdempotencyKey').mockRejectedValueOnce(new Error('the disk is full'));
    expect(await sendEvents(two)).toBe(200);
    await eventually(() => expect(shown()).toEqual(['one', 'two']));
  });
});
