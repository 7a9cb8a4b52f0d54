import { describe, expect, it } from 'vitest';
import { AdapterError, type HandoffRoute } from '../../src/public/adapter.js';
import { LEVEL } from '../helpers/log-lines.js';
import { fakeDesk } from './fake-desk.js';
import { setUpBridge } from './setup.js';

const ROUTE: HandoffRoute = { tags: ['premium', 'parcel'], priority: 'high', department: 'Shipping' };

/** Hands a user over with a route function. Returns what the desk and the log have. */
async function handOver(route: () => unknown, desk = fakeDesk(), openWithinMs = 4_000) {
  const { bench, logged } = await setUpBridge({
    desk,
    bridge: { route: () => route() as HandoffRoute, openWithinMs },
  });
  const { state } = await bench.requestHandoff({ user: { userId: 'ada' } });
  expect(state).toBe('connecting');
  expect(desk.tickets).toHaveLength(1);
  return {
    route: desk.tickets[0]?.session.route,
    errors: logged.lines().filter(({ level }) => level === LEVEL.error),
  };
}

describe('the route of a handoff', () => {
  it('is decided by the application, from the user and the conversation', async () => {
    const desk = fakeDesk();
    const seen: unknown[] = [];
    const { bench } = await setUpBridge({
      desk,
      bridge: {
        route: async ({ user, conversation }) => {
          seen.push([user.userId, conversation.transcript[0]?.text]);
          return ROUTE;
        },
      },
    });
    await bench.requestHandoff({
      user: { userId: 'ada' },
      transcript: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
    });
    expect(seen).toEqual([['ada', 'Where is my parcel?']]);
    expect(desk.tickets[0]?.session.route).toEqual(ROUTE);
  });

  it('has each tag once, without white space around it', async () => {
    const { route } = await handOver(() => ({ tags: [' vip ', 'vip'] }));
    expect(route).toEqual({ tags: ['vip'] });
  });

  it('can be left to the helpdesk', async () => {
    expect(await handOver(() => null)).toEqual({ route: undefined, errors: [] });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('the CRM is down')), 4_000, /route failed/],
    ['never ends', () => new Promise(() => {}), 200, /no result after 100 ms/],
    ['returns an unknown priority', () => ({ priority: 'asap' }), 4_000, /route failed/],
    ['returns an unknown field', () => ({ queue: 'Shipping' }), 4_000, /route failed/],
  ])('is left out and logged when the function %s', async (_, route, openWithinMs, message) => {
    const handedOver = await handOver(route, fakeDesk(), openWithinMs);
    expect(handedOver.route).toBeUndefined();
    expect(handedOver.errors).toMatchObject([{ msg: expect.stringMatching(message) }]);
  });

  it('is left out and logged when the helpdesk refuses it', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply, nth) => {
        if (nth === 1) throw new AdapterError('invalid', 'The desk has no department Shipping.');
        return apply();
      },
    });
    const { route, errors } = await handOver(() => ROUTE, desk);
    expect(route).toBeUndefined();
    expect(errors).toMatchObject([{ msg: expect.stringContaining('opening it without') }]);
  });

  it('is kept when the helpdesk fails at first', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply, nth) => {
        if (nth === 1) throw new AdapterError('transient', 'the desk is down.');
        return apply();
      },
    });
    expect(await handOver(() => ROUTE, desk)).toEqual({ route: ROUTE, errors: [] });
  });

  it('opens no second conversation when the first was created in spite of the refusal', async () => {
    const desk = fakeDesk();
    desk.behave({
      open: (apply) => {
        apply();
        throw new AdapterError('invalid', 'The desk answered with too large a body.');
      },
    });
    expect((await handOver(() => ROUTE, desk)).route).toEqual(ROUTE);
  });
});
