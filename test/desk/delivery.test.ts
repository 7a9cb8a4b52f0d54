import { describe, expect, it } from 'vitest';
import type { DashboardView, DeadLetterDetails } from '../../src/desk/api.js';
import { clientOf, eventually } from './agent-client.js';
import { deskWithHandoff } from './desk-environment.js';

describe('a stored reply', () => {
  it('waits while the platform is down and is sent once', async () => {
    const { bench, ann, id } = await deskWithHandoff({ stored: true });
    bench.faults.set('answerError');
    const first = await ann.say(id, 'Are you there?');
    const second = await ann.say(id, 'I am.');
    await eventually(async () => expect(await ann.deliveries(id, first)).toEqual(['stored']));
    await eventually(async () => expect(await ann.deliveries(id, second)).toEqual(['stored']));
    expect(bench.replies).toEqual([]);
    bench.faults.clear();
    await eventually(async () => expect(await ann.deliveries(id, second)).toEqual(['stored', 'sent']));
    expect(await ann.deliveries(id, first)).toEqual(['stored', 'sent']);
    expect(bench.replies.map(({ text }) => text)).toEqual(['Are you there?', 'I am.']);
  });

  it('is sent after a restart, in which the session of its agent survives', async () => {
    const { bench, start, instance, ann, id } = await deskWithHandoff({ stored: true });
    bench.faults.set('answerError');
    const messageId = await ann.say(id, 'Before the restart.');
    await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['stored']));
    await instance.stop();

    const next = await start();
    const again = await clientOf(next.url, ann.cookie);
    expect((await again.state()).me.id).toBe('ann');
    expect(await again.deliveries(id, messageId)).toEqual(['stored']);
    bench.faults.clear();
    await eventually(async () => expect(await again.deliveries(id, messageId)).toEqual(['stored', 'sent']));
    await again.say(id, 'After it.');
    await eventually(() =>
      expect(bench.replies.map(({ text }) => text)).toEqual(['Before the restart.', 'After it.']),
    );
  });

  it('is sent after a restart that came before it was handed to the delivery', async () => {
    const { bench, start, instance, id, ann } = await deskWithHandoff({ stored: true });
    await instance.desk.bridge.close();
    const messageId = await ann.say(id, 'Written down, and no more.');
    await ann.act(id, 'close', {});
    expect(await ann.deliveries(id, messageId)).toEqual([]);
    await instance.stop();

    const next = await start();
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(bench.replies.map(({ text }) => text)).toEqual(['Written down, and no more.']);
    const again = await clientOf(next.url, ann.cookie);
    await eventually(async () => expect(await again.deliveries(id, messageId)).toEqual(['stored', 'sent']));
  });
});

