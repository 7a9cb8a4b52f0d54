import { describe, expect, it } from 'vitest';
import {
  createReceiver,
  noAuth,
  Postponed,
  type ReceiverOptions,
  webhookUser,
} from '../../src/public/index.js';
import { logLines } from '../helpers/log-lines.js';

const make = (options: Partial<ReceiverOptions> = {}) =>
  createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false, ...options });

const DONE = { outcome: 'handled', replies: [], ended: false, error: null };

describe('inject', () => {
  it('runs an event through middleware and handlers, and returns the replies', async () => {
    const receiver = make();
    const steps: string[] = [];
    receiver.use(async ({ event }, next) => {
      steps.push(`before ${event}`);
      await next();
      steps.push('after');
    });
    receiver.on('handoff.message', async ({ text, reply, end }) => {
      const receipt = await reply(`You said: ${text}`);
      await receipt.delivered();
      await reply('A robot', { by: 'system' });
      await end();
    });
    expect(await receiver.inject('handoff.message', { body: 'Hi' })).toEqual({
      ...DONE,
      replies: [{ text: 'You said: Hi' }, { text: 'A robot', by: 'system' }],
      ended: true,
    });
    expect(steps).toEqual(['before handoff.message', 'after']);
  });

  it.each(['message', 'handoff.requested', 'handoff.message', 'handoff.closed'] as const)(
    'has a default for every field of %s',
    async (name) => {
      const receiver = make();
      const seen: unknown[] = [];
      receiver.on(name, (context) => {
        seen.push(context.payload, context.conversationId);
      });
      expect(await receiver.inject(name)).toEqual(DONE);
      expect(seen).toEqual([expect.objectContaining({ conversation_id: seen[1] }), expect.any(String)]);
    },
  );

  it('takes parts of a payload in wire format, and handlers get all fields', async () => {
    const receiver = make();
    const seen: unknown[] = [];
    receiver.on('message', ({ text, payload }) => seen.push(text, payload.usage.tokens.total_tokens));
    await receiver.inject('message', {
      output: [{ content: { text: 'Two days.' } }],
      usage: { tokens: { total_tokens: 7 } },
    });
    expect(seen).toEqual(['Two days.', 7]);
  });

  it('knows the user of a conversation that was injected before', async () => {
    const receiver = make();
    const seen: unknown[] = [];
    receiver.on('handoff.requested', ({ reply }) => reply('Hello'));
    receiver.on('handoff.message', async ({ user, conversation }) => {
      seen.push(user.userId, (await conversation())?.state);
    });
    await receiver.inject('handoff.requested', { user_info: { user_id: 'u-7' } });
    await receiver.inject('handoff.message');
    expect(seen).toEqual(['u-7', 'connected']);
  });

  it('waits for replies that a handler does not await', async () => {
    const receiver = make();
    receiver.on('handoff.message', ({ reply }) => {
      void reply('one');
      void reply('two');
    });
    const { replies } = await receiver.inject('handoff.message');
    expect(replies).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it("returns a handler's error and earlier replies, and calls onError", async () => {
    const error = new Error('no such order');
    const reported: unknown[] = [];
    const receiver = make({ log: logLines().log });
    receiver.onError((report) => reported.push(report.error));
    receiver.on('handoff.message', async ({ reply }) => {
      await reply('One moment');
      throw error;
    });
    expect(await receiver.inject('handoff.message')).toEqual({
      ...DONE,
      outcome: 'failed',
      replies: [{ text: 'One moment' }],
      error,
    });
    expect(reported).toEqual([error]);
  });

  it('reports a postponement, and does not try again', async () => {
    let calls = 0;
    const postponed = new Postponed('the CRM is down', { retryAfterMs: 1 });
    const receiver = make().on('message', () => {
      calls += 1;
      throw postponed;
    });
    expect(await receiver.inject('message')).toEqual({ ...DONE, outcome: 'postponed', error: postponed });
    expect(calls).toBe(1);
  });

  it('reports a skipped event, and an event without a handler', async () => {
    const receiver = make().use((_context, next) => next.skip('not today'));
    receiver.on('message', () => undefined);
    expect(await receiver.inject('message')).toEqual({ ...DONE, outcome: 'skipped' });
    expect(await receiver.inject('handoff.message')).toEqual({ ...DONE, outcome: 'unhandled' });
  });

  it('needs neither credentials nor an address, and bypasses the delivery', async () => {
    const touched: string[] = [];
    const receiver = make({
      auth: { message: webhookUser({ username: 'acme', secret: 'secret' }), handoff: false },
      delivery: {
        connect: () => undefined,
        start: async () => void touched.push('start'),
        seen: async () => Boolean(touched.push('seen')),
        accept: async () => (touched.push('accept') > 0 ? 'stored' : 'full'),
        stop: async () => ({ unfinished: 0 }),
        stats: async () => ({ pending: 0, remembered: 0 }),
        createReplies: () => ({
          reply: () => Promise.reject(new Error('sent')),
          greet: () => Promise.reject(new Error('sent')),
          end: () => Promise.reject(new Error('sent')),
          idle: async () => undefined,
        }),
      },
    });
    receiver.on('handoff.message', ({ reply }) => reply('Hi'));
    expect(await receiver.inject('handoff.message')).toMatchObject({ replies: [{ text: 'Hi' }] });
    expect(touched).toEqual([]);
  });

  it("takes the event's bot, by default the first", async () => {
    const auth = { message: noAuth(), handoff: false } as const;
    const several = createReceiver({
      bots: {
        sales: { auth: { ...auth, message: webhookUser({ username: 'sales' }) } },
        support: { auth: { ...auth, message: webhookUser({ username: 'support' }) } },
      },
      log: false,
    });
    const seen: unknown[] = [];
    several.on('message', ({ bot, conversationId }) => seen.push([bot, conversationId]));
    await several.inject('message');
    await several.inject('message', { conversation_id: 'c-1' }, { bot: 'support' });
    expect(seen).toEqual([
      ['sales', 'sales/conversation-1'],
      ['support', 'support/c-1'],
    ]);
    await expect(several.inject('message', {}, { bot: 'other' })).rejects.toMatchObject({
      code: 'BOT_NOT_CONFIGURED',
    });
  });

  it('rejects where a request would be refused', async () => {
    const receiver = make().on('handoff.message', () => undefined);
    await expect(receiver.inject('handoff.message', { body: { text: 1 } as never })).rejects.toMatchObject({
      code: 'INVALID_BODY',
    });
    await expect(receiver.inject('probe' as never)).rejects.toMatchObject({ code: 'UNKNOWN_EVENT' });
  });
});
