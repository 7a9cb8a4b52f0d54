import { describe, expect, it } from 'vitest';
import { setUpBridge, sqliteDelivery } from './setup.js';

describe('earlier conversations of a user', () => {
  it('are known to open, newest first', async () => {
    const { bench, desk, sendEvents } = await setUpBridge({ receiver: { delivery: await sqliteDelivery() } });
    const user = { userId: 'ada' };
    for (const id of ['T1', 'T2']) {
      await bench.requestHandoff({ user });
      const author = { kind: 'agent', name: null } as const;
      await sendEvents({ kind: 'closed', id: `close ${id}`, externalId: id, author });
    }
    await bench.requestHandoff({ user });
    await bench.requestHandoff({ user: { userId: 'eve' } });
    expect(desk.tickets.map(({ session }) => session.previous?.map(({ externalId }) => externalId))).toEqual([
      undefined,
      ['T1'],
      ['T2', 'T1'],
      undefined,
    ]);
  });
});
