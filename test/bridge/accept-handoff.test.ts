import { describe, expect, it, vi } from 'vitest';
import { createCounters } from '../../src/bridge/bridge-context.js';
import { createAdapterCalls } from '../../src/bridge/calls/adapter-calls.js';
import { readOptions } from '../../src/bridge/options.js';
import { createAdmitHandoff } from '../../src/bridge/outbound/accept-handoff.js';
import { joinReceiver } from '../../src/bridge/ownership.js';
import type { Conversation, HandoffLifecycle } from '../../src/handoff/index.js';
import { silentLog } from '../../src/internal/index.js';
import { AdapterError } from '../../src/public/adapter.js';
import { type AdmitContext, createReceiver, noAuth } from '../../src/public/index.js';
import { changeConversation } from '../helpers/change-conversation.js';
import { deferred } from '../helpers/deferred.js';
import { requestEvent } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { setUpBridge } from './setup.js';

const fail = (): never => {
  throw new AdapterError('transient', 'the desk is down.');
};

describe('a handoff request', () => {
  it('is accepted only once the helpdesk has the conversation', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench } = await setUpBridge({ desk });
    const asked = bench.requestHandoff();
    await eventually(() => expect(desk.count('open')).toBe(1));
    expect(bench.conversation.state).toBe('requesting');
    gate.resolve();
    await asked;
    expect(bench.conversation.state).toBe('connecting');
  });

  it('is retried within its time limit, and finds the conversation of an earlier attempt', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply, nth) => {
        apply();
        return nth === 1 ? fail() : null;
      },
    });
    const { bench, receiver } = await setUpBridge({ desk });
    const { id, state } = await bench.requestHandoff();
    expect(state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
    expect(await receiver.conversations.get(id)).toMatchObject({ link: { externalId: 'T1' } });
  });

  it('is refused when the helpdesk stays down', async () => {
    const desk = fakeDesk();
    desk.behave({ open: fail });
    const { bench, bridge, receiver } = await setUpBridge({ desk, bridge: { openWithinMs: 50 } });
    const { id, state, deliveries } = await bench.requestHandoff();
    expect(state).toBe('busy');
    expect(deliveries[0]).toMatchObject({ status: 503 });
    expect(await receiver.conversations.get(id)).toMatchObject({
      state: 'failed',
      closure: { by: 'system', reason: 'the desk is down.' },
    });
    expect(bridge.stats()).toMatchObject({ refused: 1, opened: 0 });
  });

  it.each(['auth', 'invalid'] as const)(
    'is refused at once when the helpdesk rejects it: %s',
    async (kind) => {
      const desk = fakeDesk();
      desk.behave({
        open: () => {
          throw new AdapterError(kind, 'the desk refuses.');
        },
      });
      const { bench, logged } = await setUpBridge({ desk, bridge: { openWithinMs: 60_000 } });
      expect((await bench.requestHandoff()).state).toBe('busy');
      expect(desk.count('open')).toBe(1);
      expect(logged.about('credentials refused')).toHaveLength(kind === 'auth' ? 1 : 0);
    },
  );

  it('is refused after the time limit, and a conversation that opens later is closed', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench, bridge, receiver } = await setUpBridge({ desk, bridge: { openWithinMs: 1_000 } });
    const { id, state } = await bench.requestHandoff();
    expect(state).toBe('busy');
    gate.resolve();
    await eventually(() => expect(bridge.stats().orphans).toBe(1));
    expect(desk.tickets.map(({ closes }) => closes)).toMatchObject([[{ by: 'system' }]]);
    expect(await receiver.conversations.get(id)).toMatchObject({ state: 'failed', link: null });
  });

  it('is looked for more than once after a lost response, and closed when it appears in the helpdesk', async () => {
    const desk = fakeDesk();
    let takeEffect = (): unknown => null;
    desk.behave({
      open: (apply) => {
        takeEffect = apply;
        return fail();
      },
    });
    const { bench } = await setUpBridge({ desk, bridge: { openWithinMs: 20, reconcileEveryMs: 10 } });
    expect((await bench.requestHandoff()).state).toBe('busy');
    const before = desk.count('find');
    await eventually(() => expect(desk.count('find')).toBeGreaterThan(before + 2));
    takeEffect();
    await eventually(() => expect(desk.tickets).toMatchObject([{ closes: [{ by: 'system' }] }]));
  });

  it('opens when the user requests it again after a refusal', async () => {
    const desk = fakeDesk();
    desk.behave({ open: fail });
    const { bench } = await setUpBridge({ desk, bridge: { openWithinMs: 20 } });
    await bench.requestHandoff();
    desk.behave();
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
  });

  it('that arrives several times at once opens one conversation', async () => {
    const desk = fakeDesk();
    desk.behave({ open: async (apply) => new Promise((resolve) => setImmediate(() => resolve(apply()))) });
    const { bench } = await setUpBridge({ desk });
    bench.faults.set('duplicate', { on: ['establish'], copies: 5 });
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
    expect(desk.count('open')).toBe(1);
  });

  it('keeps users with the same placeholder address apart', async () => {
    const { bench, desk } = await setUpBridge();
    const email = 'support@example.com';
    await bench.requestHandoff({ user: { anonymousId: 'a-1', email } });
    await bench.requestHandoff({ user: { anonymousId: 'a-2', email } });
    expect(desk.tickets.map(({ session }) => session.user.key)).toEqual(['anonymous:a-1', 'anonymous:a-2']);
    expect(new Set(desk.tickets.map(({ key }) => key)).size).toBe(2);
  });

  it('that another gate refuses after it was opened is closed in the helpdesk by the reconcile loop', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const made = await setUpBridge({ bridge: { reconcileEveryMs: 10 } });
      made.receiver.admit(() => false);
      await made.bench.requestHandoff();
      expect(made.desk.tickets).toMatchObject([{ closes: [] }]);
      vi.setSystemTime(Date.now() + 3_600_000);
      await eventually(() => expect(made.desk.tickets).toMatchObject([{ closes: [{ by: 'system' }] }]));
    } finally {
      vi.useRealTimers();
    }
  });
});

