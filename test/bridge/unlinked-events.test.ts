import { afterEach, describe, expect, it, vi } from 'vitest';
import { sessionKey } from '../../src/bridge/bridge-context.js';
import { AdapterError, type EmitEvents } from '../../src/public/adapter.js';
import { changeConversation } from '../helpers/change-conversation.js';
import { requestEvent } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';
import { LEVEL } from '../helpers/log-lines.js';
import { agentSays, fakeDesk } from './fake-desk.js';
import { type SetupOptions, setUpBridge } from './setup.js';

/** An old record counts as in doubt, so that the helpdesk is asked at once. */
const A_WHILE_MS = 5_000;

const realNow = Date.now;
let shiftedMs = 0;

/** Sets the clock forward; it goes on from there. */
function shiftClock(ms: number): void {
  shiftedMs += ms;
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + shiftedMs);
}

/**
 * A bridge in the state after a process died between calling `open` and storing the link: the helpdesk has ticket T1,
 * the conversation `c-1` has no link. `accepted`: whether the platform was answered 200.
 */
async function setUpUnlinked({ accepted, ...options }: SetupOptions & { readonly accepted: boolean }) {
  const { desk = fakeDesk() } = options;
  const setup = await setUpBridge({ ...options, desk });
  const { lifecycle } = setup.receiver.conversations;
  const { id } = await setup.bench.requestHandoff();
  const stored = await lifecycle.store.get(id);
  const change = { link: null, state: accepted ? ('waiting' as const) : ('requested' as const) };
  await lifecycle.store.update(id, stored?.version ?? 0, change);
  await lifecycle.store.addIdempotencyKey(
    `bridge opening fake-desk ${sessionKey({ id, session: 1 })}`,
    86_400_000,
  );
  shiftClock(A_WHILE_MS);
  return { ...setup, desk, id, store: lifecycle.store };
}

afterEach(() => {
  vi.restoreAllMocks();
  shiftedMs = 0;
});

describe('an event before the link of its conversation is stored', () => {
  it('is delivered: the bridge finds the conversation in the helpdesk and links it', async () => {
    const { sendEvents, shown, store, id, desk } = await setUpUnlinked({ accepted: true });
    expect(await sendEvents(agentSays('I am here.'))).toBe(200);
    expect(shown()).toEqual(['I am here.']);
    expect(await store.get(id)).toMatchObject({ link: { externalId: 'T1' } });
    expect(desk.count('find')).toBe(1);
    expect(desk.tickets[0]?.closes).toEqual([]);
  });

  it('is refused while the helpdesk cannot be asked, and delivered when it comes again', async () => {
    const desk = fakeDesk();
    const { sendEvents, shown } = await setUpUnlinked({ accepted: true, desk });
    desk.behave({
      find: () => {
        throw new AdapterError('transient', 'the desk is down.');
      },
    });
    const event = agentSays('I am here.');
    expect(await sendEvents(event)).toBe(503);
    desk.behave();
    shiftClock(A_WHILE_MS);
    expect(await sendEvents(event)).toBe(200);
    expect(shown()).toEqual(['I am here.']);
  });

  it('is refused while the request is not accepted, and delivered once it is', async () => {
    const { sendEvents, shown, receiver, store, id } = await setUpUnlinked({ accepted: false });
    const event = agentSays('I am here.');
    expect(await sendEvents(event)).toBe(503);
    expect(await store.get(id)).toMatchObject({ link: null });
    const link = { adapter: 'fake-desk', externalId: 'T1', url: null, extra: {} };
    await changeConversation(receiver.conversations.lifecycle.store, id, { link });
    expect(await sendEvents(event)).toBe(200);
    expect(shown()).toEqual(['I am here.']);
  });

  it('does not move the cursor of a poll', async () => {
    const desk = fakeDesk();
    const { shown, logged, receiver, id } = await setUpUnlinked({
      accepted: false,
      desk,
      capabilities: { inbound: ['poll'], pollEveryMs: 10 },
    });
    desk.events.push(agentSays('I am here.'));
    await logged.until('poll failed');
    expect(shown()).toEqual([]);
    const link = { adapter: 'fake-desk', externalId: 'T1', url: null, extra: {} };
    await changeConversation(receiver.conversations.lifecycle.store, id, { link });
    await eventually(() => expect(shown()).toEqual(['I am here.']));
  });

  it('rejects on a stream', async () => {
    const emits: EmitEvents[] = [];
    await setUpUnlinked({
      accepted: false,
      capabilities: { inbound: ['stream'] },
      adapter: {
        stream: (emit, { signal }) =>
          new Promise((resolve) => {
            emits.push(emit);
            signal.addEventListener('abort', () => resolve());
          }),
      },
    });
    await eventually(() => expect(emits).toHaveLength(1));
    const emitted = emits[0]?.(agentSays('I am here.'));
    await expect(emitted).rejects.toMatchObject({ code: 'ADAPTER_TRANSIENT' });
  });
});

