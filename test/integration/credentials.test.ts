import { describe, expect, it } from 'vitest';
import { type AuthChoice, basic, bearer, noAuth, pathToken, webhookUser } from '../../src/public/index.js';
import type { HumanServiceWebhook, MessageWebhook } from '../../src/simulator/index.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { startIntegration } from './integration-setup.js';

type Sent = Pick<HumanServiceWebhook, 'username' | 'secret' | 'headers'>;

const MESSAGE: readonly [string, AuthChoice, Omit<MessageWebhook, 'url'>, RegExp | undefined][] = [
  ['a username as Bearer', webhookUser({ username: USERNAME }), { username: USERNAME }, /^Bearer /],
  [
    'username and secret as Basic',
    webhookUser({ username: USERNAME, secret: SECRET }),
    { username: USERNAME, secret: SECRET },
    /^Basic /,
  ],
  [
    'a secret that is being rotated',
    [
      webhookUser({ username: USERNAME, secret: 'the-new-secret' }),
      webhookUser({ username: USERNAME, secret: SECRET }),
    ],
    { username: USERNAME, secret: SECRET },
    /^Basic /,
  ],
  ['nothing', noAuth(), {}, undefined],
];

const HANDOFF: readonly [string, AuthChoice, string, Sent][] = [
  ['a token in the path', pathToken(PATH_TOKEN), `/${PATH_TOKEN}`, {}],
  ['nothing', noAuth(), '', {}],
  ['Bearer', bearer('the-bearer-token'), '', { username: 'the-bearer-token' }],
  ['Basic', basic({ username: USERNAME, password: SECRET }), '', { username: USERNAME, secret: SECRET }],
  [
    'a custom header',
    ({ headers }) => headers['x-shared-key'] === 'the-shared-key',
    '',
    { headers: { 'X-Shared-Key': 'the-shared-key' } },
  ],
];

describe('the message webhook, called with', () => {
  it.each(MESSAGE)('%s', async (_name, message, sent, header) => {
    const { simulator, receiverUrl, seen, exchangesWith } = await startIntegration({
      receiver: { auth: { message, handoff: noAuth() } },
    });
    simulator.bots.update('bot-1', { message: { url: `${receiverUrl}/`, ...sent } });
    expect(await simulator.botMessage({ text: 'Hello' })).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ event: 'message', text: 'Hello' }]);
    const { authorization } = exchangesWith('/')[0]?.headers ?? {};
    if (header) expect(authorization).toMatch(header);
    else expect(authorization).toBeUndefined();
  });

  it.each(MESSAGE.slice(0, 3))('wrong credentials instead of %s', async (_name, message, sent) => {
    const { simulator, receiverUrl, seen } = await startIntegration({
      receiver: { auth: { message, handoff: noAuth() } },
    });
    simulator.bots.update('bot-1', { message: { url: `${receiverUrl}/`, ...sent } });
    simulator.faults.set('wrongCredentials');
    expect(await simulator.botMessage({ text: 'Hello' })).toMatchObject({
      status: 401,
      body: { code: 401, msg: 'unauthorized' },
    });
    expect(seen).toEqual([]);
  });
});

describe('the handoff endpoints, called with', () => {
  it.each(HANDOFF)('%s', async (_name, handoff, path, sent) => {
    const { simulator, receiverUrl, seen } = await startIntegration({
      receiver: { auth: { message: false, handoff } },
    });
    const desk = { componentId: 'desk', url: receiverUrl + path, ...sent };
    simulator.bots.update('bot-1', { message: undefined, humanServices: [desk] });
    const conversation = await simulator.requestHandoff();
    await conversation.say('hello');
    await conversation.closeByUser();
    expect(conversation.deliveries).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
    expect(seen.map(({ event }) => event)).toEqual([
      'handoff.requested',
      'handoff.message',
      'handoff.closed',
    ]);
  });

  it.each(HANDOFF.slice(2))('wrong credentials instead of %s', async (_name, handoff, path, sent) => {
    const { simulator, receiverUrl, seen } = await startIntegration({
      receiver: { auth: { message: false, handoff } },
    });
    const desk = { componentId: 'desk', url: receiverUrl + path, ...sent };
    simulator.bots.update('bot-1', { message: undefined, humanServices: [desk] });
    simulator.faults.set('wrongCredentials');
    const conversation = await simulator.requestHandoff();
    expect(conversation).toMatchObject({ state: 'busy', deliveries: [{ status: 401 }] });
    expect(seen).toEqual([]);
  });

  it('another token in the path', async () => {
    const { simulator, receiverUrl, seen } = await startIntegration();
    const desk = { componentId: 'desk', url: `${receiverUrl}/another-token-of-this-length` };
    simulator.bots.update('bot-1', { humanServices: [desk] });
    expect(await simulator.requestHandoff()).toMatchObject({ state: 'busy', deliveries: [{ status: 401 }] });
    expect(seen).toEqual([]);
  });
});
