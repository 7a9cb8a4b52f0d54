import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const fails = (): never => {
  throw new AdapterError('transient', 'the desk answered 500.');
};

/** A desk that fails at messages with this word. */
function deskThatFailsAt(word: string) {
  const desk = fakeDesk();
  const adapter = desk.adapter();
  const send: typeof adapter.send = (...args) => adapter.send(...args);
  return {
    desk,
    send: (async (ref, message, call) =>
      message.text.includes(word) ? fails() : send(ref, message, call)) as typeof send,
  };
}

/** Postponed events come again soon. */
const quickDelivery = () => sqliteDelivery({ backoff: { minDelayMs: 1, maxDelayMs: 20 } });

describe('a message at which the helpdesk keeps failing', () => {
  it('becomes a dead letter, agents get a note, and the next message and the close go on', async () => {
    const { desk, send } = deskThatFailsAt('poison');
    const { bench, receiver } = await setUpBridge({
      desk,
      adapter: { send },
      receiver: { delivery: await quickDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('poison');
    await bench.say('good');
    await bench.closeByUser();
    await eventually(() => expect(desk.tickets[0]?.closes).toHaveLength(1));
    expect(desk.sentTexts()).toEqual(['(A message of the user could not be shown here.)', 'good']);
    const dead = await receiver.storage.queues?.list('inbox', { state: 'dead' });
    expect(dead).toMatchObject([
      { what: 'handoff.message', error: expect.stringContaining('the desk answered 500') },
    ]);
  });

  it('does not end the wait of others, who are sent meanwhile', async () => {
    const { desk, send } = deskThatFailsAt('poison');
    const { bench } = await setUpBridge({
      desk,
      adapter: { send },
      receiver: { delivery: await quickDelivery() },
    });
    const one = await bench.requestHandoff();
    const other = await bench.requestHandoff();
    await one.say('poison');
    await one.say('after it');
    await other.say('elsewhere');
    await eventually(() => expect(desk.sentTexts('T2')).toEqual(['elsewhere']));
    await eventually(() => expect(desk.sentTexts('T1').at(-1)).toBe('after it'));
  });

  it('ends the conversation if the last try finds it gone', async () => {
    const { desk, send } = deskThatFailsAt('poison');
    const { bench, receiver } = await setUpBridge({
      desk,
      adapter: {
        async send(...call) {
          if (desk.sentTexts().length > 0) throw new AdapterError('gone', 'the desk has no such ticket.');
          return send(...call);
        },
      },
      receiver: { delivery: await quickDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('poison');
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    expect(await receiver.storage.queues?.list('inbox', { state: 'dead' })).toEqual([]);
  });

  it('is retried as often again when an operator retries the dead letter', async () => {
    const { desk, send } = deskThatFailsAt('poison');
    let isFixed = false;
    const adapter = desk.adapter();
    const plain: typeof adapter.send = (...args) => adapter.send(...args);
    const { bench, receiver } = await setUpBridge({
      desk,
      adapter: { send: (...call) => (isFixed ? plain(...call) : send(...call)) },
      receiver: { delivery: await quickDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('poison');
    const { queues } = receiver.storage;
    const [job] = await eventually(async () => {
      const dead = (await queues?.list('inbox', { state: 'dead' })) ?? [];
      expect(dead).toHaveLength(1);
      return dead;
    });
    isFixed = true;
    await queues?.retry('inbox', job?.id ?? '');
    await eventually(() => expect(desk.sentTexts().at(-1)).toBe('poison'));
  });

  it('becomes a dead letter again if it still fails then, without another note', async () => {
    const { desk, send } = deskThatFailsAt('poison');
    let sends = 0;
    const { bench, receiver } = await setUpBridge({
      desk,
      adapter: {
        send(...call) {
          sends += 1;
          return send(...call);
        },
      },
      receiver: { delivery: await quickDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('poison');
    const { queues } = receiver.storage;
    const untilDead = (after: number) =>
      eventually(async () => {
        expect(sends).toBeGreaterThan(after);
        const [job] = (await queues?.list('inbox', { state: 'dead' })) ?? [];
        expect(job).toBeDefined();
        return job?.id ?? '';
      });
    const id = await untilDead(0);
    const before = sends;
    await queues?.retry('inbox', id);
    await untilDead(before);
    expect(desk.sentTexts()).toEqual(['(A message of the user could not be shown here.)']);
  });
});

describe('an outage of the helpdesk', () => {
  it('uses up no attempts of a message, however long it lasts, and no note is shown', async () => {
    const desk = fakeDesk();
    const adapter = desk.adapter();
    const plain: typeof adapter.send = (...args) => adapter.send(...args);
    let failures = 0;
    // Several times as many failures as a single message may have. It ends with a message, not with the note.
    const send: typeof plain = async (ref, message, call) => {
      if (failures >= 60 && !message.text.startsWith('(')) return plain(ref, message, call);
      failures += 1;
      return fails();
    };
    const { bench, receiver } = await setUpBridge({
      desk,
      adapter: { send },
      receiver: { delivery: await quickDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('one');
    await bench.say('two');
    await eventually(() => expect(desk.sentTexts()).toEqual(['one', 'two']));
    expect(await receiver.storage.queues?.list('inbox', { state: 'dead' })).toEqual([]);
  });

  it('in which it refuses for its rate limit uses up no attempts either, and no note is shown', async () => {
    const desk = fakeDesk();
    const adapter = desk.adapter();
    const plain: typeof adapter.send = (...args) => adapter.send(...args);
    let refusals = 0;
    const send: typeof plain = async (ref, message, call) => {
      if (refusals >= 50 || message.text.startsWith('(')) return plain(ref, message, call);
      refusals += 1;
      throw new AdapterError('rate-limited', 'the desk answered 429.', { retryAfterMs: 1 });
    };
    const { bench } = await setUpBridge({
      desk,
      adapter: { send },
      receiver: { delivery: await quickDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('one');
    await eventually(() => expect(desk.sentTexts()).toContain('one'));
    expect(desk.sentTexts()).toEqual(['one']);
  });

  it('that a restart interrupts keeps the count of failed runs', async () => {
    const { desk, send } = deskThatFailsAt('poison');
    const { bench, start, routeTo } = await onSharedFile(desk);
    let sends = 0;
    const counted: typeof send = (...call) => {
      sends += 1;
      return send(...call);
    };
    const first = await start({ adapter: { send: counted } });
    routeTo(first);
    await bench.requestHandoff();
    await bench.say('poison');
    await bench.say('good');
    await eventually(() => expect(sends).toBeGreaterThan(3));
    await first.stop();
    const second = await start({ adapter: { send: counted } });
    routeTo(second);
    await eventually(() => expect(desk.sentTexts().at(-1)).toBe('good'));
  });
});
