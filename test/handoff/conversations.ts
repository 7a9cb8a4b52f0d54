import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeliveredEvent } from '../../src/events/index.js';
import type { HandoffStore } from '../../src/handoff/index.js';
import {
  type Conversation,
  createReceiver,
  type Delivery,
  inline,
  noAuth,
  type Receiver,
  type ReceiverOptions,
} from '../../src/public/index.js';
import { createTestBench, type TestBench } from '../../src/testing/index.js';
import { eventually, notes } from '../delivery/contract/stage.js';
import type { Engine } from '../delivery/contract.js';
import { deferred } from '../helpers/deferred.js';
import { logLines } from '../helpers/log-lines.js';

interface Bench {
  readonly bench: TestBench;
  readonly receiver: Receiver;
  readonly delivery: Delivery;
  readonly logged: ReturnType<typeof logLines>;
  /** Resolves once the conversation matches. */
  readonly becomes: (expected: object) => Promise<unknown>;
}

/** A test's configuration besides the engine. */
export interface Setup extends Partial<ReceiverOptions> {
  readonly register?: (receiver: Receiver) => unknown;
  /** Wraps the conversation store. */
  readonly wrapStore?: (store: HandoffStore | undefined) => HandoffStore | undefined;
}

/** A receiver with its own engine, on a bench. */
export async function benchWith(
  engine: Engine,
  { register, wrapStore, ...options }: Setup = {},
): Promise<Bench> {
  const store = await engine.createStore();
  const delivery = await store.open({ backoff: { minDelayMs: 1, maxDelayMs: 20 } });
  const handoffs = wrapStore ? wrapStore(delivery.handoffs) : delivery.handoffs;
  const logged = logLines();
  const made: Receiver[] = [];
  const bench = await createTestBench({
    receiver: (given) => {
      const receiver = createReceiver({
        ...given,
        log: logged.log,
        delivery: { ...delivery, ...(handoffs && { handoffs }) },
        unhandled: 'accept',
        ...options,
      });
      register?.(receiver);
      made.push(receiver);
      return receiver;
    },
    simulator: { deliveryTimeoutMs: 20_000 },
    replyTimeoutMs: 20_000,
  });
  onTestFinished(async () => {
    await bench.close();
    await store.remove();
  });
  const [receiver] = made;
  if (!receiver) throw new Error('the bench made no receiver');
  await receiver.start();
  return {
    bench,
    receiver,
    delivery,
    logged,
    becomes: (expected) =>
      eventually(async () =>
        expect(await receiver.conversations.get(bench.conversation.id)).toMatchObject(expected),
      ),
  };
}

