import { describe, expect, it } from 'vitest';
import type { ConversationListView, ConversationSummary, CustomerDetailsView } from '../../src/desk/api.js';
import { eventually } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';

const TRANSCRIPT = [
  { text: 'Where is my parcel?', message_type: 'QUESTION' },
  { text: 'On its way.', message_type: 'ANSWER' },
];

describe('tags and priority', () => {
  it('are changed by any agent, and shown in the timeline and the audit log', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    await ann.act(id, 'tag', { add: ['refund', 'vip'], remove: [] });
    await bob.act(id, 'tag', { add: ['delayed', 'vip'], remove: ['refund'] });
    const { body } = await bob.act(id, 'priority', { priority: 'urgent' });
    expect(body).toMatchObject({ tags: ['delayed', 'vip'], priority: 'urgent' });
    const events = (await ann.conversation(id)).entries.map(({ event }) => event);
    expect(events).toContainEqual({ type: 'tagged', agent: 'bob', added: ['delayed'], removed: ['refund'] });
    expect(events).toContainEqual({ type: 'prioritised', agent: 'bob', priority: 'urgent' });
    expect((await instance.audit()).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['tag', 'priority']),
    );
  });

  it('come from the routing function of the application, with the department as a tag', async () => {
    const route = () => ({ tags: ['vip', 'refund'], priority: 'high', department: 'Shipping' }) as const;
    const { ann, id } = await deskWithHandoff({ bridge: { route } });
    expect((await ann.conversation(id)).summary).toMatchObject({
      tags: ['Shipping', 'refund', 'vip'],
      priority: 'high',
    });
  });

  it('have limits', async () => {
    const { ann, id } = await deskWithHandoff();
    const many = (start: number) => Array.from({ length: 20 }, (_, nth) => `tag ${start + nth}`);
    expect((await ann.act(id, 'tag', { add: many(0), remove: [] })).status).toBe(200);
    expect(await ann.act(id, 'tag', { add: ['one more'], remove: [] })).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_TAGS' },
    });
    expect((await ann.act(id, 'tag', { add: ['x'.repeat(41)], remove: [] })).status).toBe(400);
  });
});

describe('a snooze', () => {
  it('needs an answer first, because the platform ends what nobody answers', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    await ann.act(id, 'claim', {});
    const until = Date.now() + 3_600_000;
    expect(await ann.act(id, 'snooze', { until })).toMatchObject({ body: { code: 'UNANSWERED' } });
    await ann.say(id, 'I ask the warehouse.');
    await bench.nextReply();
    await eventually(async () =>
      expect((await ann.act(id, 'snooze', { until })).body).toMatchObject({ snoozedUntil: until }),
    );
  });

  it('ends when the customer writes, and with the assignment', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    const snooze = async () => {
      const until = Date.now() + 3_600_000;
      await eventually(async () => expect((await ann.act(id, 'snooze', { until })).status).toBe(200));
    };
    await ann.say(id, 'I ask the warehouse.');
    await bench.nextReply();
    await snooze();
    await bench.say('Hello?');
    await eventually(async () => expect((await ann.conversation(id)).summary.snoozedUntil).toBeNull());
    await snooze();
    await ann.act(id, 'release', {});
    expect((await ann.conversation(id)).summary.snoozedUntil).toBeNull();
  });

  it('is for the agent of the conversation', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    await ann.act(id, 'claim', {});
    expect(await bob.act(id, 'snooze', { until: null })).toMatchObject({ body: { code: 'NOT_YOURS' } });
  });
});

