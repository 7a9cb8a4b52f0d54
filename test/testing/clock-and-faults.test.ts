import { describe, expect, it } from 'vitest';
import { echoBench } from './support.js';

describe('the clock of the bench', () => {
  it('stands still until a test advances it past the wait timeout', async () => {
    const { bench, handled } = await echoBench();
    const start = bench.clock.now();
    await bench.requestHandoff();
    bench.clock.advance(59_999);
    expect(bench.conversation.state).toBe('connecting');
    bench.clock.advance(1);
    expect(bench.conversation).toMatchObject({ state: 'closed', endedBy: 'timeout' });
    expect(bench.clock.now()).toBe(start + 60_000);
    await bench.idle();
    expect(handled.at(-1)).toMatchObject({ event: 'handoff.closed', payload: { type: 'TIMEOUT' } });
  });

  it('does not end a conversation that has a reply', async () => {
    const { bench } = await echoBench({ greeting: 'Hello' });
    await bench.requestHandoff();
    await bench.nextReply();
    bench.clock.advance(600_000);
    expect(bench.conversation.state).toBe('connected');
  });
});

describe('the faults of the bench', () => {
  it('cause duplicates, which the receiver handles once', async () => {
    const { bench, handled } = await echoBench();
    await bench.requestHandoff();
    bench.faults.set('duplicate', { copies: 3, on: ['chat'] });
    const { copies } = await bench.say('hello');
    expect(copies).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(handled.filter(({ event }) => event === 'handoff.message')).toHaveLength(1);
    expect(bench.replies).toHaveLength(1);
  });

  it('make the platform fail, which the handler sees', async () => {
    const { bench } = await echoBench();
    await bench.requestHandoff();
    bench.faults.set('answerError', { times: 1 });
    expect(await bench.say('hello')).toMatchObject({ status: 500, accepted: false });
    expect(await bench.say('hello')).toMatchObject({ status: 200, accepted: true });
  });
});
