import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createLive } from '../../../src/adapters/desk/live.js';
import { createMemoryShelf } from '../../../src/delivery/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { eventually, listen } from './agent-client.js';
import { deskWithHandoff, PASSWORD } from './world.js';

const seqs = (entries: readonly { readonly seq: number }[]): number[] => entries.map(({ seq }) => seq);

describe('live events', () => {
  it('go on after a lost connection without a gap or a repeat', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const whole = await listen(instance.url, ann.cookie, { after: 0 });
    const seen: number[] = [];
    let after = 0;
    for (let round = 0; round < 6; round += 1) {
      const stream = await listen(
        instance.url,
        ann.cookie,
        round % 2 === 0 ? { after } : { after: 0, lastEventId: after },
      );
      const writing = Promise.all(
        [1, 2, 3, 4].map((nth) => ann.act(id, 'note', { text: `${round} ${nth}` })),
      );
      await eventually(() => expect(stream.entries.length).toBeGreaterThan(1));
      stream.close();
      await stream.ended;
      seen.push(...seqs(stream.entries));
      after = seen.at(-1) ?? 0;
      await writing;
    }
    const last = await listen(instance.url, ann.cookie, { lastEventId: after });
    await eventually(() => expect(whole.entries).toHaveLength(25));
    await eventually(() => expect([...seen, ...seqs(last.entries)]).toHaveLength(25));
    expect([...seen, ...seqs(last.entries)]).toEqual(seqs(whole.entries));
    whole.close();
    last.close();
  });

  it('begin where the state ends', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const { seq } = await ann.state();
    const stream = await listen(instance.url, ann.cookie, { after: seq });
    await ann.act(id, 'claim', {});
    await eventually(() => expect(stream.entries).toHaveLength(1));
    expect(stream.entries[0]).toMatchObject({ happening: { type: 'claimed', agent: 'ann' } });
    expect(stream.text()).toMatch(/^retry: \d+\n\n/);
    stream.close();
  });

  it('end with the session: by logout, a new password, or when the agent is removed', async () => {
    const { instance, ann } = await deskWithHandoff();
    const bob = await instance.agent('bob');
    const cleo = await instance.agent('cleo');
    const streams = await Promise.all(
      [ann, bob, cleo].map(({ cookie }) => listen(instance.url, cookie, { after: 0 })),
    );
    await ann.logOut();
    await instance.desk.agents.save({ id: 'bob', name: 'Bob' }, `${PASSWORD} anew`);
    await instance.desk.agents.remove('cleo');
    for (const agent of [ann, bob, cleo]) expect((await agent.get('/api/state')).status).toBe(401);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const stream of streams) expect(stream.text()).toContain('event: gone');
  });

  it('let go of a reader that has stopped reading', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    let isGone = false;
    instance.server.once('connection', (socket: Socket) => {
      socket.once('close', () => {
        isGone = true;
      });
    });
    const slow = httpRequest(`${instance.url}/desk/api/events?after=0`, {
      headers: { cookie: ann.cookie },
      agent: false,
    });
    slow.on('error', () => {}).end();
    const [response] = await once(slow, 'response');
    response.on('error', () => {}).pause();
    const quick = await listen(instance.url, ann.cookie, { after: 0 });
    const text = 'x'.repeat(20_000);
    let written = 1;
    while (!isGone && written < 3_000) {
      await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => ann.act(id, 'note', { text })));
      written += 8;
    }
    expect(isGone).toBe(true);
    await eventually(() => expect(quick.entries.length).toBe(written));
    quick.close();
    slow.destroy();
  }, 120_000);

  it('are all told to those who come back while more are kept at hand than are read at once', async () => {
    const shelf = createMemoryShelf();
    const write = (count: number) =>
      shelf.write({
        append: Array.from({ length: count }, () => ({
          topic: 'desk',
          value: { summary: null, happening: null },
        })),
      });
    const live = createLive(shelf, silentLog);
    const follow = (seq: number) => {
      const got: number[] = [];
      const unfollow = live.follow(
        seq,
        (entries) => got.push(...seqs(entries)),
        () => {},
      );
      return { got, unfollow };
    };
    await write(1);
    const first = follow(0);
    await write(1_999);
    await eventually(() => expect(first.got).toHaveLength(2_000));
    first.unfollow();
    await write(900);
    // It was away since shortly after the first entry at hand.
    const second = follow(10);
    await eventually(() => expect(second.got).toHaveLength(2_890));
    expect(second.got).toEqual(Array.from({ length: 2_890 }, (_, nth) => nth + 11));
    live.stop();
  });
});
