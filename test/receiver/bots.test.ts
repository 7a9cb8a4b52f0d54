import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { HandlerContexts } from '../../src/events/index.js';
import {
  type BotOptions,
  basic,
  bearer,
  createReceiver,
  type FailureReport,
  noAuth,
  pathToken,
  type SeveralBotsOptions,
  webhookUser,
} from '../../src/public/index.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader } from '../helpers/credentials.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';

const SALES_TOKEN = 'token-of-the-sales-bot';
const SUPPORT_TOKEN = 'token-of-the-support-bot';

const SALES: BotOptions = {
  auth: { message: webhookUser({ username: 'sales-hook', secret: 's1' }), handoff: pathToken(SALES_TOKEN) },
};
const SUPPORT: BotOptions = {
  auth: { message: webhookUser({ username: 'support-hook' }), handoff: pathToken(SUPPORT_TOKEN) },
};
const AS_SALES = basicHeader('sales-hook', 's1');
const AS_SUPPORT = 'Bearer support-hook';

type Seen = HandlerContexts[keyof HandlerContexts];

/** A served receiver with several bots that records its events. */
async function start(
  bots: SeveralBotsOptions['bots'] = { sales: SALES, support: SUPPORT },
  options: Partial<Omit<SeveralBotsOptions, 'bots'>> = {},
) {
  const logged = logLines();
  const seen: Seen[] = [];
  const receiver = createReceiver({ bots, log: logged.log, ...options });
  for (const name of [
    'message',
    'handoff.requested',
    'handoff.message',
    'handoff.closed',
    'probe',
  ] as const) {
    receiver.on(name, (context) => void seen.push(context));
  }
  const { url } = await serve(receiver);
  const post = (path: string, body: object, authorization?: string) => {
    const posting = request(url).post(path);
    return authorization === undefined ? posting.send(body) : posting.set({ authorization }).send(body);
  };
  return { receiver, seen, logged, url, post, bots: () => seen.map(({ bot }) => bot) };
}

