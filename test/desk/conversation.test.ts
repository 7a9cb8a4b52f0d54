import { describe, expect, it } from 'vitest';
import { eventually } from './agent-client.js';
import { deskWithHandoff } from './desk-environment.js';

describe('a conversation', () => {
  it('goes from the inbox to the close', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    const { conversations, counts, seq } = await ann.state();
    expect(conversations).toMatchObject([{ id, state: 'waiting', agent: null, firstReplyAt: null }]);
    expect(counts).toEqual({ waiting: 1, active: 0, closed: 0 });
    expect(seq).toBeGreaterThan(0);

    expect((await ann.act(id, 'claim', {})).body).toMatchObject({ state: 'active', agent: 'ann' });
    const messageId = await ann.say(id, 'Hello, how can I help?');
    expect((await bench.nextReply()).text).toBe('Hello, how can I help?');
    await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['stored', 'sent']));
    await bench.say('Where is my parcel?');
    const view = await ann.conversation(id);
    expect(view.summary).toMatchObject({ customerMessages: 1, last: { from: 'customer' } });
    expect(view.entries.map(({ event }) => event.type)).toEqual([
      'opened',
      'claimed',
      'message',
      'delivery',
      'delivery',
      'message',
    ]);
    expect((await ann.act(id, 'close', {})).body).toMatchObject({ state: 'closed', ended: { by: 'agent' } });
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect((await ann.state()).counts).toEqual({ waiting: 0, active: 0, closed: 1 });
  });

  it('shows the transcript from before the handoff and the customer', async () => {
    const { bench, ann } = await deskWithHandoff();
    const handoff = await bench.requestHandoff({
      transcript: [
        { text: 'I want a human', message_type: 'QUESTION' },
        { text: 'One moment', message_type: 'ANSWER' },
      ],
    });
    const view = await ann.conversation(await ann.idOf(handoff.id));
    expect(view.transcript).toEqual([
      { from: 'user', text: 'I want a human' },
      { from: 'bot', text: 'One moment' },
    ]);
    expect(view.summary.user.anonymousId).toBe(handoff.user.anonymousId);
  });

  it('has a deadline for the first reply, unless users are greeted', async () => {
    const silent = await deskWithHandoff();
    expect((await silent.ann.conversation(silent.id)).summary.replyBy).toEqual(expect.any(Number));
    const greeted = await deskWithHandoff({ bridge: { messages: { greeting: 'One moment, please.' } } });
    expect((await greeted.ann.conversation(greeted.id)).summary.replyBy).toBeNull();
  });

  it('is claimed by the first reply when it has no agent', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    await ann.say(id, 'I am here.');
    await bench.nextReply();
    const { summary } = await ann.conversation(id);
    expect(summary).toMatchObject({ state: 'active', agent: 'ann' });
    expect(summary.firstReplyAt).not.toBeNull();
  });

  it('gets one reply when the page repeats the request', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    const reply = { messageId: 'the-same', text: 'Only once.' };
    const answers = await Promise.all([1, 2, 3].map(() => ann.act(id, 'reply', reply)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await ann.say(id, 'And this.');
    await eventually(() =>
      expect(bench.replies.map(({ text }) => text)).toEqual(['Only once.', 'And this.']),
    );
  });

  it('keeps the order of replies that are written quickly', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    await ann.act(id, 'claim', {});
    const words = Array.from({ length: 12 }, (_, nth) => `word ${nth}`);
    for (const text of words) await ann.say(id, text);
    await eventually(() => expect(bench.replies.map(({ text }) => text)).toEqual(words));
  });

  it('never sends notes to the customer', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    await ann.act(id, 'note', { messageId: 'n1', text: 'SECRET NOTE about the customer' });
    await ann.say(id, 'Hello.');
    await bench.nextReply();
    await ann.act(id, 'close', {});
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(bench.replies.map(({ text }) => text)).toEqual(['Hello.']);
    expect(JSON.stringify(bench.simulator.traffic.exchanges())).not.toContain('SECRET NOTE');
    const { entries } = await ann.conversation(id);
    expect(entries.some(({ event }) => event.type === 'note')).toBe(true);
  });

  it('stores a note once, however often it is sent', async () => {
    const { ann, id } = await deskWithHandoff();
    const note = { messageId: 'the-same', text: 'Only once.' };
    const answers = await Promise.all([1, 2, 3].map(() => ann.act(id, 'note', note)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { entries } = await ann.conversation(id);
    expect(entries.filter(({ event }) => event.type === 'note')).toHaveLength(1);
  });

  it('counts the first reply from when the platform has it', async () => {
    const { bench, ann, id } = await deskWithHandoff({ stored: true });
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.say(id, 'Hello.');
    await eventually(async () => {
      const { entries } = await ann.conversation(id);
      expect(entries.some(({ event }) => event.type === 'delivery' && event.state === 'stored')).toBe(true);
    });
    expect((await ann.conversation(id)).summary.firstReplyAt).toBeNull();
    bench.faults.clear('answerError');
    await eventually(async () =>
      expect((await ann.conversation(id)).summary.firstReplyAt).toBeGreaterThan(0),
    );
  });

  it('counts the messages that each agent has read', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    await bench.say('one');
    await bench.say('two');
    expect((await ann.act(id, 'read', { customerMessages: 99 })).body).toMatchObject({
      customerMessages: 2,
      read: { ann: 2 },
    });
    expect((await bob.act(id, 'read', { customerMessages: 1 })).body).toMatchObject({
      read: { ann: 2, bob: 1 },
    });
    expect((await ann.act(id, 'read', { customerMessages: 1 })).body).toMatchObject({ read: { ann: 2 } });
  });

  it('rejects empty and overlong replies', async () => {
    const { ann, id } = await deskWithHandoff();
    expect(await ann.act(id, 'reply', { messageId: 'm', text: '  \n' })).toMatchObject({
      status: 400,
      body: { code: 'EMPTY' },
    });
    expect(await ann.act(id, 'note', { messageId: 'n1', text: 'x'.repeat(20_001) })).toMatchObject({
      status: 400,
      body: { code: 'TOO_LONG' },
    });
    expect((await ann.act('unknown', 'claim', {})).status).toBe(404);
  });
});

