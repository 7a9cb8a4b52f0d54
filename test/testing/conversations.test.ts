import { describe, expect, it } from 'vitest';
import { echoBench } from './support.js';

describe('a conversation on the bench', () => {
  it('has a request, messages, replies and a close', async () => {
    const { bench, handled } = await echoBench({ greeting: 'Hello' });
    const conversation = await bench.requestHandoff({ user: { userId: 'ada' } });
    expect(bench.conversation).toBe(conversation);
    expect(await bench.nextReply()).toMatchObject({ text: 'Hello' });
    expect(conversation.state).toBe('connected');

    expect(await bench.say('where is it?')).toMatchObject({ accepted: true, status: 200 });
    expect(await bench.nextReply()).toMatchObject({ text: 'You said: where is it?' });
    expect(bench.replies.map(({ text }) => text)).toEqual(['Hello', 'You said: where is it?']);

    expect(await bench.closeByUser()).toMatchObject({ accepted: true });
    expect(conversation).toMatchObject({ state: 'closed', endedBy: 'user' });
    expect(handled.map(({ event }) => event).filter((event) => event !== 'message')).toEqual([
      'handoff.requested',
      'handoff.message',
      'handoff.closed',
    ]);
  });

  it('is current as soon as it is requested', async () => {
    const { bench } = await echoBench();
    const asked = bench.requestHandoff();
    expect(bench.conversation.state).toBe('requesting');
    expect(await asked).toBe(bench.conversation);
  });

  it('has the user, transcript and id chosen by the test', async () => {
    const { bench, handled } = await echoBench();
    await bench.requestHandoff({
      conversationId: 'c-1',
      user: { userId: 'ada', email: 'ada@example.com' },
      transcript: [{ text: 'I want a human', message_type: 'QUESTION' }],
    });
    expect(handled[0]).toMatchObject({
      conversationId: 'c-1',
      user: { key: 'user:ada', email: 'ada@example.com' },
      transcript: [{ from: 'user', text: 'I want a human' }],
    });
  });

  it('ends when the agent closes it', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    await bench.say('close');
    expect(bench.conversation.endedBy).toBe('agent');
  });

  it('is busy if the admit gate refuses', async () => {
    const { bench } = await echoBench();
    const conversation = await bench.requestHandoff({ user: { userId: 'blocked-user' } });
    expect(conversation.state).toBe('busy');
    expect(conversation.deliveries).toMatchObject([{ status: 503, accepted: false }]);
  });

  it('is separate from concurrent conversations', async () => {
    const { bench } = await echoBench();
    const [ada, grace] = await Promise.all([bench.requestHandoff(), bench.requestHandoff()]);
    await Promise.all([ada.say('a'), grace.say('g')]);
    expect(await grace.nextReply()).toMatchObject({ text: 'You said: g' });
    expect(await ada.nextReply()).toMatchObject({ text: 'You said: a' });
    expect(bench.conversation).toBe(grace);
    expect(bench.replies).toHaveLength(1);
  });

  it('returns each reply once, even if requested before it arrives', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    const first = bench.nextReply();
    const second = bench.nextReply();
    await bench.say('1');
    await bench.say('2');
    expect([(await first).text, (await second).text]).toEqual(['You said: 1', 'You said: 2']);
  });
});
