import {
  AESCipher,
  adaptDefault,
  Client,
  EventDispatcher,
  LoggerLevel,
  normalize,
  normalizeCardAction,
  type RawCardActionEvent,
  type RawMessageEvent,
} from '@larksuiteoapi/node-sdk';
import { describe, expect, it } from 'vitest';
import { CALL, SESSION } from '../../fixtures/adapter-session.js';
import { encrypt, signedRequest } from '../../fixtures/lark/deliver.js';
import { FAKE } from '../../fixtures/lark/fake-lark.js';
import { serve } from '../../helpers/serve.js';
import { setUp } from './support.js';

const loggerLevel = LoggerLevel.error;

describe("Lark's own SDK", () => {
  it('sends the same requests as the adapter, and understands the answers of the fake', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    await adapter.find(SESSION, CALL);
    await adapter.catchUp?.(ref, SESSION.requestedAt, CALL);
    await adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, CALL);
    await adapter.check(CALL);
    await adapter.agentName?.(FAKE.agent, CALL);
    const compared = (from: number) =>
      fake.requests.slice(from).map(({ method, path, query, json, headers }) => ({
        route: `${method} ${path.replace(ref.externalId, ':id').replace(FAKE.chat, ':chat').replace(FAKE.agent, ':agent')}`,
        query: Object.fromEntries(query),
        json,
        authorization: headers.authorization,
      }));
    const ours = compared(0);
    expect(ours.map(({ route }) => route.replace('/open-apis', ''))).toEqual([
      'POST /auth/v3/tenant_access_token/internal',
      'POST /im/v1/messages',
      'POST /im/v1/messages/:id/reply',
      'GET /im/v1/messages',
      'GET /im/v1/messages',
      'GET /im/v1/messages',
      'POST /im/v1/messages/:id/reply',
      'POST /im/v1/messages/:id/reply',
      'GET /im/v1/messages/:id',
      'PATCH /im/v1/messages/:id',
      'GET /bot/v3/info',
      'GET /im/v1/chats/:chat',
      'GET /im/v1/messages',
      'GET /contact/v3/users/:agent',
    ]);

    const client = new Client({
      appId: FAKE.appId,
      appSecret: FAKE.appSecret,
      domain: fake.url,
      loggerLevel,
    });
    const { message, chat } = client.im;
    const before = fake.requests.length;
    const path = { message_id: ref.externalId };
    const dataOf = (index: number) => ours[index]?.json ?? {};
    const queryOf = (index: number) => ours[index]?.query ?? {};
    type Create = NonNullable<Parameters<typeof message.create>[0]>;
    type Reply = NonNullable<Parameters<typeof message.reply>[0]>;
    type List = NonNullable<Parameters<typeof message.list>[0]>;
    type Patch = NonNullable<Parameters<typeof message.patch>[0]>;
    const replyTo = (index: number) => message.reply({ path, data: dataOf(index) as Reply['data'] });
    const list = (index: number) => message.list({ params: queryOf(index) as unknown as List['params'] });
    const created = await message.create({
      params: queryOf(1) as Create['params'],
      data: dataOf(1) as Create['data'],
    });
    const started = await replyTo(2);
    const listed = await list(3);
    const thread = await list(4);
    await list(5);
    await replyTo(6);
    await replyTo(7);
    const got = await message.get({ path, params: queryOf(8) });
    const patched = await message.patch({ path, data: dataOf(9) as Patch['data'] });
    const info = await client.request<{ bot: { open_id: string } }>({
      method: 'GET',
      url: '/open-apis/bot/v3/info',
    });
    const group = await chat.get({ path: { chat_id: FAKE.chat } });
    await list(12);
    const member = await client.contact.user.get({
      path: { user_id: FAKE.agent },
      params: queryOf(13),
    });
    expect(compared(before)).toEqual(ours);

    // The same uuid as before.
    expect(created.data?.message_id).toBe(ref.externalId);
    expect(started.data?.thread_id).toBe(ref.extra.thread);
    expect(listed.data?.items?.map(({ message_id }) => message_id)).toEqual([ref.externalId]);
    expect(thread.data?.items).toHaveLength(4);
    expect(got.data?.items?.[0]?.message_id).toBe(ref.externalId);
    expect(patched.code).toBe(0);
    expect(info.bot.open_id).toBe(FAKE.bot);
    expect(group.data?.name).toBe('Support');
    expect(member.data?.user?.name).toBe('Ann');
  });

  it('decrypts and verifies the requests of the fake, and answers its challenge', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open();
    const received: RawMessageEvent[] = [];
    const clicks: RawCardActionEvent[] = [];
    const { encryptKey, verificationToken } = FAKE;
    const dispatcher = new EventDispatcher({ encryptKey, verificationToken, loggerLevel }).register({
      'im.message.receive_v1': (event) => void received.push(event as RawMessageEvent),
      'card.action.trigger': (event: RawCardActionEvent) => {
        clicks.push(event);
        return { toast: { type: 'info', content: 'Seen' } };
      },
    });
    const handle = adaptDefault('/events', dispatcher, { autoChallenge: true });
    const { url } = await serve((request, response) => void handle(request, response));
    fake.delivery.url = `${url}/events`;

    const mentions = [{ key: '@_user_1', openId: FAKE.colleague, name: 'Ben' }];
    fake.agent.write(externalId, 'Ask @_user_1 please', { mentions });
    const answer = await fake.agent.press(externalId, 'claim');
    await fake.delivery.settled();
    expect(JSON.parse(answer ?? '')).toEqual({ toast: { type: 'info', content: 'Seen' } });
    const [event] = received;
    const [click] = clicks;
    if (!event || !click) throw new Error('the SDK refused a request');
    const botIdentity = { openId: FAKE.bot, name: 'Handoff' };
    expect(await normalize(event, { botIdentity })).toMatchObject({
      chatId: FAKE.chat,
      rootId: externalId,
      senderId: FAKE.agent,
      content: 'Ask @Ben please',
    });
    expect(normalizeCardAction(click)).toMatchObject({
      messageId: externalId,
      chatId: FAKE.chat,
      operator: { openId: FAKE.agent },
      action: { value: { handoff: 'claim' } },
    });

    const challenge = { type: 'url_verification', challenge: 'x1', token: verificationToken };
    const { headers, body } = signedRequest(challenge, encryptKey);
    const challenged = await fetch(`${url}/events`, { method: 'POST', headers, body });
    expect(await challenged.json()).toEqual({ challenge: 'x1' });
    expect(JSON.parse(new AESCipher(encryptKey).decrypt(encrypt(challenge, encryptKey)))).toEqual(challenge);
  });
});