it('a handoff is accepted although its lease could not be given back', async () => {
  const { bench, desk, receiver, logged } = await setUpBridge();
  const { store } = receiver.conversations.lifecycle;
  vi.spyOn(store, 'release').mockRejectedValueOnce(new Error('the database is away'));
  expect((await bench.requestHandoff()).state).toBe('connecting');
  expect(desk.tickets).toHaveLength(1);
  expect(logged.about('lease not released')).toHaveLength(1);
});

describe('business hours', () => {
  it('refuse handoffs outside of them without calling the helpdesk', async () => {
    const { bench, desk } = await setUpBridge({ bridge: { hours: () => false } });
    const { state, deliveries } = await bench.requestHandoff();
    expect(state).toBe('busy');
    expect(deliveries[0]).toMatchObject({ status: 503 });
    expect(desk.calls).toEqual([]);
  });

  it('send messages.outsideHours and end the conversation with whenClosed: apologise', async () => {
    const { bench, desk, shown, receiver } = await setUpBridge({
      bridge: {
        hours: () => false,
        whenClosed: 'apologise',
        messages: { outsideHours: 'We are back at nine.' },
      },
    });
    const { id } = await bench.requestHandoff();
    await expect.poll(shown).toEqual(['We are back at nine.']);
    await expect.poll(() => bench.conversation.endedBy).toBe('agent');
    expect(desk.calls).toEqual([]);
    expect(await receiver.conversations.get(id)).toMatchObject({
      state: 'closed',
      closure: { by: 'system' },
    });
  });
});

