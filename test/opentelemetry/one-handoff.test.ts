import { describe, expect, it } from 'vitest';
import { sqliteDelivery } from '../bridge/setup.js';
import { STORED_TREE, traceOneHandoff } from './one-handoff.js';

const INLINE_TREE = `one handoff · internal
├─ POST /conversation/establish · server
│  ├─ fake-desk open · client
│  └─ handle handoff.requested · internal
├─ POST /chat · server
│  └─ handle handoff.message · internal
│     └─ fake-desk send · client
├─ POST fake-desk webhook · server
│  └─ POST /v1/human/message/receive · client
└─ POST /conversation/close · server
   └─ handle handoff.closed · internal
      └─ fake-desk close · client`;

describe('the trace of one handoff', () => {
  it('goes from each webhook to the handlers, the adapter and the reply, with inline delivery', async () => {
    expect(await traceOneHandoff(INLINE_TREE)).toBe(INLINE_TREE);
  });

  it('goes through the queues with SQLite', async () => {
    expect(await traceOneHandoff(STORED_TREE, await sqliteDelivery())).toBe(STORED_TREE);
  });
});
