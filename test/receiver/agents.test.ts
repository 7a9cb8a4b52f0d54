import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { HandlerContexts } from '../../src/events/index.js';
import {
  type AgentOptions,
  basic,
  bearer,
  createReceiver,
  type FailureReport,
  noAuth,
  pathToken,
  type SeveralAgentsOptions,
  webhookUser,
} from '../../src/index.js';
import { agentMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader } from '../helpers/credentials.js';
import { fakeService } from '../helpers/fake-service.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';

const SALES_TOKEN = 'token-of-the-sales-agent';
const SUPPORT_TOKEN = 'token-of-the-support-agent';

const SALES: AgentOptions = {
  auth: { message: webhookUser({ username: 'sales-hook', secret: 's1' }), handoff: pathToken(SALES_TOKEN) },
};
const SUPPORT: AgentOptions = {
  auth: { message: webhookUser({ username: 'support-hook' }), handoff: pathToken(SUPPORT_TOKEN) },
};
const AS_SALES = basicHeader('sales-hook', 's1');
const AS_SUPPORT = 'Bearer support-hook';

type Seen = HandlerContexts[keyof HandlerContexts];

/** A served receiver with several agents that records its events. */
async function start(
  agents: SeveralAgentsOptions['agents'] = { sales: SALES, support: SUPPORT },
  options: Partial<Omit<SeveralAgentsOptions, 'agents'>> = {},
) {
  const logged = logLines();
  const seen: Seen[] = [];
  const receiver = createReceiver({ agents, log: logged.log, ...options });
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
  return { receiver, seen, logged, url, post, agents: () => seen.map(({ agent }) => agent) };
}