describe('an event of a ticket that is no handoff, while an opening is in doubt', () => {
  const foreign = () => agentSays('to a customer', { externalId: 'T99' });

  it('is accepted as soon as the helpdesk says which ticket the opening has', async () => {
    const { sendEvents, shown, desk, bridge } = await setUpUnlinked({ accepted: false });
    expect(await sendEvents(foreign())).toBe(200);
    expect(desk.count('find')).toBe(1);
    expect(await Promise.all(Array.from({ length: 50 }, () => sendEvents(foreign())))).toEqual(
      Array(50).fill(200),
    );
    expect(desk.count('find')).toBe(1);
    expect(shown()).toEqual([]);
    expect(bridge.stats()).toMatchObject({ dropped: 51, unmatched: 0 });
  });

  it('costs few calls to the helpdesk, however many there are', async () => {
    const desk = fakeDesk();
    const { sendEvents } = await setUpUnlinked({ accepted: true, desk });
    desk.behave({ find: () => null });
    const answers = Array.from({ length: 50 }, () => sendEvents(foreign()));
    expect(await Promise.all(answers)).toEqual(Array(50).fill(503));
    expect(desk.count('find')).toBeLessThan(10);
  });

  it('is dropped with a warning once the doubt is ten minutes old', async () => {
    const desk = fakeDesk();
    const { sendEvents, logged, bridge } = await setUpUnlinked({ accepted: true, desk });
    desk.behave({ find: () => null });
    shiftClock(600_000);
    expect(await sendEvents(foreign())).toBe(200);
    expect(logged.about('event dropped')).toMatchObject([{ level: LEVEL.warn, externalId: 'T99' }]);
    expect(bridge.stats()).toMatchObject({ dropped: 1, unmatched: 1 });
  });

  it('is dropped with a warning after the request failed without an outcome in the helpdesk', async () => {
    const { sendEvents, logged, receiver, id } = await setUpUnlinked({ accepted: false });
    await changeConversation(receiver.conversations.lifecycle.store, id, { state: 'failed' });
    expect(await sendEvents(agentSays('I am here.'))).toBe(200);
    expect(logged.about('event dropped')).toMatchObject([{ level: LEVEL.warn, externalId: 'T1' }]);
  });

  it('is dropped with a warning if the ticket was that of an earlier session', async () => {
    const { sendEvents, logged, receiver, bench } = await setUpBridge();
    const { id } = await bench.requestHandoff();
    const { lifecycle } = receiver.conversations;
    await lifecycle.end(id, 'user');
    await lifecycle.request({ ...requestEvent(id), key: 'another request' });
    expect(await sendEvents(agentSays('Are you there?'))).toBe(200);
    expect(logged.about('event dropped')).toMatchObject([
      { level: LEVEL.warn, externalId: 'T1', reason: 'its handoff has ended' },
    ]);
  });

  it('is dropped with a warning while an earlier session may have left a ticket', async () => {
    const { sendEvents, bridge, receiver, bench, desk, id } = await setUpUnlinked({ accepted: false });
    const { lifecycle } = receiver.conversations;
    await changeConversation(lifecycle.store, id, { state: 'failed' });
    await lifecycle.request({ ...requestEvent(id), key: 'another request' });
    await bench.say('hello');
    expect(desk.sentTexts('T2')).toEqual(['hello']);
    expect(await sendEvents(foreign())).toBe(200);
    expect(bridge.stats()).toMatchObject({ dropped: 1, unmatched: 1 });
    shiftClock(1_200_000);
    expect(await sendEvents(foreign())).toBe(200);
    expect(bridge.stats()).toMatchObject({ dropped: 2, unmatched: 1 });
  });

  it('is accepted without a warning when nothing was in doubt', async () => {
    const { sendEvents, logged, bench, bridge } = await setUpBridge();
    await bench.requestHandoff();
    expect(await sendEvents(foreign())).toBe(200);
    expect(logged.about('event dropped').filter(({ level }) => level >= LEVEL.warn)).toEqual([]);
    expect(bridge.stats()).toMatchObject({ dropped: 1, unmatched: 0 });
  });
});

it('a conversation that another process has linked meanwhile is not closed as an orphan', async () => {
  const desk = fakeDesk();
  const { bench, receiver } = await setUpBridge({ desk });
  const { lifecycle } = receiver.conversations;
  desk.behave({
    open: async (apply) => {
      const opened = apply();
      const id = desk.tickets[0]?.session.conversationId ?? '';
      const link = { adapter: 'fake-desk', externalId: 'T1', url: null, extra: {} };
      await changeConversation(lifecycle.store, id, { link });
      return opened;
    },
  });
  await bench.requestHandoff();
  await bench.say('hello');
  expect(desk.sentTexts()).toEqual(['hello']);
  expect(desk.count('close')).toBe(0);
});

it('a ticket is closed again when another process has opened one for the conversation meanwhile', async () => {
  const desk = fakeDesk();
  const { bench, receiver } = await setUpBridge({ desk });
  desk.behave({
    open: async (apply) => {
      const opened = apply();
      const id = desk.tickets[0]?.session.conversationId ?? '';
      const link = { adapter: 'fake-desk', externalId: 'T9', url: null, extra: {} };
      await changeConversation(receiver.conversations.lifecycle.store, id, { link });
      return opened;
    },
  });
  expect((await bench.requestHandoff()).state).toBe('connecting');
  await eventually(() => expect(desk.tickets).toMatchObject([{ id: 'T1', closes: [{ by: 'system' }] }]));
});
