import { describe, expect, it, vi } from 'vitest';
import { AdapterError, type AdapterErrorKind } from '../../src/adapter.js';
import { deferred } from '../helpers/deferred.js';
import { fakeDesk } from './fake-desk.js';
import { stand, stored } from './stand.js';

const fail = (kind: AdapterErrorKind, retryAfterMs: number | null = null): never => {
  throw new AdapterError(kind, `the desk says ${kind}.`, { retryAfterMs });
};

describe('what the user says', () => {
  it('arrives whole where it is longer than the desk takes', async () => {
    const { bench, desk } = await stand({ capabilities: { maxTextLength: 12 } });
    await bench.requestHandoff();
    await bench.say('one two three four 🇩🇪🇩🇪🇩🇪🇩🇪');
    const said = desk.said();
    expect(said.every((part) => part.length <= 12)).toBe(true);
    expect(said.join(' ')).toBe('one two three four 🇩🇪🇩🇪🇩🇪 🇩🇪');
    expect(new Set(desk.tickets[0]?.messages.map(({ key }) => key)).size).toBe(said.length);
  });

  it.each(['<b>not bold</b>', '漢字かな', 'שלום עולם', '👩‍👩‍👧‍👦'])('arrives as it is: %s', async (text) => {
    const { bench, desk } = await stand();
    await bench.requestHandoff();
    await bench.say(text);
    expect(desk.said()).toEqual([text]);
  });

  it.each(['transient', 'rate-limited'] as const)('is sent again in place: %s', async (kind) => {
    const { bench, desk } = await stand();
    await bench.requestHandoff();
    desk.behave({ send: (apply, nth) => (nth < 3 ? fail(kind, 1) : apply()) });
    await bench.say('hello');
    expect(desk.said()).toEqual(['hello']);
    expect(desk.count('send')).toBe(3);
  });

  it('survives an outage that is longer than any patience, in order and without a part sent twice', async () => {
    const { bench, desk, bridge } = await stand({
      capabilities: { maxTextLength: 5 },
      receiver: { delivery: await stored() },
    });
    await bench.requestHandoff();
    await vi.waitFor(() => expect(desk.tickets).toHaveLength(1));
    desk.behave({ send: (apply, nth) => (nth === 1 || nth > 12 ? apply() : fail('transient', 1)) });
    await bench.say('aaaa bbbb');
    await bench.say('cccc');
    await vi.waitFor(() => expect(desk.said()).toEqual(['aaaa', 'bbbb', 'cccc']), 10_000);
    await vi.waitFor(() => expect(bridge.stats()).toMatchObject({ sent: 3 }));
    expect(bridge.stats().postponed).toBeGreaterThan(0);
  });

  it('waits where the credentials are refused, is not tried in a loop, and the operator is told once', async () => {
    const { bench, desk, logged } = await stand({
      receiver: { delivery: await stored() },
      bridge: { retry: { tries: 5, authWaitMs: 50 } },
    });
    await bench.requestHandoff();
    desk.behave({ send: (apply, nth) => (nth <= 2 ? fail('auth') : apply()) });
    await bench.say('hello');
    await vi.waitFor(() => expect(desk.said()).toEqual(['hello']), 10_000);
    expect(desk.count('send')).toBe(3);
    expect(logged.about('credentials refused by the helpdesk')).toMatchObject([{ level: 50 }]);
  });

  it('ends the conversation where it is gone from the desk, and the user is told', async () => {
    const { bench, desk, shown } = await stand({
      bridge: { messages: { unavailable: 'Please ask again.' } },
    });
    await bench.requestHandoff();
    desk.behave({ send: () => fail('gone') });
    await bench.say('hello');
    expect(shown()).toEqual(['Please ask again.']);
    expect(bench.conversation.endedBy).toBe('human');
    expect(desk.count('send')).toBe(1);
  });

  it('is parked and reported where the desk refuses the words themselves', async () => {
    const errors: unknown[] = [];
    const { bench, desk } = await stand({
      before: (receiver) => void receiver.onError(({ error }) => errors.push(error)),
    });
    await bench.requestHandoff();
    desk.behave({ send: () => fail('invalid') });
    expect(await bench.say('hello')).toMatchObject({ status: 500 });
    expect(errors).toMatchObject([{ code: 'ADAPTER_INVALID' }]);
    expect(desk.count('send')).toBe(1);
  });

  it('waits for the conversation to be open', async () => {
    const desk = fakeDesk();
    const gate = deferred();
    desk.behave({ open: async (apply) => gate.promise.then(apply) });
    const { bench } = await stand({
      desk,
      bridge: { whenUnopened: 'apologise', messages: { unavailable: 'Nobody is here.' } },
      receiver: { delivery: await stored() },
    });
    await bench.requestHandoff();
    await bench.say('hello');
    expect(desk.count('send')).toBe(0);
    gate.resolve();
    await vi.waitFor(() => expect(desk.said()).toEqual(['hello']), 10_000);
  });

  it('does not reopen what has ended', async () => {
    const { bench, desk, receiver, logged } = await stand();
    const { id } = await bench.requestHandoff();
    await receiver.conversations.lifecycle.end(id, 'agent');
    await bench.say('one more thing');
    expect(desk.count('send')).toBe(0);
    expect(logged.about('the conversation is not open')).toMatchObject([{ level: 40, state: 'closing' }]);
  });

  it('comes to no harm in the log', async () => {
    const { bench, logged } = await stand({ capabilities: { maxTextLength: 10 } });
    await bench.requestHandoff({ transcript: [{ text: 'my-pin-4711', message_type: 'QUESTION' }] });
    await bench.say('my-pin-4712');
    expect(logged.text()).not.toMatch(/my-pin/);
  });
});