describe('a reply that the platform refuses', () => {
  it('fails with a reason with inline delivery, and can be sent again', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff();
    bench.faults.set('answerError');
    const messageId = await ann.say(id, 'Hello?');
    await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['failed']));
    const { entries } = await ann.conversation(id);
    const failed = entries.find(({ event }) => event.type === 'delivery')?.event;
    expect(failed).toMatchObject({ reason: expect.stringMatching(/\w/), code: 'OUTCOME_UNKNOWN' });
    expect(JSON.stringify(failed)).not.toContain('Hello?');

    const bob = await instance.agent('bob');
    expect(await bob.act(id, 'retry', { messageId })).toMatchObject({ body: { code: 'NOT_YOURS' } });
    bench.faults.clear();
    expect((await ann.act(id, 'retry', { messageId })).status).toBe(200);
    expect((await bench.nextReply()).text).toBe('Hello?');
    await eventually(async () =>
      expect(await ann.deliveries(id, messageId)).toEqual(['failed', 'storing', 'stored', 'sent']),
    );
    expect(await ann.act(id, 'retry', { messageId })).toMatchObject({
      status: 409,
      body: { code: 'NOT_FAILED' },
    });
    expect((await instance.audit()).filter(({ action }) => action === 'retry')).toHaveLength(1);
  });

  it('reuses its dead letter when its agent sends it again', async () => {
    const { bench, ann, id } = await deskWithHandoff({ stored: true, giveUpAfterMs: 1 });
    bench.faults.set('answerError');
    const messageId = await ann.say(id, 'Given up.');
    await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['stored', 'failed']));
    const dead = async () => (await ann.get<DashboardView>('/api/dashboard')).body.dead;
    expect(await dead()).toMatchObject([{ queue: 'outbox', what: 'reply' }]);

    bench.faults.clear();
    await ann.act(id, 'retry', { messageId });
    await eventually(async () => expect((await ann.deliveries(id, messageId)).at(-1)).toBe('sent'));
    expect(bench.replies.map(({ text }) => text)).toEqual(['Given up.']);
    expect(await dead()).toEqual([]);
  });

  it('is told from other dead letters whose texts end in the same words', async () => {
    const { bench, ann, id } = await deskWithHandoff({ stored: true, giveUpAfterMs: 1 });
    bench.faults.set('answerError');
    const texts = ['no', 'Sorry, no', 'no'];
    const messageIds: string[] = [];
    for (const text of texts) {
      const messageId = await ann.say(id, text);
      await eventually(async () => expect((await ann.deliveries(id, messageId)).at(-1)).toBe('failed'));
      messageIds.push(messageId);
    }
    const { dead } = (await ann.get<DashboardView>('/api/dashboard')).body;
    bench.faults.clear();

    const [first = '', , last = ''] = messageIds;
    await ann.act(id, 'retry', { messageId: first });
    await eventually(async () => expect((await ann.deliveries(id, first)).at(-1)).toBe('sent'));
    const left = (await ann.get<DashboardView>('/api/dashboard')).body.dead;
    expect(left.map((each) => each.id)).toEqual(dead.slice(1).map((each) => each.id));

    await ann.send('POST', `/api/dead/outbox/${dead[2]?.id}/retry`, {});
    await eventually(async () => expect((await ann.deliveries(id, last)).at(-1)).toBe('sent'));
    expect(bench.replies.map(({ text }) => text)).toEqual(['no', 'no']);
  });

  it('is sent when its dead letter is retried', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff({ stored: true, giveUpAfterMs: 1 });
    bench.faults.set('answerError');
    const messageId = await ann.say(id, 'Dead letter.');
    await eventually(async () => expect((await ann.deliveries(id, messageId)).at(-1)).toBe('failed'));
    const [item] = (await ann.get<DashboardView>('/api/dashboard')).body.dead;
    const path = `/api/dead/outbox/${item?.id}`;
    const details = (await ann.get<DeadLetterDetails>(path)).body;
    expect(details).toMatchObject({ queue: 'outbox', what: 'reply', content: { text: 'Dead letter.' } });

    bench.faults.clear();
    expect((await ann.send('POST', `${path}/retry`, {})).status).toBe(204);
    expect((await bench.nextReply()).text).toBe('Dead letter.');
    await eventually(async () => expect((await ann.deliveries(id, messageId)).at(-1)).toBe('sent'));
    expect(await ann.send('POST', `${path}/retry`, {})).toMatchObject({ body: { code: 'NOT_DEAD' } });
    expect((await ann.get(path)).status).toBe(409);
    expect(await ann.act(id, 'retry', { messageId })).toMatchObject({ body: { code: 'NOT_FAILED' } });
    expect((await instance.audit()).map(({ action }) => action)).toContain('retry of a dead letter');
  });

  it('can be discarded as a dead letter and then sent again', async () => {
    const { bench, ann, id } = await deskWithHandoff({ stored: true, giveUpAfterMs: 1 });
    bench.faults.set('answerError');
    const messageId = await ann.say(id, 'Thrown away.');
    await eventually(async () => expect((await ann.deliveries(id, messageId)).at(-1)).toBe('failed'));
    const [item] = (await ann.get<DashboardView>('/api/dashboard')).body.dead;
    const path = `/api/dead/outbox/${item?.id}/discard`;
    expect((await ann.send('POST', path, {})).status).toBe(204);
    expect((await ann.send('POST', path, {})).status).toBe(409);
    expect((await ann.get<DashboardView>('/api/dashboard')).body.dead).toEqual([]);
    bench.faults.clear();
    await ann.act(id, 'retry', { messageId });
    expect((await bench.nextReply()).text).toBe('Thrown away.');
  });

  it('does not keep a close from reaching the platform', async () => {
    const { bench, ann, id } = await deskWithHandoff();
    bench.faults.set('answerError', { on: ['close'], times: 1 });
    await ann.act(id, 'claim', {});
    await ann.act(id, 'close', {});
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
  });
});