describe('the close of a conversation', () => {
  it('is shown when the customer leaves', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    await bench.closeByUser();
    await eventually(async () =>
      expect((await ann.conversation(id)).summary).toMatchObject({ state: 'closed', ended: { by: 'user' } }),
    );
    for (const answer of [
      await ann.act(id, 'reply', { messageId: 'late', text: 'Too late.' }),
      await ann.act(id, 'claim', {}),
      await ann.act(id, 'transfer', { to: 'ann' }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'CLOSED' } });
    expect((await ann.act(id, 'close', {})).status).toBe(200);
  });

  it('is shown when the wait timeout ends it', async () => {
    const { bench, ann, id } = await deskWithHandoff({ bench: { simulator: { waitTimeoutMs: 60_000 } } });
    bench.clock.advance(60_000);
    await bench.idle();
    await eventually(async () =>
      expect((await ann.conversation(id)).summary).toMatchObject({ ended: { by: 'timeout', agent: null } }),
    );
  });

  it('happens once when both sides close at the same time', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    await ann.say(id, 'Hello.');
    await bench.nextReply();
    await Promise.all([ann.act(id, 'close', {}), bench.closeByUser()]);
    await eventually(async () => expect((await ann.conversation(id)).summary.state).toBe('closed'));
    const closed = (await ann.conversation(id)).entries.filter(({ event }) => event.type === 'closed');
    expect(closed).toHaveLength(1);
  });

  it('lets the customer open another conversation', async () => {
    const { bench, ann, id, handoff } = await deskWithHandoff();
    await ann.act(id, 'claim', {});
    await ann.act(id, 'close', {});
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    const again = await bench.requestHandoff({ conversationId: `${handoff.id}-again` });
    const next = await ann.idOf(again.id);
    expect(next).not.toBe(id);
    await bench.say('Me again.');
    await eventually(async () => expect((await ann.conversation(next)).summary.customerMessages).toBe(1));
    expect((await ann.conversation(id)).summary.customerMessages).toBe(0);
  });

  it('fails a reply that was written after the platform ended the conversation', async () => {
    const { instance, ann, id, handoff } = await deskWithHandoff();
    // The receiver knows that the platform ended it; the desk does not yet.
    await instance.receiver.conversations.lifecycle.end(handoff.id, 'user');
    const messageId = await ann.say(id, 'Too late.');
    await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['failed']));
  });
});