describe('the agent of a request', () => {
  it('is known by its credentials', async () => {
    const { post, seen } = await start();
    expect((await post('/', agentMessageBody({ conversation_id: 'c' }), AS_SALES)).status).toBe(200);
    expect((await post('/', agentMessageBody({ conversation_id: 'c' }), AS_SUPPORT)).status).toBe(200);
    expect(seen).toMatchObject([
      { agent: 'sales', conversationId: 'sales/c', payload: { conversation_id: 'c' } },
      { agent: 'support', conversationId: 'support/c', payload: { conversation_id: 'c' } },
    ]);
  });

  it('is known by its path token', async () => {
    const { post, agents } = await start();
    expect((await post(`/${SALES_TOKEN}/chat`, chatBody())).status).toBe(200);
    expect((await post(`/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(200);
    expect(agents()).toEqual(['sales', 'support']);
  });

  it('is known by its path segment, also in front of a token, and needs its credentials there too', async () => {
    const { post, agents } = await start();
    expect((await post('/sales', agentMessageBody(), AS_SALES)).status).toBe(200);
    expect((await post(`/support/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(200);
    expect(agents()).toEqual(['sales', 'support']);
    expect((await post('/sales', agentMessageBody())).status).toBe(401);
    expect((await post('/sales/chat', chatBody())).status).toBe(401);
  });

  it('is not another than that of the path', async () => {
    const { post, seen } = await start();
    expect((await post('/sales', agentMessageBody(), AS_SUPPORT)).status).toBe(401);
    expect((await post(`/sales/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(401);
    expect(seen).toEqual([]);
  });

  it('is known only by its path where it has no credentials, and those of another are refused there', async () => {
    const open = { auth: { message: noAuth(), handoff: () => true } };
    const { post, agents } = await start({ open, support: SUPPORT });
    expect((await post('/', agentMessageBody())).status).toBe(401);
    expect((await post('/chat', chatBody())).status).toBe(401);
    expect((await post('/open', agentMessageBody())).status).toBe(200);
    expect((await post('/open/chat', chatBody())).status).toBe(200);
    expect(agents()).toEqual(['open', 'open']);
    expect((await post('/open', agentMessageBody(), AS_SUPPORT)).status).toBe(401);
    expect((await post('/', agentMessageBody(), AS_SUPPORT)).status).toBe(200);
  });

  it('has only the endpoints of that agent', async () => {
    const messages = { auth: { message: bearer('a'), handoff: false as const } };
    const handoffs = { auth: { message: false as const, handoff: bearer('b') } };
    const { post, agents } = await start({ messages, handoffs });
    expect((await post('/', agentMessageBody(), 'Bearer a')).status).toBe(200);
    expect((await post('/chat', chatBody(), 'Bearer b')).status).toBe(200);
    expect((await post('/', agentMessageBody(), 'Bearer b')).status).toBe(404);
    expect((await post('/chat', chatBody(), 'Bearer a')).status).toBe(401);
    expect((await post('/messages/chat', chatBody(), 'Bearer a')).status).toBe(404);
    expect(agents()).toEqual(['messages', 'handoffs']);
  });

  it('is found below a base path, with a challenge of each scheme where it is not', async () => {
    const other = { auth: { message: basic({ username: 'u', password: 'p' }), handoff: false as const } };
    const { post, agents } = await start({ support: SUPPORT, other }, { basePath: '/hooks' });
    const refused = await post('/hooks', agentMessageBody(), 'Bearer nobody');
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="handoff-kit", Basic realm="handoff-kit"');
    expect((await post('/hooks/support', agentMessageBody(), AS_SUPPORT)).status).toBe(200);
    expect((await post(`/hooks/support/${SUPPORT_TOKEN}/chat/`, chatBody())).status).toBe(200);
    expect((await post('/support', agentMessageBody(), AS_SUPPORT)).status).toBe(404);
    expect(agents()).toEqual(['support', 'support']);
  });

  it('may have several secrets', async () => {
    const rotated = { auth: { message: [bearer('old'), bearer('new')], handoff: false as const } };
    const { post, agents } = await start({ rotated, support: SUPPORT });
    for (const token of ['old', 'new', 'support-hook']) {
      expect((await post('/', agentMessageBody(), `Bearer ${token}`)).status).toBe(200);
    }
    expect(agents()).toEqual(['rotated', 'rotated', 'support']);
  });
});

describe('a probe', () => {
  const probe = { istest: true };

  it('is let in at the root with the credentials of any agent, and below its name', async () => {
    const { post, agents, seen } = await start();
    expect((await post('/', probe, AS_SALES)).status).toBe(200);
    expect((await post(`/${SUPPORT_TOKEN}`, probe)).status).toBe(200);
    expect((await post('/support', probe, AS_SUPPORT)).status).toBe(200);
    expect((await post(`/sales/${SALES_TOKEN}`, probe)).status).toBe(200);
    expect((await post('/', probe)).status).toBe(401);
    await expect.poll(() => seen.length).toBe(4);
    expect(agents()).toEqual(['sales', 'support', 'support', 'sales']);
  });

  it('has no agent where it needs no credentials and the path names none', async () => {
    const { post, agents, seen } = await start(undefined, { probes: { auth: 'none' } });
    expect((await post('/', probe)).status).toBe(200);
    expect((await post('/sales', probe)).status).toBe(200);
    expect((await post('/', agentMessageBody())).status).toBe(401);
    await expect.poll(() => seen.length).toBe(2);
    expect(agents()).toEqual([null, 'sales']);
  });
});

describe('two agents with the same ids', () => {
  it('have events, users and conversations of their own', async () => {
    const { post, seen, receiver } = await start();
    const ids = { conversation_id: 'c', user_info: { user_id: 'ann', anonymous_id: null } };
    for (const token of [SALES_TOKEN, SUPPORT_TOKEN, SALES_TOKEN]) {
      expect((await post(`/${token}/conversation/establish`, establishBody(ids))).status).toBe(200);
    }
    const message = agentMessageBody({ conversation_id: 'm', message_id: '1' });
    for (const as of [AS_SALES, AS_SUPPORT]) expect((await post('/', message, as)).status).toBe(200);
    expect(seen).toMatchObject([
      { agent: 'sales', conversationId: 'sales/c', user: { key: 'sales/user:ann', userId: 'ann' } },
      { agent: 'support', conversationId: 'support/c', user: { key: 'support/user:ann', userId: 'ann' } },
      { event: 'message', agent: 'sales' },
      { event: 'message', agent: 'support' },
    ]);
    expect(await receiver.conversations.get('sales/c')).toMatchObject({ agent: 'sales', state: 'waiting' });
    expect(await receiver.conversations.list()).toHaveLength(2);
    expect(await receiver.conversations.get('c')).toBeNull();
  });

  it('get replies with their own key from their own platform, by the id that it knows', async () => {
    const [sales, support] = [await fakeService(), await fakeService()];
    const { receiver, post } = await start({
      sales: { ...SALES, service: { ...sales.options, apiKey: 'key-of-sales' } },
      support: { ...SUPPORT, service: { ...support.options, apiKey: 'key-of-support' } },
    });
    receiver.on('handoff.message', async ({ reply, agent }) => void (await reply(`from ${agent}`)));
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
      code: 'AGENT_NOT_CONFIGURED',
    });
    await expect(receiver.conversations.reply('other/c', 'to whom?')).rejects.toThrow(/no agent "other"/);
    expect([...receiver.services.keys()]).toEqual(['sales', 'support']);
    expect(receiver.service).toBeNull();
  });

  it('keep the ids of the platform where one is named default, unless they look like the other’s', async () => {
    const service = await fakeService();
    const { receiver, post, seen } = await start({
      default: { ...SALES, service: service.options },
      support: SUPPORT,
    });
    for (const id of ['c', 'support/c', 'other/c']) {
      expect((await post(`/${SALES_TOKEN}/chat`, chatBody({ conversation_id: id }))).status).toBe(200);
    }
    expect((await post(`/${SUPPORT_TOKEN}/chat`, chatBody({ conversation_id: 'c' }))).status).toBe(200);
    expect(seen).toMatchObject([
      { agent: 'default', conversationId: 'c' },
      { agent: 'default', conversationId: 'default/support/c' },
      { agent: 'default', conversationId: 'default/other/c' },
      { agent: 'support', conversationId: 'support/c' },
    ]);
    for (const { conversationId } of seen.slice(0, 3) as HandlerContexts['handoff.message'][]) {
      await receiver.conversations.reply(conversationId, 'hello');
    }
    const sentTo = service.calls.map(({ body }) => (body as { conversation_id: string }).conversation_id);
    expect(sentTo).toEqual(['c', 'support/c', 'other/c']);
  });
});

describe('the name of an agent', () => {
  it('is in the contexts of gates, greetings and failures, and in log lines', async () => {
    const greeted: string[] = [];
    const admitted: string[] = [];
    const failures: FailureReport[] = [];
    const { receiver, post, logged } = await start(undefined, {
      greeting({ agent }) {
        greeted.push(agent);
        return null;
      },
    });
    receiver
      .admit(({ agent }) => admitted.push(agent) > 0)
      .on('handoff.requested', ({ log }) => log.warn({}, 'handled'))
      .on('handoff.message', () => {
        throw new Error('no');
      })
      .onError((report) => void failures.push(report));
    await post(`/${SALES_TOKEN}/conversation/establish`, establishBody());
    await expect.poll(() => greeted).toEqual(['sales']);
    expect(admitted).toEqual(['sales']);
    expect(await logged.until('handled')).toMatchObject({ agent: 'sales' });
    expect((await post(`/${SUPPORT_TOKEN}/chat`, chatBody())).status).toBe(500);
    expect(await logged.until('handling an event failed')).toMatchObject({ agent: 'support' });
    await expect.poll(() => failures).toMatchObject([{ agent: 'support' }]);
  });

  it('is `default` where there is one agent', async () => {
    const receiver = createReceiver({ auth: { message: noAuth(), handoff: false }, log: false });
    const agents: string[] = [];
    receiver.on('message', ({ agent }) => void agents.push(agent));
    const { url } = await serve(receiver);
    await request(url).post('/').send(agentMessageBody());
    expect(agents).toEqual(['default']);
    expect([...receiver.services]).toEqual([['default', null]]);
  });
});

describe('agents that cannot be told apart, or named so, are refused', () => {
  const make =
    (agents: unknown, more: object = {}) =>
    () =>
      createReceiver({ agents, log: false, ...more } as SeveralAgentsOptions);
  const withMessage = (message: AgentOptions['auth']['message']) => ({ auth: { message, handoff: false } });

  it.each([
    [
      'the same webhook user',
      make({ a: SALES, b: { ...SUPPORT, auth: { ...SUPPORT.auth, message: SALES.auth.message } } }),
      /the agents a and b have the same credentials in auth\.message/,
    ],
    [
      'the same token, as bearer and as user',
      make({ a: withMessage(bearer('t')), b: withMessage(webhookUser({ username: 't' })) }),
      /the agents a and b/,
    ],
    [
      'one secret of several',
      make({ a: withMessage([bearer('1'), bearer('2')]), b: withMessage([bearer('3'), bearer('2')]) }),
      /the agents a and b/,
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
    ['a name with a slash', make({ 'a/b': SALES }), /the name of an agent must be letters/],
    ['no agents', make({}), /agents names no agent/],
    ['null', make(null), /agents names no agent/],
    ['a misspelt option', make({ a: { ...SALES, srevice: {} } }), /agents\.a has the unknown option srevice/],
    ['agents and auth', make({ a: SALES }, { auth: SUPPORT.auth }), /either agents, or auth and service/],
    ['no credentials', make({ a: {} }), /set agents\.a\.auth\.message to one of/],
  ])('%s', (_what, creating, message) => {
    expect(creating).toThrow(message);
    // Errors are logged: they name agents, and no secrets.
    expect(creating).not.toThrow(/sales-hook|s1\b/);
  });

  it('the same credentials in different groups are no mistake', async () => {
    const { post, agents } = await start({
      a: { auth: { message: bearer('t'), handoff: false } },
      b: { auth: { message: false, handoff: bearer('t') } },
    });
    for (const path of ['/', '/a']) {
      expect((await post(path, agentMessageBody(), 'Bearer t')).status).toBe(200);
    }
    for (const path of ['/chat', '/b/chat']) {
      expect((await post(path, chatBody(), 'Bearer t')).status).toBe(200);
    }
    expect(agents()).toEqual(['a', 'a', 'b', 'b']);
  });
});