describe('business hours that change', () => {
  it('are asked for at each handoff, and so is the reaction', async () => {
    let isOpen = false;
    let whenClosed: 'refuse' | 'apologise' = 'refuse';
    const { bench, desk, shown } = await setUpBridge({
      bridge: {
        hours: async () => isOpen,
        whenClosed: async () => whenClosed,
        messages: { outsideHours: 'We are back at nine.' },
      },
    });
    expect((await bench.requestHandoff()).state).toBe('busy');
    whenClosed = 'apologise';
    await bench.requestHandoff();
    await expect.poll(shown).toEqual(['We are back at nine.']);
    expect(desk.calls).toEqual([]);
    isOpen = true;
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(desk.tickets).toHaveLength(1);
  });

  it('leave a conversation open that was opened in time', async () => {
    let asked = 0;
    const { bench, desk, shown, receiver } = await setUpBridge({
      bridge: {
        // Open for the request, closed when the handler runs.
        hours: () => ++asked === 1,
        whenClosed: 'apologise',
        messages: { outsideHours: 'We are back at nine.', greeting: 'Hello.' },
      },
    });
    const { id } = await bench.requestHandoff();
    await expect.poll(shown).toEqual(['Hello.']);
    expect(desk.tickets).toMatchObject([{ closes: [] }]);
    expect(await receiver.conversations.get(id)).toMatchObject({ closure: null });
  });

  it.each([
    ['fail', () => Promise.reject(new Error('no calendar')), 'no calendar'],
    ['hang', () => new Promise<boolean>(() => undefined), 'had no result after 25 ms'],
  ])('refuse a handoff when they %s, and report why', async (_what, hours, reason) => {
    const { bench, desk, logged } = await setUpBridge({ bridge: { hours, openWithinMs: 50 } });
    expect((await bench.requestHandoff()).state).toBe('busy');
    expect(desk.calls).toEqual([]);
    expect(logged.text()).toContain(reason);
  });
});

describe('a request that is not open at the time limit', () => {
  /** A gate whose helpdesk is too slow, and what happens meanwhile. */
  async function admitWhile(happens: (lifecycle: HandoffLifecycle, conversation: Conversation) => unknown) {
    const receiver = createReceiver({ auth: { message: false, handoff: noAuth() }, log: false });
    const { lifecycle } = receiver.conversations;
    const settings = readOptions({ receiver, adapter: fakeDesk().adapter() });
    const none = (): void => undefined;
    const breaker = { firstWaitMs: 5_000, onOutage: none, onTrial: none, onRecovered: none };
    const calls = createAdapterCalls({
      helpdesk: 'desk',
      receiver: {},
      log: silentLog,
      timeoutMs: 1_000,
      breaker,
    });
    const ownership = joinReceiver(receiver, 'fake-desk', null);
    const dependencies = {
      lifecycle,
      settings,
      ownership,
      calls,
      counters: createCounters(),
      log: silentLog,
    };
    const admit = createAdmitHandoff(dependencies, {
      async ensureOpen(conversation) {
        await happens(lifecycle, conversation);
        return { kind: 'pending' };
      },
    });
    const { body, conversationId, requestId } = requestEvent('c-1', { userId: 'u-1' });
    const context = { conversationId, requestId, payload: body, receivedAt: new Date() };
    const admitted = await admit(context as AdmitContext);
    return { admitted, conversation: await lifecycle.store.get('c-1') };
  }

  const LINK = { adapter: 'fake-desk', externalId: 'T1', url: null, extra: {} };
  const REFUSED = 'no agent is available';

  it('is refused', async () => {
    const { admitted, conversation } = await admitWhile(() => undefined);
    expect(admitted).toBe(REFUSED);
    expect(conversation).toMatchObject({ state: 'failed' });
  });

  it('is accepted if it opens right then', async () => {
    const { admitted, conversation } = await admitWhile((lifecycle, { id }) =>
      changeConversation(lifecycle.store, id, { link: LINK }),
    );
    expect(admitted).toBe(true);
    expect(conversation).toMatchObject({ state: 'requested', link: { externalId: 'T1' } });
  });

  it('is refused if a later request opens right then', async () => {
    const { admitted, conversation } = await admitWhile(async (lifecycle, { id }) => {
      await changeConversation(lifecycle.store, id, { state: 'failed' });
      await lifecycle.request({ ...requestEvent(id), key: 'another request' });
      await changeConversation(lifecycle.store, id, { link: LINK });
    });
    expect(admitted).toBe(REFUSED);
    expect(conversation).toMatchObject({ session: 2, state: 'requested', link: { externalId: 'T1' } });
  });

  it('is refused if the user was forgotten', async () => {
    const { admitted, conversation } = await admitWhile(({ store }) => store.forget('u-1'));
    expect(admitted).toBe(REFUSED);
    expect(conversation).toBeNull();
  });
});