describe.each([{ stored: false }, { stored: true }])('a search, stored: $stored', ({ stored }) => {
  it('finds messages, notes and what was said before the handoff, in any case', async () => {
    const { bench, start } = await createDeskEnvironment({ stored });
    const ann = await (await start()).agent('ann');
    const maria = await bench.requestHandoff({ user: { userId: 'maria' }, transcript: TRANSCRIPT });
    const id = await ann.idOf(maria.id);
    const john = await bench.requestHandoff({ user: { userId: 'john' } });
    const other = await ann.idOf(john.id);
    await john.say('ÄRGERLICH: 订单号 100042 没有到');
    await ann.act(id, 'note', { messageId: 'n', text: 'Stuck in Lyon.' });
    await eventually(async () => expect((await ann.conversation(other)).summary.customerMessages).toBe(1));
    const search = async (text: string) => {
      const { body } = await ann.get<ConversationListView>(
        `/api/conversations?search=${encodeURIComponent(text)}`,
      );
      return { ids: body.conversations.map((each) => each.id), snippets: body.snippets };
    };
    expect(await search('stuck in LYON')).toEqual({ ids: [id], snippets: { [id]: 'Stuck in Lyon.' } });
    expect((await search('ärgerlich')).ids).toEqual([other]);
    expect((await search('没有')).ids).toEqual([other]);
    expect((await search('parcel')).ids).toEqual([id]);
    expect((await search('maria')).ids).toEqual([id]);
    expect((await search('nothing like it')).ids).toEqual([]);
  });

  it('has names before messages and ids, whole words before parts', async () => {
    const { bench, start } = await createDeskEnvironment({ stored });
    const ann = await (await start()).agent('ann');
    const add = async (conversationId: string, userId: string) => {
      const handoff = await bench.requestHandoff({ conversationId, user: { userId } });
      return { handoff, id: await ann.idOf(handoff.id) };
    };
    const whole = await add('c-1', 'kim');
    const prefix = await add('c-2', 'kimberly');
    const told = await add('c-3', 'john');
    await told.handoff.say('I spoke with Kim.');
    await eventually(async () => expect((await ann.conversation(told.id)).summary.customerMessages).toBe(1));
    const part = await add('c-4', 'joakim');
    const hidden = await add('kimono-7001', 'maria');
    const search = async (text: string) =>
      (await ann.get<ConversationListView>(`/api/conversations?search=${text}`)).body.conversations.map(
        ({ id }) => id,
      );
    expect(await search('KIM')).toEqual([whole.id, prefix.id, told.id, part.id]);
    expect(await search('no-7001')).toEqual([hidden.id]);
    expect(await search('kimono-7001')).toEqual([hidden.id]);
  });
});

describe('what is known about a customer', () => {
  const customer = { userId: 'maria' };

  it('has earlier conversations of the same customer, and no other', async () => {
    const { bench, start } = await createDeskEnvironment({ stored: true });
    const ann = await (await start()).agent('ann');
    const first = await ann.idOf((await bench.requestHandoff({ user: customer })).id);
    await ann.act(first, 'claim', {});
    await ann.act(first, 'close', {});
    await bench.requestHandoff({ user: { userId: 'john' } });
    const second = await ann.idOf((await bench.requestHandoff({ user: customer })).id);
    const { body } = await ann.get<CustomerDetailsView>(`/api/conversations/${second}/customer`);
    expect(body.history.map(({ id }) => id)).toEqual([first]);
    expect(body.attributes).toEqual([]);
  });

  it('has attributes from the application, as text', async () => {
    const { ann, id } = await deskWithHandoff({
      customer: async () => ({
        Plan: 'Gold',
        Orders: 3,
        Since: new Date(0),
        None: null,
        Long: 'x'.repeat(900),
      }),
    });
    const { body } = await ann.get<CustomerDetailsView>(`/api/conversations/${id}/customer`);
    expect(body.attributes).toEqual([
      { name: 'Plan', value: 'Gold' },
      { name: 'Orders', value: '3' },
      { name: 'Since', value: '1970-01-01T00:00:00.000Z' },
      { name: 'Long', value: `${'x'.repeat(500)}…` },
    ]);
  });

  it('comes without attributes when the application fails, or does not answer', async () => {
    for (const find of [() => Promise.reject(new Error('down')), () => new Promise<never>(() => {})]) {
      const { ann, id, instance } = await deskWithHandoff({ customer: find });
      const { status, body } = await ann.get<CustomerDetailsView>(`/api/conversations/${id}/customer`);
      expect({ status, attributes: body.attributes }).toEqual({ status: 200, attributes: null });
      expect(instance.logged.text()).toContain('the option customer of the desk failed');
    }
  });
});

describe('lists', () => {
  it('show what a waiting customer said last', async () => {
    const { bench, start } = await createDeskEnvironment();
    const ann = await (await start()).agent('ann');
    const id = await ann.idOf((await bench.requestHandoff({ transcript: TRANSCRIPT })).id);
    const { conversations } = await ann.state();
    const last: ConversationSummary['last'] | undefined = conversations.find((each) => each.id === id)?.last;
    expect(last).toMatchObject({ from: 'customer', text: 'Where is my parcel?' });
  });

  it('can be filtered in ways that each agent saves', async () => {
    const { instance, ann } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    const filter = { id: 'f', name: 'VIPs', view: 'all', bot: null, tag: 'vip', priority: 'urgent' };
    expect((await ann.send('PUT', '/api/filters', { filters: [filter] })).status).toBe(200);
    expect((await ann.state()).filters).toEqual([filter]);
    expect((await bob.state()).filters).toEqual([]);
    expect((await ann.send('PUT', '/api/filters', { filters: [{ ...filter, view: 'x' }] })).status).toBe(400);
  });
});
