import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { botMessageBody, chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';
import { LEVEL } from '../helpers/log-lines.js';
import { sendRaw } from '../helpers/raw.js';
import { type Started, start } from '../helpers/start.js';

const PATHS = {
  message: ['/', botMessageBody],
  establish: ['/conversation/establish', establishBody],
  chat: ['/chat', chatBody],
  close: ['/conversation/close', closeBody],
} as const;

type Endpoint = keyof typeof PATHS;

const send = (to: Started, endpoint: Endpoint, fields: WireBody) => {
  const [path, make] = PATHS[endpoint];
  return request(to.url).post(path).send(make(fields));
};

const sendText = (to: Started, endpoint: Endpoint, body: string) =>
  sendRaw(to.port, { path: PATHS[endpoint][0], headers: [['Content-Type', 'application/json']], body });

describe('a body that differs from the contract is accepted', () => {
  it.each<[Endpoint, WireBody, object]>([
    ['establish', { email: 5, bot_id: 6 }, { payload: { email: '5', bot_id: '6' } }],
    ['establish', { email: null, bot_id: null, timestamp: null }, { sentAt: null }],
    ['establish', { user_info: [] }, { user: { userId: null, anonymousId: null } }],
    ['establish', { user_info: '' }, { user: { userId: null, anonymousId: null } }],
    ['establish', { user_info: [{ user_id: 7, phone: 8 }] }, { user: { key: 'user:7', phone: '8' } }],
    ['establish', { body: 'Help' }, { text: 'Help', transcript: [{ from: 'other', text: 'Help' }] }],
    ['establish', { body: { text: 'Help', message_type: 'QUESTION' } }, { text: 'Help' }],
    [
      'establish',
      { body: ['Help', null, { text: 5, message_type: 'QUESTION' }, { text: null }] },
      {
        text: '5',
        transcript: [
          { from: 'other', text: 'Help' },
          { from: 'other', text: '' },
          { from: 'user', text: '5' },
          { from: 'other', text: '' },
        ],
      },
    ],
    [
      'establish',
      { body: [{ text: ['One', { text: 'Two' }], message_type: 'QUESTION' }] },
      { transcript: [{ from: 'user', text: 'One\nTwo' }] },
    ],
    ['establish', { timestamp: '' }, { sentAt: null }],
    ['establish', { timestamp: 'today' }, { sentAt: null }],
    ['chat', { body: null }, { text: '' }],
    ['chat', { body: undefined }, { text: '' }],
    ['chat', { body: 42 }, { text: '42' }],
    ['chat', { timestamp: '' }, { sentAt: null }],
    ['chat', { timestamp: 1_742_265_090_895_123 }, { sentAt: new Date(1_742_265_090_895) }],
    ['chat', { timestamp: '1742265090895123456' }, { sentAt: new Date(1_742_265_090_895) }],
    ['close', { type: 3, timestamp: '' }, { payload: { type: '3' }, sentAt: null }],
    ['close', { type: {} }, { payload: { type: null } }],
    ['message', { output: 'Hello' }, { text: 'Hello' }],
    ['message', { output: { content: { text: 'Hello' } } }, { text: 'Hello' }],
    ['message', { message_id: null }, { payload: { message_id: null } }],
    ['message', { message_id: '' }, { payload: { message_id: null } }],
    ['message', { message_id: undefined }, { payload: { message_id: null } }],
    ['message', { output: [{ content: [{ text: 'One' }, 'Two'] }] }, { text: 'One\nTwo' }],
    ['message', { output: [{ content: { text: ['One', 'Two'] } }] }, { text: 'One\nTwo' }],
    ['message', { output: [{ content: { text: [{ text: 'One' }, 'Two'] } }] }, { text: 'One\nTwo' }],
    ['message', { output: [{ content: { text: { text: 'One' } } }] }, { text: 'One' }],
    ['message', { output: [[{ text: 'One' }, { content: { text: 'Two' } }]] }, { text: 'One\nTwo' }],
    [
      'message',
      { output: [{ text: 'Hello' }, { text: 'again', content: { text: '' } }] },
      { text: 'Hello\nagain' },
    ],
    ['message', { output: [{ text: 'label', content: { text: 'Hello' } }] }, { text: 'Hello' }],
    ['message', { create_time: '', user_id: 5 }, { sentAt: null, payload: { user_id: '5' } }],
  ])('%s with %j', async (endpoint, fields, seen) => {
    const to = await start();
    const answer = await send(to, endpoint, fields);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('success')]);
    expect(to.seen).toMatchObject([seen]);
  });
});

describe('a body that cannot be understood is refused with its path', () => {
  it.each<[Endpoint, WireBody, string]>([
    ['establish', { conversation_id: null }, 'conversation_id'],
    ['establish', { conversation_id: {} }, 'conversation_id'],
    ['chat', { conversation_id: '' }, 'conversation_id'],
    ['chat', { body: ['Hello'] }, 'body'],
    ['chat', { body: { text: 'Hello' } }, 'body'],
    ['close', { conversation_id: true }, 'conversation_id'],
    ['message', { message_id: {} }, 'message_id'],
  ])('%s with %j', async (endpoint, fields, path) => {
    const to = await start();
    const answer = await send(to, endpoint, fields);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`invalid body: ${path}`);
    expect(to.seen).toHaveLength(0);
  });
});