/** `receiver.conversations`, with every kind of delivery. */
export function describeConversations(name: string, engine: Engine): void {
  describe(`receiver.conversations with ${name}`, () => {
    it('has a conversation as soon as it is requested: user, transcript and reply deadline', async () => {
      const { bench, receiver, becomes } = await benchWith(engine, { waitTimeoutMs: 90_000 });
      const before = Date.now();
      const { id } = await bench.requestHandoff({
        user: { userId: 'ada', email: 'ada@example.com' },
        transcript: [{ text: 'a human, please', message_type: 'QUESTION' }],
      });
      await becomes({ state: 'waiting' });
      const conversation = (await receiver.conversations.get(id)) as Conversation;
      expect(conversation).toMatchObject({
        id,
        session: 1,
        user: { key: 'user:ada', email: 'ada@example.com' },
        transcript: [{ from: 'user', text: 'a human, please' }],
        firstReplyAt: null,
        closure: null,
      });
      expect(conversation.replyBy.getTime() - conversation.requestedAt.getTime()).toBe(90_000);
      expect(conversation.requestedAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(await receiver.conversations.get('another')).toBeNull();
      expect(await receiver.conversations.list({ states: ['waiting'] })).toEqual([conversation]);
      expect(await receiver.conversations.list({ states: ['connected'] })).toEqual([]);
    });

    it('connects a conversation with an agent’s first reply, and not with a greeting', async () => {
      const { bench, receiver, becomes } = await benchWith(engine, {
        greeting: 'One moment',
        register: (made) => made.on('handoff.message', ({ payload, reply }) => reply(payload.body)),
      });
      const first = await bench.requestHandoff();
      expect(await bench.nextReply()).toMatchObject({ text: 'One moment' });
      await becomes({ state: 'waiting', firstReplyAt: expect.any(Date) as Date });
      await receiver.conversations.reply(first.id, 'Still looking', { by: 'system' });
      expect(await receiver.conversations.get(first.id)).toMatchObject({
        state: 'waiting',
        agentName: null,
      });
      await receiver.conversations.reply(first.id, 'Hello', { agentName: 'Bo' });
      expect(await receiver.conversations.get(first.id)).toMatchObject({
        state: 'connected',
        agentName: 'Bo',
      });

      await bench.requestHandoff();
      await bench.say('echo');
      await becomes({ state: 'connected' });
    });

    it('closes a conversation that the user left, after its handlers have run', async () => {
      const states: unknown[] = [];
      const { bench, becomes } = await benchWith(engine, {
        register: (made) =>
          made.on('handoff.closed', async ({ conversationId }) => {
            states.push((await made.conversations.get(conversationId))?.state);
          }),
      });
      await bench.requestHandoff();
      await bench.closeByUser();
      await becomes({ state: 'closed', closure: { by: 'user', reason: 'USER_CLOSED' } });
      expect(states).toEqual(['closing']);
    });

    it('closes a conversation that no agent answered in time', async () => {
      const { bench, becomes } = await benchWith(engine);
      await bench.requestHandoff();
      await becomes({ state: 'waiting' });
      bench.clock.advance(60_000);
      await becomes({ state: 'closed', closure: { by: 'timeout', reason: 'TIMEOUT' } });
    });

    it('records who closed a conversation on this side, and why', async () => {
      const { bench, receiver, becomes } = await benchWith(engine, {
        register: (made) => made.on('handoff.message', ({ end }) => end()),
      });
      await bench.requestHandoff();
      await bench.say('bye');
      await becomes({ state: 'closed', closure: { by: 'agent', reason: null } });

      const second = await bench.requestHandoff();
      await becomes({ state: 'waiting' });
      await receiver.conversations.end(second.id, { by: 'system', reason: 'out of hours' });
      await becomes({ state: 'closed', closure: { by: 'system', reason: 'out of hours' } });
      await eventually(() => expect(second).toMatchObject({ state: 'closed', endedBy: 'agent' }));
    });

    it('sends one close to the platform, and none for a conversation that the platform closed', async () => {
      const { bench, receiver, becomes } = await benchWith(engine);
      const closes = () =>
        bench.simulator.traffic
          .exchanges()
          .filter(({ url, direction }) => direction === 'received' && url.endsWith('/v1/human/close'))
          .map(({ body }) => (JSON.parse(body ?? '{}') as { conversation_id?: string }).conversation_id);
      const first = await bench.requestHandoff();
      await becomes({ state: 'waiting' });
      await receiver.conversations.end(first.id);
      await receiver.conversations.end(first.id);
      await eventually(() => expect(first.state).toBe('closed'));

      const second = await bench.requestHandoff();
      await bench.closeByUser();
      await becomes({ state: 'closed' });
      const receipt = await receiver.conversations.end(second.id, { by: 'system', once: 'bye' });
      expect(await receipt.delivered()).toBeNull();
      expect(await receiver.conversations.get(second.id)).toMatchObject({ closure: { by: 'user' } });

      const third = await bench.requestHandoff();
      await becomes({ state: 'waiting' });
      await (await receiver.conversations.end(third.id)).delivered();
      expect(closes()).toEqual([first.id, third.id]);
    });

    it('keeps the order of replies that the handler does not await', async () => {
      const { bench } = await benchWith(engine, {
        register: (made) =>
          made.on('handoff.message', ({ reply, end }) => {
            void reply('one');
            void end();
            void reply('too late');
          }),
      });
      const conversation = await bench.requestHandoff();
      await bench.say('hi');
      const came = () =>
        bench.simulator.traffic
          .exchanges()
          .filter(({ direction, answer }) => direction === 'received' && answer)
          .map(({ body }) => (JSON.parse(body ?? '{}') as { body?: string }).body ?? 'close');
      await eventually(() => expect(came()).toEqual(['one', 'close', 'too late']));
      expect(conversation.replies.map(({ text }) => text)).toEqual(['one']);
    });

    it('ignores a late close notice from an earlier session', async () => {
      const { bench, receiver, delivery, becomes } = await benchWith(engine);
      await bench.requestHandoff({ conversationId: 'c' });
      await becomes({ state: 'waiting' });
      const { requestedAt } = (await receiver.conversations.get('c')) as Conversation;
      const closed = (receivedAt: number) => closedEvent('c', receivedAt);
      await delivery.accept(closed(requestedAt.getTime() - 1));
      await eventually(async () => expect(await delivery.stats()).toMatchObject({ pending: 0 }));
      expect(await receiver.conversations.get('c')).toMatchObject({ state: 'waiting', closure: null });
      await delivery.accept(closed(requestedAt.getTime()));
      await becomes({ state: 'closed' });
    });

    it('starts a new session when the same id is requested after its close', async () => {
      const { bench, becomes } = await benchWith(engine);
      const conversationId = 'again';
      await bench.requestHandoff({ conversationId, user: { userId: 'ada' } });
      await becomes({ state: 'waiting', session: 1 });
      await bench.closeByUser();
      await becomes({ state: 'closed' });
      bench.clock.advance(1_000);
      await bench.requestHandoff({ conversationId, user: { userId: 'ada' } });
      await becomes({ state: 'waiting', session: 2, closure: null });
    });

    describe.each([
      ['without timestamps', {}],
      ['with 0 for a timestamp', { timestamp: 0 }],
    ])('%s', (_name, time) => {
      const requested = {
        ...time,
        conversation_id: 'c',
        body: [{ text: 'a human, please', message_type: 'QUESTION' }],
      };
      const closed = { ...time, conversation_id: 'c', type: 'USER_CLOSED' };
      const setUp = async (setup: Setup = {}) => {
        const seen = notes<string>();
        const { receiver } = await benchWith(engine, {
          auth: { message: noAuth(), handoff: noAuth() },
          ...setup,
          register(made) {
            made.onAny(({ event }) => seen.add(event));
            setup.register?.(made);
          },
        });
        const send = async (path: string, body: object): Promise<void> => {
          await request(receiver).post(path).send(body).expect(200);
        };
        return {
          seen,
          receiver,
          establish: (body: object = requested) => send('/conversation/establish', body),
          close: () => send('/conversation/close', closed),
          chat: (text: string) => send('/chat', { ...time, conversation_id: 'c', body: text }),
        };
      };

      it('hands the same conversation over again after each close, and handles repeats once', async () => {
        const { seen, receiver, establish, close } = await setUp();
        const expected: string[] = [];
        for (let session = 1; session <= 3; session += 1) {
          for (let copy = 0; copy < 2; copy += 1) await establish();
          for (let copy = 0; copy < 2; copy += 1) await close();
          expected.push('handoff.requested', 'handoff.closed');
          expect(await seen.until(expected.length)).toEqual(expected);
          await eventually(async () =>
            expect(await receiver.conversations.get('c')).toMatchObject({ session, state: 'closed' }),
          );
        }
      });

      it('hands it over again while the close waits for its turn, and handles repeats once', async () => {
        const held = deferred();
        const { seen, receiver, establish, close, chat } = await setUp({
          register: (made) => made.on('handoff.message', () => held.promise),
          ...(!engine.stores && { delivery: inline({ ackDeadlineMs: 1 }) }),
        });
        await establish();
        await chat('hello');
        for (let copy = 0; copy < 2; copy += 1) await close();
        for (let copy = 0; copy < 2; copy += 1) await establish();
        await close();
        await establish();
        held.resolve();
        const again = ['handoff.closed', 'handoff.requested'];
        await chat('bye');
        const expected = ['handoff.requested', 'handoff.message', ...again, ...again, 'handoff.message'];
        expect(await seen.until(expected.length)).toEqual(expected);
        expect(await receiver.conversations.get('c')).toMatchObject({ session: 3, state: 'waiting' });
      });

      it('hands it over again after an agent ended it', async () => {
        const { seen, receiver, establish } = await setUp();
        await establish();
        await seen.until(1);
        await receiver.conversations.lifecycle.end('c', 'agent');
        await establish();
        expect(await seen.until(2)).toEqual(['handoff.requested', 'handoff.requested']);
      });

      it('handles a different request, although no close arrived', async () => {
        const { seen, establish } = await setUp();
        await establish();
        await establish({ ...requested, body: 'still waiting' });
        expect(await seen.until(2)).toEqual(['handoff.requested', 'handoff.requested']);
      });
    });

    it('does not change a conversation whose request is repeated', async () => {
      const { bench, receiver, becomes } = await benchWith(engine);
      bench.faults.set('duplicate', { copies: 3, on: ['establish'] });
      const { id } = await bench.requestHandoff();
      await becomes({ state: 'waiting' });
      await bench.idle();
      expect(await receiver.conversations.get(id)).toMatchObject({ session: 1, version: 2 });
    });

    it('passes replies to an unknown conversation to the platform unchanged', async () => {
      const { bench, receiver } = await benchWith(engine);
      const told = async (): Promise<unknown> =>
        (await receiver.conversations.reply('unknown', 'hello')).delivered();
      await expect(told()).rejects.toThrow(/40356/);
      expect(await receiver.conversations.list()).toEqual([]);
      expect(bench.replies).toEqual([]);
    });
  });
}

/** A notice that the user closed the conversation. */
const closedEvent = (conversationId: string, receivedAt: number): DeliveredEvent<'handoff.closed'> => ({
  name: 'handoff.closed',
  bot: 'default',
  key: `closed ${receivedAt}`,
  conversationId,
  body: { conversation_id: conversationId, timestamp: receivedAt, type: 'USER_CLOSED' },
  receivedAt,
  requestId: 'request',
});
