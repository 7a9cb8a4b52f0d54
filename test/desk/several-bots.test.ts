import { describe, expect, it } from 'vitest';
import { eventually, listen, statusesOf } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';

describe('several agents', () => {
  it('claim a conversation at the same time, and one gets it', async () => {
    const { instance, ann, id } = await deskWithHandoff({ stored: true });
    const others = await Promise.all(['bob', 'cleo', 'dan'].map((name) => instance.agent(name)));
    const answers = await Promise.all([ann, ...others].map((agent) => agent.act(id, 'claim', {})));
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409]);
    const refused = answers.filter(({ status }) => status === 409);
    for (const { body } of refused) expect(body).toMatchObject({ code: 'TAKEN' });
    const claims = (await ann.conversation(id)).entries.filter(({ event }) => event.type === 'claimed');
    expect(claims).toHaveLength(1);
  });

  it('reply at the same time, and one gets the conversation', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    const answers = await Promise.all([
      ann.act(id, 'reply', { messageId: 'a', text: 'from Ann' }),
      bob.act(id, 'reply', { messageId: 'b', text: 'from Bob' }),
    ]);
    expect(statusesOf(answers)).toEqual([200, 409]);
    await bench.nextReply();
    expect(bench.replies).toHaveLength(1);
  });

  it('release, transfer and take over conversations', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    await ann.act(id, 'claim', {});
    expect(await bob.act(id, 'release', {})).toMatchObject({ status: 409, body: { code: 'NOT_YOURS' } });
    expect(await bob.act(id, 'reply', { messageId: 'm', text: 'Hi' })).toMatchObject({
      body: { code: 'NOT_YOURS' },
    });
    expect(await bob.act(id, 'close', {})).toMatchObject({ body: { code: 'NOT_YOURS' } });
    expect(await ann.act(id, 'transfer', { to: 'unknown' })).toMatchObject({
      status: 400,
      body: { code: 'NO_SUCH_AGENT' },
    });
    expect((await ann.act(id, 'release', {})).body).toMatchObject({ state: 'waiting', agent: null });
    expect((await bob.act(id, 'claim', {})).body).toMatchObject({ agent: 'bob' });
    // Ann takes it over, then transfers it back.
    expect((await ann.act(id, 'transfer', { to: 'ann' })).body).toMatchObject({ agent: 'ann' });
    await ann.say(id, 'It is Ann.');
    expect((await ann.act(id, 'transfer', { to: 'bob' })).body).toMatchObject({ agent: 'bob' });
    await bob.say(id, 'And now Bob.');
    await eventually(() =>
      expect(bench.replies.map(({ text }) => text)).toEqual(['It is Ann.', 'And now Bob.']),
    );
    const moves = (await instance.audit()).filter(({ action }) => action === 'transfer');
    expect(moves.map(({ agent, detail }) => [agent, detail])).toEqual([
      ['ann', 'to ann'],
      ['ann', 'to bob'],
    ]);
  });

  it('get the conversations of one who is removed', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    await ann.act(id, 'claim', {});
    expect(await instance.desk.agents.remove('ann')).toBe(true);
    expect((await bob.conversation(id)).summary).toMatchObject({ state: 'waiting', agent: null });
    expect(await bob.act(id, 'close', {})).toMatchObject({ status: 409, body: { code: 'UNCLAIMED' } });
    await bob.act(id, 'claim', {});
    expect((await bob.act(id, 'close', {})).status).toBe(200);
  });

  it('see updates of each other at two desks on one file', async () => {
    const { bench, start } = await createDeskEnvironment({ stored: true });
    const left = await start();
    const right = await start();
    const ann = await left.agent('ann');
    const bob = await right.agent('bob');
    const seen = await listen(left.url, ann.cookie, { after: 0 });
    const handoff = await bench.requestHandoff();
    const id = await bob.idOf(handoff.id);
    await bob.act(id, 'claim', {});
    await bob.say(id, 'Said at the other desk.');
    expect((await bench.nextReply({ timeoutMs: 20_000 })).text).toBe('Said at the other desk.');
    await eventually(() =>
      expect(seen.entries.map(({ event }) => event.type)).toEqual([
        'opened',
        'claimed',
        'message',
        'delivery',
        'delivery',
      ]),
    );
    expect(await ann.act(id, 'claim', {})).toMatchObject({ body: { code: 'TAKEN' } });
    // Both desks send replies.
    await ann.act(id, 'transfer', { to: 'ann' });
    await ann.say(id, 'And here.');
    expect((await bench.nextReply({ timeoutMs: 20_000 })).text).toBe('And here.');
    seen.close();
  });

  it('reach the customer although their own desk stopped before it sent the reply', async () => {
    const { bench, start } = await createDeskEnvironment({ stored: true });
    const left = await start();
    await start();
    const ann = await left.agent('ann');
    const handoff = await bench.requestHandoff();
    const id = await ann.idOf(handoff.id);
    // As if the process ended between storing the reply and sending it.
    await left.desk.bridge.close();
    const messageId = await ann.say(id, 'Left behind.');
    await ann.act(id, 'close', {});
    expect((await bench.nextReply({ timeoutMs: 25_000 })).text).toBe('Left behind.');
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['stored', 'sent']));
    expect(bench.replies).toHaveLength(1);
  }, 60_000);
});