describe('integers above 2^53', () => {
  const ID = '12345678901234567890';

  it.each<[Endpoint, string]>([
    ['message', `{"conversation_id":${ID},"message_id":${ID},"user_id":-${ID},"output":[]}`],
    ['establish', `{"conversation_id": ${ID} ,"user_info":{"user_id":${ID},"anonymous_id":${ID}}}`],
    ['chat', `{"body":"x","conversation_id":${ID}}`],
    ['close', `{"conversation_id":\n${ID}\n}`],
  ])('are exact as ids: %s', async (endpoint, body) => {
    const to = await start();
    expect((await sendText(to, endpoint, body)).status).toBe(200);
    expect(to.seen).toMatchObject([{ conversationId: ID, payload: { conversation_id: ID } }]);
    if (endpoint === 'establish') expect(to.seen).toMatchObject([{ user: { userId: ID, anonymousId: ID } }]);
  });

  it('are exact in unknown fields and raw, and smaller integers stay numbers', async () => {
    const to = await start();
    const words = `\\"x\\": ${ID}, \\\\ [${ID}]`;
    const body = `{"conversation_id":"c","body":"${words}","n":[${ID},9007199254740991,1.5],"timestamp":1742265090895}`;
    await sendText(to, 'chat', body);
    const fields = { n: [ID, Number.MAX_SAFE_INTEGER, 1.5], timestamp: 1_742_265_090_895 };
    expect(to.seen).toMatchObject([{ text: JSON.parse(`"${words}"`), payload: fields, raw: fields }]);
  });

  it('are read as a time in nanoseconds', async () => {
    const to = await start();
    await sendText(to, 'chat', '{"conversation_id":"c","body":"x","timestamp":1742265090895123456}');
    expect(to.seen).toMatchObject([{ sentAt: new Date(1_742_265_090_895) }]);
  });

  it.each([`{${ID}:1}`, `{"conversation_id":"c","body":"x",${ID}:1}`, `{"conversation_id":0${ID}}`])(
    'do not turn %s into JSON',
    async (body) => {
      expect((await sendText(await start(), 'chat', body)).status).toBe(400);
    },
  );
});

describe('a value that does not fit the contract', () => {
  it('is in raw, and is logged once by its path, without the value', async () => {
    const to = await start();
    to.receiver.onAny(({ payload }) => payload);
    const secret = { de: 'private words' };
    const sent: [Endpoint, WireBody][] = [
      ['chat', { timestamp: secret }],
      ['close', { type: secret }],
      ['establish', { user_info: { email: secret, phone: 5 }, body: [{ text: secret }, { text: secret }] }],
      ['message', { output: [{ content: { text: secret } }], usage: { tokens: { total_tokens: 'many' } } }],
    ];
    for (let round = 0; round < 2; round += 1) {
      for (const [endpoint, fields] of sent) expect((await send(to, endpoint, fields)).status).toBe(200);
    }
    expect(to.seen.slice(0, 4)).toMatchObject(sent.map(([, raw]) => ({ raw })));
    expect(to.seen[3]).toMatchObject({ payload: { usage: { tokens: { total_tokens: null } } }, text: '' });
    const warnings = to.logged.about('a value that does not fit the contract');
    expect(warnings.map(({ level, event, field }) => [level, event, field])).toEqual([
      [LEVEL.warn, 'handoff.message', 'timestamp'],
      [LEVEL.warn, 'handoff.closed', 'type'],
      [LEVEL.warn, 'handoff.requested', 'body[].text'],
      [LEVEL.warn, 'handoff.requested', 'user_info.email'],
      [LEVEL.warn, 'message', 'output[].content.text'],
      [LEVEL.warn, 'message', 'usage.tokens.total_tokens'],
    ]);
    expect(to.logged.text()).not.toContain('private words');
  });
});

describe('the deprecated message format (V1)', () => {
  const old = { conversation_id: 'c', message_id: 'm', create_time: 1_679_587_005, output: undefined };

  it.each([
    [{ text: 'Hello', message_type: 'ANSWER', flow_output: [{ content: 'Hello' }] }],
    [{ text: 'Hello' }],
    [{ text: 'Hello', output: null }],
    [{ flow_output: [], output: null }],
    [{ message_type: 'ANSWER', text: null }],
  ])('is refused by name: %j', async (fields) => {
    const to = await start();
    const answer = await send(to, 'message', { ...old, ...fields });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('deprecated message format (V1)'),
    ]);
    expect(to.logged.about('request refused')).toMatchObject([
      { detail: expect.stringContaining('set the bot') as string },
    ]);
  });
});
