import { describe, expect, it, onTestFinished } from 'vitest';
import { type Adapter, AdapterError } from '../../src/public/adapter.js';
import { type BridgeOptions, createBridge } from '../../src/public/bridge.js';
import { createReceiver, noAuth, type Receiver } from '../../src/public/index.js';
import { createTestBench } from '../../src/testing/index.js';
import { eventually } from '../helpers/eventually.js';
import { logLines } from '../helpers/log-lines.js';
import { type FakeDesk, fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';

const named = (desk: FakeDesk, name: string): Adapter => desk.adapter({}, { name });

/** A receiver with several bridges, and a platform with the bots `bench-agent` and `other-bot`. */
async function setUpBridges(bridges: readonly Pick<BridgeOptions, 'adapter' | 'botIds'>[]) {
  const logged = logLines();
  const bench = await createTestBench({
    receiver: (given) => {
      const receiver = createReceiver({ ...given, log: logged.log });
      for (const each of bridges) {
        const bridge = createBridge({ receiver, log: logged.log, ...each });
        onTestFinished(() => bridge.close({ timeoutMs: 1 }));
      }
      return receiver;
    },
  });
  onTestFinished(() => bench.close());
  const { id, humanServices } = bench.simulator.bots.get();
  bench.simulator.bots.add({
    id: 'other-bot',
    apiKey: 'key of the other',
    humanServices: [...humanServices],
  });
  return { bench, botId: id, logged };
}

const emptyReceiver = (): Receiver =>
  createReceiver({ auth: { message: false, handoff: noAuth() }, log: false });

describe('two bridges on one receiver', () => {
  it('take the conversations of their bots, and one of them all others', async () => {
    const [one, other] = [fakeDesk(), fakeDesk()];
    const { bench } = await setUpBridges([
      { adapter: named(one, 'one') },
      { adapter: named(other, 'other'), botIds: ['other-bot'] },
    ]);
    const first = await bench.simulator.requestHandoff({});
    const second = await bench.simulator.requestHandoff({ botId: 'other-bot' });
    await first.say('to the one');
    await second.say('to the other');
    expect([one.tickets.length, other.tickets.length]).toEqual([1, 1]);
    expect([one.sentTexts(), other.sentTexts()]).toEqual([['to the one'], ['to the other']]);
    await second.closeByUser();
    expect([one.count('close'), other.count('close'), one.count('find')]).toEqual([0, 1, 0]);
  });

  it('refuse a handoff that neither takes with 503, and say so', async () => {
    const [one, other] = [fakeDesk(), fakeDesk()];
    const { bench, logged } = await setUpBridges([
      { adapter: named(one, 'one'), botIds: ['a'] },
      { adapter: named(other, 'other'), botIds: ['b'] },
    ]);
    const handoff = await bench.simulator.requestHandoff({});
    expect([handoff.state, handoff.deliveries[0]?.status]).toEqual(['busy', 503]);
    expect([one.count('open'), other.count('open')]).toEqual([0, 0]);
    expect(logged.about('no bridge takes the handoffs of this bot')).toHaveLength(1);
  });

  it.each<[string, string[] | undefined, string[] | undefined]>([
    ['without botIds', undefined, undefined],
    ['with a bot in common', ['a', 'b'], ['b', 'c']],
  ])('cannot be created %s: both would open its conversations', (_which, first, second) => {
    const receiver = emptyReceiver();
    createBridge({
      receiver,
      adapter: named(fakeDesk(), 'one'),
      ...(first && { botIds: first }),
      log: false,
    });
    expect(() =>
      createBridge({ receiver, adapter: named(fakeDesk(), 'other'), ...(second && { botIds: second }) }),
    ).toThrow(/the adapters one and other would both take/);
  });

  it('end a conversation that is open nowhere, and whose bot none takes any more', async () => {
    const desk = fakeDesk();
    const { bench, start, routeTo } = await onSharedFile(desk);
    const down = (): never => {
      throw new AdapterError('transient', 'the desk is down.');
    };
    desk.behave({ open: down, find: down });
    const messages = { unavailable: 'Sorry.' };
    const first = await start({ bridge: { whenUnavailable: 'apologise', messages } });
    routeTo(first);
    const handoff = await bench.requestHandoff();
    expect(handoff.state).toBe('connecting');
    await first.stop();
    desk.behave();
    const second = await start({ bridge: { botIds: ['another'], messages } });
    routeTo(second);
    await eventually(() => expect(handoff.endedBy).toBe('agent'));
    expect(handoff.replies.map(({ text }) => text)).toEqual(['Sorry.']);
    expect(desk.tickets).toEqual([]);
  });

  it('cannot have adapters of one name, nor take no bot at all', () => {
    const receiver = emptyReceiver();
    createBridge({ receiver, adapter: named(fakeDesk(), 'one'), botIds: ['a'], log: false });
    expect(() => createBridge({ receiver, adapter: named(fakeDesk(), 'one'), botIds: ['b'] })).toThrow(
      /has a bridge with the adapter one already/,
    );
    expect(() => createBridge({ receiver, adapter: named(fakeDesk(), 'other'), botIds: [] })).toThrow(
      /botIds is empty/,
    );
  });
});
