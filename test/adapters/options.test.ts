import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import { expect, it } from 'vitest';
import { chatSdk } from '../../src/adapters/chat-sdk/index.js';
import { chatwoot } from '../../src/adapters/chatwoot/index.js';
import { email } from '../../src/adapters/email/index.js';
import { intercom } from '../../src/adapters/intercom/index.js';
import { lark } from '../../src/adapters/lark/index.js';
import { livechat } from '../../src/adapters/livechat/index.js';
import { requestTracker } from '../../src/adapters/request-tracker/index.js';
import { slack } from '../../src/adapters/slack/index.js';
import { zendesk } from '../../src/adapters/zendesk/index.js';
import { zohoSalesIq } from '../../src/adapters/zoho-salesiq/index.js';
import { createBridge } from '../../src/bridge/index.js';
import { createDesk } from '../../src/desk/index.js';
import { createReceiver, noAuth } from '../../src/receiver/index.js';
import { asAdapter } from '../fixtures/chat-platforms/fake-platform.js';

const chat = new Chat({
  userName: 'handoff',
  adapters: { slack: asAdapter(createSlackAdapter({ botToken: 'xoxb-1', signingSecret: 's' })) },
  state: createMemoryState(),
  logger: 'silent',
  concurrency: 'concurrent',
});
const receiver = createReceiver({ auth: { message: false, handoff: noAuth() }, log: false });
const lastly = { webhookSecret: 'a long enough secret' };
const slackSettings = { botToken: 'xoxb-1', signingSecret: 's', channel: 'C0123456789' };
const oauth = { clientId: 'a', clientSecret: 'b', refreshToken: 'c' };
const publicKey =
  'MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ==';

/** Each factory with settings that it takes, by its folder. */
const ADAPTERS: Readonly<Record<string, (more: object) => unknown>> = {
  'chat-sdk': (more) => chatSdk({ chat, channel: 'slack:C0123456789', ...more }),
  chatwoot: (more) => chatwoot({ url: 'http://127.0.0.1:9', inbox: 'abc', ...lastly, ...more }),
  email: (more) =>
    email({
      smtpUrl: 'smtp://127.0.0.1:9',
      imapUrl: 'imap://user:word@127.0.0.1:9',
      address: 'handoff@example.com',
      team: 'team@example.com',
      agents: ['ann@example.com'],
      trustedServer: null,
      ...more,
    }),
  intercom: (more) => intercom({ accessToken: 'a', clientSecret: 'b', ...more }),
  lark: (more) =>
    lark({
      appId: 'cli_a',
      appSecret: 'b',
      encryptKey: 'a long enough secret',
      verificationToken: 'another long secret',
      chat: 'oc_1',
      ...more,
    }),
  livechat: (more) => livechat({ ...oauth, ...lastly, ...more }),
  'request-tracker': (more) =>
    requestTracker({
      url: 'http://127.0.0.1:9',
      token: `1-31-${'a'.repeat(32)}`,
      queue: 'Handoffs',
      ...more,
    }),
  slack: (more) => slack({ ...slackSettings, ...more }),
  zendesk: (more) =>
    zendesk({ apiUrl: 'http://127.0.0.1:9', appId: 'a', keyId: 'b', keySecret: 'c', ...lastly, ...more }),
  'zoho-salesiq': (more) =>
    zohoSalesIq({ screenName: 'a', appId: 'b', departmentId: '1', ...oauth, publicKey, ...more }),
};

const OTHERS: Readonly<Record<string, (more: object) => unknown>> = {
  createReceiver: (more) =>
    createReceiver({ auth: { message: false, handoff: noAuth() }, log: false, ...more }),
  createBridge: (more) => createBridge({ receiver, adapter: slack(slackSettings), log: false, ...more }),
  createDesk: (more) => createDesk({ receiver, agents: 'stored', log: false, ...more }),
};

it('covers every adapter', () => {
  const folders = readdirSync(join(import.meta.dirname, '../../src/adapters'));
  expect(Object.keys(ADAPTERS)).toEqual(folders.sort());
});

for (const [name, create] of Object.entries(ADAPTERS)) {
  it(`${name} takes its settings`, () => expect(() => create({})).not.toThrow());

  it(`${name} refuses an unknown setting`, () => {
    expect(() => create({ colour: 'red' })).toThrow('does not know the option colour. It knows ');
  });
}

it.each(Object.entries(OTHERS))('%s refuses an unknown option', (_, create) => {
  expect(() => create({ colour: 'red' })).toThrow('does not know the option colour. It knows ');
});