describe('the bot of a request', () => {
  it('is known by its credentials', async () => {
    const { post, seen } = await start();
    expect((await post('/', botMessageBody({ conversation_id: 'c' }), AS_SALES)).status).toBe(200);
    expect((await post('/', botMessageBody({ conversation_id: 'c' }), AS_SUPPORT)).status).toBe(200);
    expect(seen).toMatchObject([
      { bot: 'sales', conversationId: 'sales/c', payload: { conversation_id: 'c' } },
      { bot: 'support', conversationId: 'support/c', payload: { conversation_id: 'c' } },
    ]);
  });

  it('is known by its path token', async () => {
    const { post, bots } = await start();
    expect((await post(`/${SALES_TOKEN}/chat`, chatBody())).status).toBe(200);
    expect((await post(`/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(200);
    expect(bots()).toEqual(['sales', 'support']);
  });

  it('is known by its path segment, even before a token, and still needs its credentials', async () => {
    const { post, bots } = await start();
    expect((await post('/sales', botMessageBody(), AS_SALES)).status).toBe(200);
    expect((await post(`/support/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(200);
    expect(bots()).toEqual(['sales', 'support']);
    expect((await post('/sales', botMessageBody())).status).toBe(401);
    expect((await post('/sales/chat', chatBody())).status).toBe(401);
  });

  it("must match the path's bot", async () => {
    const { post, seen } = await start();
    expect((await post('/sales', botMessageBody(), AS_SUPPORT)).status).toBe(401);
    expect((await post(`/sales/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it("is known only by its path if it has no credentials, and another bot's credentials are refused there", async () => {
    const open = { auth: { message: noAuth(), handoff: () => true } };
    const { post, bots } = await start({ open, support: SUPPORT });
    expect((await post('/', botMessageBody())).status).toBe(401);
    expect((await post('/chat', chatBody())).status).toBe(401);
    expect((await post('/open', botMessageBody())).status).toBe(200);
    expect((await post('/open/chat', chatBody())).status).toBe(200);
    expect(bots()).toEqual(['open', 'open']);
    expect((await post('/open', botMessageBody(), AS_SUPPORT)).status).toBe(401);
    expect((await post('/', botMessageBody(), AS_SUPPORT)).status).toBe(200);
  });

  it('determines the available endpoints', async () => {
    const messages = { auth: { message: bearer('a'), handoff: false as const } };
    const handoffs = { auth: { message: false as const, handoff: bearer('b') } };
    const { post, bots } = await start({ messages, handoffs });
    expect((await post('/', botMessageBody(), 'Bearer a')).status).toBe(200);
    expect((await post('/chat', chatBody(), 'Bearer b')).status).toBe(200);
    expect((await post('/', botMessageBody(), 'Bearer b')).status).toBe(404);
    expect((await post('/chat', chatBody(), 'Bearer a')).status).toBe(401);
    expect((await post('/messages/chat', chatBody(), 'Bearer a')).status).toBe(404);
    expect(bots()).toEqual(['messages', 'handoffs']);
  });

  it('is found below a base path; otherwise each scheme has a challenge', async () => {
    const other = { auth: { message: basic({ username: 'u', password: 'p' }), handoff: false as const } };
    const { post, bots } = await start({ support: SUPPORT, other }, { basePath: '/hooks' });
    const refused = await post('/hooks', botMessageBody(), 'Bearer nobody');
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="handoff-kit", Basic realm="handoff-kit"');
    expect((await post('/hooks/support', botMessageBody(), AS_SUPPORT)).status).toBe(200);
    expect((await post(`/hooks/support/${SUPPORT_TOKEN}/chat/`, chatBody())).status).toBe(200);
    expect((await post('/support', botMessageBody(), AS_SUPPORT)).status).toBe(404);
    expect(bots()).toEqual(['support', 'support']);
  });

  it('may have several secrets', async () => {
    const rotated = { auth: { message: [bearer('old'), bearer('new')], handoff: false as const } };
    const { post, bots } = await start({ rotated, support: SUPPORT });
    for (const token of ['old', 'new', 'support-hook']) {
      expect((await post('/', botMessageBody(), `Bearer ${token}`)).status).toBe(200);
    }
    expect(bots()).toEqual(['rotated', 'rotated', 'support']);
  });
});

describe('a probe', () => {
  const probe = { istest: true };

  it("is accepted at the root with any bot's credentials, and below its name", async () => {
    const { post, bots, seen } = await start();
    expect((await post('/', probe, AS_SALES)).status).toBe(200);
    expect((await post(`/${SUPPORT_TOKEN}`, probe)).status).toBe(200);
    expect((await post('/support', probe, AS_SUPPORT)).status).toBe(200);
    expect((await post(`/sales/${SALES_TOKEN}`, probe)).status).toBe(200);
    expect((await post('/', probe)).status).toBe(401);
    await expect.poll(() => seen.length).toBe(4);
    expect(bots()).toEqual(['sales', 'support', 'support', 'sales']);
  });

  it('has no bot if it needs no credentials and the path names no bot', async () => {
    const { post, bots, seen } = await start(undefined, { probes: { auth: 'none' } });
    expect((await post('/', probe)).status).toBe(200);
    expect((await post('/sales', probe)).status).toBe(200);
    expect((await post('/', botMessageBody())).status).toBe(401);
    await expect.poll(() => seen.length).toBe(2);
    expect(bots()).toEqual([null, 'sales']);
  });
});

describe('two bots with the same ids', () => {
  it('have separate events, users and conversations', async () => {
    const { post, seen, receiver } = await start();
    const ids = { conversation_id: 'c', user_info: { user_id: 'ann', anonymous_id: null } };
    for (const token of [SALES_TOKEN, SUPPORT_TOKEN, SALES_TOKEN]) {
      expect((await post(`/${token}/conversation/establish`, establishBody(ids))).status).toBe(200);
    }
    const message = botMessageBody({ conversation_id: 'm', message_id: '1' });
    for (const as of [AS_SALES, AS_SUPPORT]) expect((await post('/', message, as)).status).toBe(200);
    expect(seen).toMatchObject([
      { bot: 'sales', conversationId: 'sales/c', user: { key: 'sales/user:ann', userId: 'ann' } },
      { bot: 'support', conversationId: 'support/c', user: { key: 'support/user:ann', userId: 'ann' } },
      { event: 'message', bot: 'sales' },
      { event: 'message', bot: 'support' },
    ]);
    expect(await receiver.conversations.get('sales/c')).toMatchObject({ bot: 'sales', state: 'waiting' });
    expect(await receiver.conversations.list()).toHaveLength(2);
    expect(await receiver.conversations.get('c')).toBeNull();
  });

  it("send replies with their own key to their own platform, with the platform's ids", async () => {
    const [sales, support] = [await fakePlatform(), await fakePlatform()];
    const { receiver, post } = await start({
      sales: { ...SALES, platform: { ...sales.options, apiKey: 'key-of-sales' } },
      support: { ...SUPPORT, platform: { ...support.options, apiKey: 'key-of-support' } },
    });
    receiver.on('handoff.message', async ({ reply, bot }) => void (await reply(`from ${bot}`)));
    for (const token of [SALES_TOKEN, SUPPORT_TOKEN]) {
      expect((await post(`/${token}/chat`, chatBody({ conversation_id: 'c' }))).status).toBe(200);
    }
    await receiver.conversations.end('support/c');
    expect(sales.calls).toMatchObject([
      { authorization: 'Bearer key-of-sales', body: { conversation_id: 'c', body: 'from sales' } },
    ]);
    expect(support.calls).toMatchObject([
      { authorization: 'Bearer key-of-support', body: { conversation_id: 'c', body: 'from support' } },
      { authorization: 'Bearer key-of-support', body: { conversation_id: 'c' } },
    ]);
    await expect(receiver.conversations.reply('c', 'to whom?')).rejects.toMatchObject({
      code: 'BOT_NOT_CONFIGURED',
    });
    await expect(receiver.conversations.reply('other/c', 'to whom?')).rejects.toThrow(/no bot "other"/);
    expect([...receiver.platforms.keys()]).toEqual(['sales', 'support']);
  });

  it("keep the platform's ids for the bot named default, unless they look like another bot's", async () => {
    const platform = await fakePlatform();
    const { receiver, post, seen } = await start({
      default: { ...SALES, platform: platform.options },
      support: SUPPORT,
    });
    for (const id of ['c', 'support/c', 'other/c']) {
      expect((await post(`/${SALES_TOKEN}/chat`, chatBody({ conversation_id: id }))).status).toBe(200);
    }
    expect((await post(`/${SUPPORT_TOKEN}/chat`, chatBody({ conversation_id: 'c' }))).status).toBe(200);
    expect(seen).toMatchObject([
      { bot: 'default', conversationId: 'c' },
      { bot: 'default', conversationId: 'default/support/c' },
      { bot: 'default', conversationId: 'default/other/c' },
      { bot: 'support', conversationId: 'support/c' },
    ]);
    for (const { conversationId } of seen.slice(0, 3) as HandlerContexts['handoff.message'][]) {
      await receiver.conversations.reply(conversationId, 'hello');
    }
    const sentTo = platform.calls.map(({ body }) => (body as { conversation_id: string }).conversation_id);
    expect(sentTo).toEqual(['c', 'support/c', 'other/c']);
  });
});

describe('the name of a bot', () => {
  it('is in the contexts of gates, greetings and failures, and in log lines', async () => {
    const greeted: string[] = [];
    const admitted: string[] = [];
    const failures: FailureReport[] = [];
    const platform = await fakePlatform();
    const { receiver, post, logged } = await start(
      { sales: { ...SALES, platform: platform.options }, support: SUPPORT },
      {
        greeting({ bot }) {
          greeted.push(bot);
          return null;
        },
      },
    );
    receiver
      .admit(({ bot }) => admitted.push(bot) > 0)
      .on('handoff.requested', ({ log }) => log.warn({}, 'handled'))
      .on('handoff.message', () => {
        throw new Error('no');
      })
      .onError((report) => void failures.push(report));
    await post(`/${SALES_TOKEN}/conversation/establish`, establishBody());
    await expect.poll(() => greeted).toEqual(['sales']);
    expect(admitted).toEqual(['sales']);
    expect(await logged.until('handled')).toMatchObject({ bot: 'sales' });
    expect((await post(`/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(500);
    expect(await logged.until('handling an event failed')).toMatchObject({ bot: 'support' });
    await expect.poll(() => failures).toMatchObject([{ bot: 'support' }]);
  });

  it('is `default` with one bot', async () => {
    const receiver = createReceiver({ auth: { message: noAuth(), handoff: false }, log: false });
    const bots: string[] = [];
    receiver.on('message', ({ bot }) => void bots.push(bot));
    const { url } = await serve(receiver);
    await request(url).post('/').send(botMessageBody());
    expect(bots).toEqual(['default']);
    expect([...receiver.platforms]).toEqual([['default', null]]);
  });
});

describe('ambiguous bots and invalid names are refused', () => {
  const make =
    (bots: unknown, more: object = {}) =>
    () =>
      createReceiver({ bots, log: false, ...more } as SeveralBotsOptions);
  const withMessage = (message: BotOptions['auth']['message']) => ({ auth: { message, handoff: false } });

  it.each([
    [
      'the same webhook user',
      make({ a: SALES, b: { ...SUPPORT, auth: { ...SUPPORT.auth, message: SALES.auth.message } } }),
      /the bots a and b have the same credentials in auth\.message/,
    ],
    [
      'the same token, as bearer and as user',
      make({ a: withMessage(bearer('t')), b: withMessage(webhookUser({ username: 't' })) }),
      /the bots a and b/,
    ],
    [
      'one shared secret of several',
      make({ a: withMessage([bearer('1'), bearer('2')]), b: withMessage([bearer('3'), bearer('2')]) }),
      /the bots a and b/,
    ],
    [
      'the same path token',
      make({ a: SALES, b: { auth: { message: false, handoff: pathToken(SALES_TOKEN) } } }),
      /auth\.handoff/,
    ],
    ['the name of an endpoint', make({ chat: SALES }), /cannot be named chat/],
    [
      'the name of a moved endpoint',
      make({ in: SALES }, { paths: { message: '/in' } }),
      /cannot be named in/,
    ],
    [
      'the name of a path token',
      make({ [SALES_TOKEN]: SUPPORT, b: SALES }),
      /has the name of a path token of b/,
    ],
    ['a name with a slash', make({ 'a/b': SALES }), /the name of a bot must be letters/],
    ['no bots', make({}), /bots names no bot/],
    ['null', make(null), /bots names no bot/],
    ['a misspelt option', make({ a: { ...SALES, srevice: {} } }), /bots\.a does not know the option srevice/],
    ['bots and auth', make({ a: SALES }, { auth: SUPPORT.auth }), /either bots, or auth and platform/],
    ['no credentials', make({ a: {} }), /set bots\.a\.auth\.message to one of/],
  ])('%s', (_what, creating, message) => {
    expect(creating).toThrow(message);
    // Errors are logged, so they name bots but no secrets.
    expect(creating).not.toThrow(/sales-hook|s1\b/);
  });

  it('accepts the same credentials in different groups', async () => {
    const { post, bots } = await start({
      a: { auth: { message: bearer('t'), handoff: false } },
      b: { auth: { message: false, handoff: bearer('t') } },
    });
    for (const path of ['/', '/a']) {
      expect((await post(path, botMessageBody(), 'Bearer t')).status).toBe(200);
    }
    for (const path of ['/chat', '/b/chat']) {
      expect((await post(path, chatBody(), 'Bearer t')).status).toBe(200);
    }
    expect(bots()).toEqual(['a', 'a', 'b', 'b']);
  });
});
