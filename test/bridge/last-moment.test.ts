import { expect, it } from 'vitest';
import { createAdmitHandoff } from '../../src/bridge/accept-handoff.js';
import { createAdapterCalls } from '../../src/bridge/adapter-calls.js';
import { createCounters } from '../../src/bridge/bridge-context.js';
import { readOptions } from '../../src/bridge/options.js';
import { type AdmitContext, createReceiver, noAuth } from '../../src/index.js';
import { silentLog } from '../../src/internal/index.js';
import { requestEvent } from '../helpers/events.js';
import { fakeDesk } from './fake-desk.js';

it('a conversation that opens in the moment its time is up is accepted', async () => {
  const receiver = createReceiver({ auth: { message: false, handoff: noAuth() }, log: false });
  const { lifecycle } = receiver.conversations;
  const settings = readOptions({ receiver, adapter: fakeDesk().adapter() });
  const calls = createAdapterCalls({ system: 'desk', log: silentLog, timeoutMs: 1_000 });
  const dependencies = { lifecycle, settings, calls, counters: createCounters(), log: silentLog };
  const admit = createAdmitHandoff(dependencies, {
    async ensureOpen({ id }) {
      await lifecycle.link(id, { adapter: 'fake-desk', externalId: 'T1', url: null, extra: {} });
      return { kind: 'pending' };
    },
  });
  const { body, conversationId, requestId } = requestEvent('c-1');
  const context = { conversationId, requestId, payload: body, receivedAt: new Date() };
  expect(await admit(context as AdmitContext)).toBe(true);
  expect(await lifecycle.store.get('c-1')).toMatchObject({ state: 'requested', link: { externalId: 'T1' } });
});
