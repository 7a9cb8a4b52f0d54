import { describe, expect, it } from 'vitest';
import { createPlatformClient, type PlatformClient } from '../../../src/public/client.js';
import { PlatformError } from '../../../src/public/index.js';
import { deferred } from '../../helpers/deferred.js';
import { type Conducts, flakyPlatform } from '../../helpers/fake-platform.js';
import { AN_HOUR, type Engine, eventually, stage } from './stage.js';

/** Replies that the platform refuses, and replies whose outcome is unknown. */
export function refusals(engine: Engine): void {
  const FINE = { status: 200 } as const;
  /** Treats the first call differently. */
  const firstOnly =
    (conduct: Awaited<ReturnType<Conducts>>): Conducts =>
    (_call, nth) =>
      nth === 1 ? conduct : FINE;

  describe('a reply that the platform refuses for good', () => {
    it('becomes a dead letter, is reported, and later replies are sent', async () => {
      const platform = await flakyPlatform(firstOnly({ status: 404, code: 40_412 }));
      const to = await (await stage(engine)).receive(platform.options);
      const receipts = await Promise.all(['refused', 'later'].map((text) => to.reply('c', text)));
      await expect(receipts[0]?.delivered()).rejects.toBeInstanceOf(PlatformError);
      await receipts[1]?.delivered();
      expect(platform.said('c')).toEqual(['refused', 'later']);
      expect(to.reports).toMatchObject([
        { error: { code: 'PLATFORM_REFUSED' }, conversationId: 'c', attempt: 1 },
      ]);
      expect(to.logged.about('sending a reply failed')).toMatchObject([{ conversationId: 'c' }]);
      const dead = await to.queues.list('outbox', { state: 'dead' });
      expect(dead).toMatchObject([{ what: 'reply', attempts: 1, error: expect.stringContaining('refused') }]);
      expect(await to.queues.show('outbox', dead[0]?.id ?? '')).toMatchObject({
        content: { kind: 'reply', text: 'refused' },
      });
    });

    it('is sent when an operator retries it, and removed when an operator discards it', async () => {
      const platform = await flakyPlatform(() => ({ status: 400 }));
      const to = await (await stage(engine)).receive(platform.options);
      for (const text of ['one', 'two']) await to.reply('c', text);
      await eventually(async () =>
        expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0, dead: 2 }),
      );
      platform.behave();
      const [one, two] = await to.queues.list('outbox', { state: 'dead' });
      expect(await to.queues.discard('outbox', one?.id ?? '')).toBe(true);
      expect(await to.queues.retry('outbox', two?.id ?? '')).toBe(true);
      await eventually(() => expect(platform.said('c')).toEqual(['one', 'two', 'two']));
      await eventually(async () =>
        expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0, dead: 0 }),
      );
    });
  });

  describe('a reply to a conversation that the platform does not know', () => {
    const UNKNOWN = { status: 404, code: 40_356 } as const;

    it('is sent again: the platform may still read the answer to the handoff request', async () => {
      const platform = await flakyPlatform((_call, nth) => (nth <= 3 ? UNKNOWN : FINE));
      const to = await (await stage(engine)).receive(platform.options);
      const [first, second] = await Promise.all(['Hello', 'Again'].map((text) => to.reply('c', text)));
      await first?.delivered();
      await second?.delivered();
      expect(platform.said('c')).toEqual(['Hello', 'Hello', 'Hello', 'Hello', 'Again']);
    });

    it('becomes a dead letter after the fourth attempt', async () => {
      const platform = await flakyPlatform(() => UNKNOWN);
      const to = await (await stage(engine)).receive(platform.options);
      const receipt = await to.reply('c', 'Hello');
      await expect(receipt.delivered()).rejects.toMatchObject({ platformCode: 40_356 });
      expect(platform.said('c')).toHaveLength(4);
    });
  });

  describe.each([
    ['the API key', { status: 401 }, 'PLATFORM_AUTH_FAILED'],
    ['the request without a reason', { status: 403 }, 'PLATFORM_AUTH_FAILED'],
    [
      'the address with a redirect',
      { status: 308, headers: { location: 'http://127.0.0.1/' } },
      'PLATFORM_REFUSED',
    ],
  ] as const)('a platform that refuses %s', (_what, refusal, code) => {
    it('pauses the outbox; everything is sent in order once it accepts replies', async () => {
      const platform = await flakyPlatform(() => refusal);
      // While paused, one reply is tried after each delay.
      const outbox = { minDelayMs: 400, maxDelayMs: 400 };
      const to = await (await stage(engine)).receive(platform.options, { concurrency: 4, outbox });
      const conversations = Array.from({ length: 40 }, (_, index) => `c-${index}`);
      const receipts = await Promise.all(
        conversations.flatMap((id) => ['one', 'two'].map((text) => to.reply(id, text))),
      );
      await to.logged.until('replies are paused');
      expect(to.delivery.isOutboxPaused?.()).toBe(true);
      expect(to.reports).toMatchObject([{ error: { code } }]);
      expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 80, dead: 0 });
      // One per slot, and one after each delay: most conversations were not tried.
      expect(platform.calls.length).toBeLessThan(40);
      platform.behave();
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      for (const id of conversations) expect(platform.said(id).slice(-2)).toEqual(['one', 'two']);
      expect(to.delivery.isOutboxPaused?.()).toBe(false);
      expect(to.logged.about('accepts replies again')).toHaveLength(1);
    });
  });

  it('a reply that waits alone outlasts any outage of the API key', async () => {
    const platform = await flakyPlatform((_call, nth) => (nth <= 8 ? { status: 401 } : FINE));
    const outbox = { minDelayMs: 1, maxDelayMs: 1 };
    const to = await (await stage(engine)).receive(platform.options, { outbox });
    await (await to.reply('c', 'Hello')).delivered();
    expect(platform.said('c')).toHaveLength(9);
    await eventually(async () =>
      expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
  });

  it('the pause of an outbox ends with a reply that is refused for another reason than the API key', async () => {
    const platform = await flakyPlatform((_call, nth) => ({ status: nth === 1 ? 401 : 400 }));
    const outbox = { minDelayMs: 1, maxDelayMs: 1 };
    const to = await (await stage(engine)).receive(platform.options, { outbox });
    const receipt = await to.reply('c', 'Hello');
    await expect(receipt.delivered()).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
    expect(to.logged.about('replies are paused')).toHaveLength(1);
    expect(to.delivery.isOutboxPaused?.()).toBe(false);
  });

  describe('a single reply that the platform refuses with 403, while it accepts others', () => {
    it('becomes a dead letter, after others were accepted between its attempts', async () => {
      const platform = await flakyPlatform(({ text }) => ({ status: text === 'refused' ? 403 : 200 }));
      const outbox = { minDelayMs: 1, maxDelayMs: 1 };
      const to = await (await stage(engine)).receive(platform.options, { outbox });
      const refused = await to.reply('c', 'refused');
      const rejected = expect(refused.delivered()).rejects.toMatchObject({ code: 'PLATFORM_AUTH_FAILED' });
      for (let others = 0; (await to.queues.depth('outbox')).dead === 0; others += 1) {
        await (await to.reply(`other-${others}`, 'fine')).delivered();
      }
      await rejected;
      expect(platform.said('c').length).toBeGreaterThanOrEqual(3);
    });
  });

  it('a platform that asks for a delay of decades gets the reply by the usual backoff', async () => {
    const inDecades = { status: 429, headers: { 'retry-after': '1900000000' } };
    const platform = await flakyPlatform((_call, nth) => (nth <= 2 ? inDecades : { status: 200 }));
    const to = await (await stage(engine)).receive(platform.options, {
      outbox: { minDelayMs: 1, maxDelayMs: 1 },
    });
    await (await to.reply('c', 'waits')).delivered();
  });

  describe('a platform that asks for a delay of a day', () => {
    it('gets the reply after an hour at most, or when an operator retries it', async () => {
      const tomorrow = { status: 429, headers: { 'retry-after': '86400' } };
      const platform = await flakyPlatform(() => tomorrow);
      const to = await (await stage(engine)).receive(platform.options);
      const receipt = await to.reply('c', 'waits');
      await eventually(async () =>
        expect(await to.queues.list('outbox')).toMatchObject([{ state: 'waiting', attempts: 1 }]),
      );
      const { database } = to.delivery;
      const due = await database?.read(`SELECT due_at FROM ${database.table('head')}`);
      expect(Number(due?.[0]?.due_at)).toBeLessThan(Date.now() + 2 * AN_HOUR);
      platform.behave();
      const [waiting] = await to.queues.list('outbox');
      expect(await to.queues.retry('outbox', waiting?.id ?? '')).toBe(true);
      await receipt.delivered();
      await eventually(async () => expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0 }));
      expect(await to.queues.retry('outbox', waiting?.id ?? '')).toBe(false);
    });
  });

  type Platform = Awaited<ReturnType<typeof flakyPlatform>>;

  /**
   * A client whose first call reaches the platform but loses the answer. Only that call's timeout is short, so other
   * calls need not be answered in a certain time.
   */
  const losingFirstAnswer = ({ options }: Platform): PlatformClient => {
    const arrived = deferred();
    let requests = 0;
    const client = createPlatformClient({
      ...options,
      fetch: async (url, init) => {
        requests += 1;
        if (requests > 1) {
          await arrived.promise;
          return fetch(url, init);
        }
        const { signal: _timeout, ...withoutTimeout } = init;
        await fetch(url, withoutTimeout);
        arrived.resolve();
        return deferred<Response>().promise;
      },
    });
    let calls = 0;
    return {
      ...client,
      reply(reply) {
        calls += 1;
        return client.reply(reply, { timeoutMs: calls === 1 ? 20 : AN_HOUR });
      },
    };
  };

  describe.each([
    ['the connection breaks', firstOnly('hang up'), ({ options }: Platform) => options],
    ['the platform answers 500', firstOnly({ status: 500 }), ({ options }: Platform) => options],
    ['no answer arrives in time', () => FINE, losingFirstAnswer],
  ] as const)('a reply whose outcome is unknown because %s', (_why, conduct, toClient) => {
    it('is sent again if the policy is to resend', async () => {
      const platform = await flakyPlatform(conduct);
      const to = await (await stage(engine)).receive(toClient(platform), {
        outbox: { whenUnknown: 'resend' },
      });
      const receipts = await Promise.all(['1', '2'].map((text) => to.reply('c', text)));
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      expect(platform.said('c')).toEqual(['1', '1', '2']);
      expect(to.reports).toEqual([]);
    });

    it('becomes a dead letter if the policy says so, and later replies are sent', async () => {
      const platform = await flakyPlatform(conduct);
      const to = await (await stage(engine)).receive(toClient(platform), {
        outbox: { whenUnknown: 'dead-letter' },
      });
      const receipts = await Promise.all(['1', '2'].map((text) => to.reply('c', text)));
      await expect(receipts[0]?.delivered()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await receipts[1]?.delivered();
      expect(platform.said('c')).toEqual(['1', '2']);
      expect(to.reports).toMatchObject([{ error: { code: 'OUTCOME_UNKNOWN' }, conversationId: 'c' }]);
      await eventually(async () => expect(await to.queues.depth('outbox')).toMatchObject({ dead: 1 }));
    });
  });

  it('a reply is sent again after a 503, whatever the policy', async () => {
    const platform = await flakyPlatform(firstOnly({ status: 503 }));
    const to = await (await stage(engine)).receive(platform.options, {
      outbox: { whenUnknown: 'dead-letter' },
    });
    await (await to.reply('c', '1')).delivered();
    expect(platform.said('c')).toEqual(['1', '1']);
    expect(to.reports).toEqual([]);
  });

  describe('a reply that was being sent when its process stopped', () => {
    const stopWhileSending = async () => {
      const set = await stage(engine);
      const called = deferred();
      const platform = await flakyPlatform(() => {
        called.resolve();
        return 'silence';
      });
      const before = await set.receive(platform.options);
      for (const text of ['1', '2']) await before.reply('c', text);
      await called.promise;
      expect(await before.stop(1)).toEqual({ unfinished: 1 });
      platform.behave();
      return { set, platform };
    };

    it('is sent again if the policy is to resend', async () => {
      const { set, platform } = await stopWhileSending();
      await (await set.receive(platform.options, { outbox: { whenUnknown: 'resend' } })).start();
      await eventually(() => expect(platform.said('c')).toEqual(['1', '1', '2']));
    });

    it('becomes a dead letter if the policy says so', async () => {
      const { set, platform } = await stopWhileSending();
      const after = await set.receive(platform.options, { outbox: { whenUnknown: 'dead-letter' } });
      await after.start();
      await eventually(() => expect(platform.said('c')).toEqual(['1', '2']));
      expect(after.reports).toMatchObject([{ error: { code: 'OUTCOME_UNKNOWN' }, conversationId: 'c' }]);
      expect(await after.queues.depth('outbox')).toMatchObject({ dead: 1 });
    });
  });
}
