import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { AdmitContext, AdmitGate } from '../../src/index.js';
import { agentMessageBody, chatBody, closeBody, establishBody } from '../fixtures/bodies.js';
import { type Started, start } from '../helpers/start.js';

const establish = (to: Started, body: object = establishBody()) =>
  request(to.url).post('/conversation/establish').send(body);

async function startWith(...gates: AdmitGate[]): Promise<Started> {
  const to = await start();
  for (const gate of gates) to.receiver.admit(gate);
  return to;
}

describe('the admit gate', () => {
  it.each<[string, AdmitGate]>([
    ['true', () => true],
    ['true, later', async () => true],
  ])('accepts a handoff when it returns %s', async (_what, gate) => {
    const to = await startWith(gate);
    expect((await establish(to)).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it.each<[string, AdmitGate, string]>([
    ['false', () => false, 'no human is available'],
    ['false, later', async () => false, 'no human is available'],
    ['a reason', () => 'We are closed until 9:00', 'We are closed until 9:00'],
    ['a reason, later', async () => 'Geschlossen bis 9 Uhr – ☎', 'Geschlossen bis 9 Uhr – ☎'],
    ['an empty reason', () => '', 'no human is available'],
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
    expect([answer.status, answer.body]).toEqual([503, { code: 503, message: 'no human is available' }]);
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
      transcript: [{ from: 'user', text: 'Where is my parcel?' }, { from: 'agent' }],
    });
    expect(seen[0]?.replyBy).toBeInstanceOf(Date);
    for (const name of ['reply', 'close']) expect(seen[0]).not.toHaveProperty(name);
  });

  it('is called for valid handoff requests only', async () => {
    const to = await startWith(() => false);
    expect((await request(to.url).post('/').send(agentMessageBody())).status).toBe(200);
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
  it('must all accept; the first that refuses gives the reason, and later ones are not called', async () => {
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
