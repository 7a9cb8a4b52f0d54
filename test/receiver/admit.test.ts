import request from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  type AdmitContext,
  type AdmitGate,
  createReceiver,
  noAuth,
  type Receiver,
  type ReceiverOptions,
} from '../../src/public/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { LEVEL, logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { type Started, start } from '../helpers/start.js';

const establish = (to: Started, body: object = establishBody()) =>
  request(to.url).post('/conversation/establish').send(body);

async function startWith(...gates: AdmitGate[]): Promise<Started> {
  const to = await start();
  for (const gate of gates) to.receiver.admit(gate);
  return to;
}

describe('the admit gate', () => {
  it.each([1, null, undefined, {}])(
    'refuses a handoff, and is reported, when it returns %s',
    async (verdict) => {
      const to = await startWith((() => verdict) as unknown as AdmitGate);
      const errors: unknown[] = [];
      to.receiver.onError(({ error }) => errors.push(error));
      const answer = await establish(to);
      expect([answer.status, answer.body]).toEqual([503, { code: 503, message: 'no agent is available' }]);
      expect(errors).toMatchObject([{ code: 'CONFIG_INVALID' }]);
    },
  );

  it.each<[string, AdmitGate]>([
    ['true', () => true],
    ['true, later', async () => true],
  ])('accepts a handoff when it returns %s', async (_what, gate) => {
    const to = await startWith(gate);
    expect((await establish(to)).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it.each<[string, AdmitGate, string]>([
    ['false', () => false, 'no agent is available'],
    ['false, later', async () => false, 'no agent is available'],
    ['a reason', () => 'We are closed until 9:00', 'We are closed until 9:00'],
    ['a reason, later', async () => 'Geschlossen bis 9 Uhr – ☎', 'Geschlossen bis 9 Uhr – ☎'],
    ['an empty reason', () => '', 'no agent is available'],
  ])('refuses a handoff when it returns %s', async (_what, gate, reason) => {
    const to = await startWith(gate);
    const answer = await establish(to);
    expect([answer.status, answer.body]).toEqual([503, { code: 503, message: reason }]);
    expect(to.seen).toHaveLength(0);
    expect(to.logged.about('request refused')).toMatchObject([
      { status: 503, detail: 'refused by the admit gate' },
    ]);
  });

  it.each<[string, AdmitGate]>([
    [
      'at once',
      () => {
        throw new Error('the calendar is down');
      },
    ],
    ['later', () => Promise.reject(new Error('the calendar is down'))],
  ])('refuses without a reason when it throws %s, and calls onError', async (_when, gate) => {
    const to = await startWith(gate);
    const errors: unknown[] = [];
    to.receiver.onError(({ error, event, conversationId }) =>
      errors.push([String(error), event, conversationId]),
    );
    const answer = await establish(to, establishBody({ conversation_id: 'c-1' }));
    expect([answer.status, answer.body]).toEqual([503, { code: 503, message: 'no agent is available' }]);
    expect(errors).toEqual([['Error: the calendar is down', 'handoff.requested', 'c-1']]);
    expect(to.seen).toHaveLength(0);
  });

  it('gets the user and the transcript, without actions', async () => {
    const seen: AdmitContext[] = [];
    const to = await startWith((context) => {
      seen.push(context);
      return true;
    });
    const body = establishBody({ user_info: { user_id: 'u-1' } });
    await establish(to, body);
    expect(seen[0]).toMatchObject({
      event: 'handoff.requested',
      conversationId: body.conversation_id,
      payload: { bot_id: 'bot-1' },
      user: { key: 'user:u-1' },
      transcript: [{ from: 'user', text: 'Where is my parcel?' }, { from: 'bot' }],
    });
    expect(seen[0]?.replyBy).toBeInstanceOf(Date);
    for (const name of ['reply', 'close']) expect(seen[0]).not.toHaveProperty(name);
  });

  it('is called for valid handoff requests only', async () => {
    const to = await startWith(() => false);
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(200);
    expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(200);
    expect((await request(to.url).post('/conversation/close').send(closeBody())).status).toBe(200);
    expect((await establish(to, { conversation_id: null })).status).toBe(400);
    expect(to.seen).toHaveLength(3);
  });

  it('is called once for a repeated request', async () => {
    let asked = 0;
    const to = await startWith(() => {
      asked += 1;
      return asked === 1;
    });
    const body = establishBody();
    expect((await establish(to, body)).status).toBe(200);
    expect((await establish(to, body)).status).toBe(200);
    expect([asked, to.seen.length]).toEqual([1, 1]);
  });

  it('is called again for a request that was refused', async () => {
    let open = false;
    const to = await startWith(() => open);
    const body = establishBody();
    expect((await establish(to, body)).status).toBe(503);
    open = true;
    expect((await establish(to, body)).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });
});

describe('several gates', () => {
  it('must all accept; the first refusal gives the reason, and later gates are not called', async () => {
    const asked: string[] = [];
    const gate =
      (name: string, verdict: boolean | string): AdmitGate =>
      () => {
        asked.push(name);
        return verdict;
      };
    const open = await startWith(gate('a', true), gate('b', true));
    expect((await establish(open)).status).toBe(200);
    const shut = await startWith(gate('c', true), gate('d', 'no'), gate('e', 'never asked'));
    expect((await establish(shut)).body).toEqual({ code: 503, message: 'no' });
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a handoff request without a handler', () => {
  const createIdle = (options: Partial<ReceiverOptions> = {}) => {
    const logged = logLines();
    const auth = { message: noAuth(), handoff: noAuth() };
    return { receiver: createReceiver({ auth, log: logged.log, ...options }), logged };
  };

  it.each<[string, (receiver: Receiver) => unknown]>([
    ['no handler at all', () => undefined],
    ['handlers for other events', (receiver) => receiver.on('handoff.message', () => {})],
    ['an observer of every event', (receiver) => receiver.onAny(() => {})],
    ['a gate', (receiver) => receiver.admit(() => true)],
    ['no handler, and started', (receiver) => receiver.start()],
  ])('is answered 503, so that the user is told that no agent is free: %s', async (_what, setUp) => {
    const platform = await fakePlatform();
    const { receiver, logged } = createIdle({ platform: platform.options, greeting: 'One moment' });
    await setUp(receiver);
    const { url } = await serve(receiver);
    const answer = await request(url).post('/conversation/establish').send(establishBody());
    expect([answer.status, answer.body]).toEqual([503, { code: 503, message: 'no agent is available' }]);
    const probe = await request(url).post('/conversation/establish').send({ istest: true });
    expect(probe.status).toBe(200);
    expect(logged.about('request refused')).toMatchObject([
      { detail: expect.stringContaining("receiver.on('handoff.requested', …)") },
    ]);
    await receiver.close();
    expect(platform.calls).toEqual([]);
    expect(await receiver.conversations.list()).toEqual([]);
  });

  it('is reported once at the start', async () => {
    const { receiver, logged } = createIdle();
    receiver.on('message', () => {}).on('handoff.message', () => {});
    await receiver.start();
    await receiver.start();
    const [line, ...more] = logged.lines().filter(({ level }) => level >= LEVEL.warn);
    expect(line).toMatchObject({
      level: LEVEL.warn,
      msg: expect.stringMatching(/no handler for handoff\.requested.*503.*unhandled: 'accept'/),
    });
    expect(more).toEqual([]);
  });

  it("is accepted with unhandled: 'accept'", async () => {
    const platform = await fakePlatform();
    const { receiver, logged } = createIdle({
      unhandled: 'accept',
      platform: platform.options,
      greeting: 'One moment',
    });
    receiver.on('message', () => {}).on('handoff.message', () => {});
    await receiver.start();
    const { url } = await serve(receiver);
    const body = establishBody({ conversation_id: 'c-1' });
    expect((await request(url).post('/conversation/establish').send(body)).status).toBe(200);
    await receiver.close();
    expect(platform.calls).toMatchObject([{ body: { conversation_id: 'c-1', body: 'One moment' } }]);
    expect(await receiver.conversations.get('c-1')).toMatchObject({ state: 'waiting' });
    expect(logged.lines().filter(({ level }) => level >= LEVEL.warn)).toEqual([]);
  });
});
