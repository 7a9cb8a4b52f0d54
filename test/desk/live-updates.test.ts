import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { describe, expect, it, vi } from 'vitest';
import { streamUpdates } from '../../src/desk/server/http/event-stream.js';
import { createLiveUpdates, type LiveUpdates } from '../../src/desk/server/live-updates.js';
import type { Signals } from '../../src/desk/server/signals.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { silentLog } from '../../src/internal/index.js';
import { eventually, listen } from './agent-client.js';
import { deskWithHandoff, PASSWORD } from './desk-environment.js';

const seqs = (entries: readonly { readonly seq: number }[]): number[] => entries.map(({ seq }) => seq);

describe('live updates', () => {
  it('continue after a lost connection without a gap or a repeat', async () => {
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
        [1, 2, 3, 4].map((nth) =>
          ann.act(id, 'note', { messageId: `${round} ${nth}`, text: `${round} ${nth}` }),
        ),
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

  it('start where the state ends', async () => {
    const { instance, ann, id } = await deskWithHandoff();
    const { seq } = await ann.state();
    const stream = await listen(instance.url, ann.cookie, { after: seq });
    await ann.act(id, 'claim', {});
    await eventually(() => expect(stream.entries).toHaveLength(1));
    expect(stream.entries[0]).toMatchObject({ event: { type: 'claimed', agent: 'ann' } });
    expect(stream.text()).toMatch(/^retry: \d+\n\n/);
    stream.close();
  });

  it('end with the session: on logout, with a new password, and when the agent is removed', async () => {
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

  it('disconnect a browser that stopped reading', async () => {
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
      await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8].map(() => ann.act(id, 'note', { messageId: randomUUID(), text })),
      );
      written += 8;
    }
    expect(isGone).toBe(true);
    await eventually(() => expect(quick.entries.length).toBe(written));
    quick.close();
    slow.destroy();
  }, 120_000);

  it('reach a reconnecting browser completely when the cache is larger than a page', async () => {
    const store = createMemoryDocumentStore();
    const write = (count: number) =>
      store.write({
        append: Array.from({ length: count }, () => ({
          topic: 'conversation',
          value: { summary: null, event: null },
        })),
      });
    const live = createLiveUpdates(store, silentLog);
    const subscribe = (seq: number) => {
      const got: number[] = [];
      const unsubscribe = live.subscribe(
        seq,
        (entries) => got.push(...seqs(entries)),
        () => {},
      );
      return { got, unsubscribe };
    };
    await write(1);
    const first = subscribe(0);
    await write(1_999);
    await eventually(() => expect(first.got).toHaveLength(2_000));
    first.unsubscribe();
    await write(900);
    // It was disconnected shortly after the first entry in the cache.
    const second = subscribe(10);
    await eventually(() => expect(second.got).toHaveLength(2_890));
    expect(second.got).toEqual(Array.from({ length: 2_890 }, (_, nth) => nth + 11));
    live.stop();
  });

  it('are not begun for a browser that went away while its session was looked up', () => {
    const open = new Map<string, number>();
    const connect = vi.fn(() => () => undefined);
    streamUpdates({} as Request, { destroyed: true } as Response, {
      updates: {} as LiveUpdates,
      signals: {} as Signals,
      hasSession: async () => true,
      sessionId: 'session',
      connect,
      open,
    });
    expect([connect.mock.calls, open.size]).toEqual([[], 0]);
  });
});
