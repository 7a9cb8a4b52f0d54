import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/standalone/index.js';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import { chooseAdapter } from '../../src/standalone/settings/settings-schema.js';
import { ENVIRONMENT } from './environment.js';

const SERVICE = { PLATFORM_BASE_URL: 'https://api.example.com', PLATFORM_API_KEY: 'app-key' };
const SLACK = {
  ADAPTER: 'slack',
  SLACK_BOT_TOKEN: 'xoxb-sEcret-1',
  SLACK_SIGNING_SECRET: 'sEcret-2',
  SLACK_CHANNEL: 'C0123456789',
};
const LARK = {
  ADAPTER: 'lark',
  LARK_APP_ID: 'cli_a1',
  LARK_APP_SECRET: 'sEcret-14',
  LARK_ENCRYPT_KEY: 'sEcret-15, sEcret-16',
  LARK_VERIFICATION_TOKEN: 'sEcret-17',
  LARK_CHAT: 'oc_1',
};
const RT = {
  ADAPTER: 'request-tracker',
  RT_URL: 'https://rt.example.com',
  RT_TOKEN: `1-2-${'0a'.repeat(16)}`,
  RT_QUEUE: 'Handoffs',
};
const INTERCOM = {
  ADAPTER: 'intercom',
  INTERCOM_ACCESS_TOKEN: 'sEcret-4',
  INTERCOM_CLIENT_SECRET: 'sEcret-5, sEcret-6',
};
const ZENDESK = {
  ADAPTER: 'zendesk',
  ZENDESK_API_URL: 'https://example.zendesk.com/sc',
  ZENDESK_APP_ID: 'a1',
  ZENDESK_KEY_ID: 'app_1',
  ZENDESK_KEY_SECRET: 'sEcret-7',
  ZENDESK_WEBHOOK_SECRET: 'sEcret-8',
};
const LIVECHAT = {
  ADAPTER: 'livechat',
  LIVECHAT_CLIENT_ID: 'c1',
  LIVECHAT_CLIENT_SECRET: 'sEcret-9',
  LIVECHAT_REFRESH_TOKEN: 'sEcret-10',
  LIVECHAT_WEBHOOK_SECRET: 'sEcret-11',
};
const ZOHO_SALESIQ = {
  ADAPTER: 'zoho-salesiq',
  ZOHO_SALESIQ_SCREEN_NAME: 'example',
  ZOHO_SALESIQ_APP_ID: '1',
  ZOHO_SALESIQ_DEPARTMENT_ID: '2',
  ZOHO_CLIENT_ID: '1000.A',
  ZOHO_CLIENT_SECRET: 'sEcret-12',
  ZOHO_REFRESH_TOKEN: 'sEcret-13',
  ZOHO_SALESIQ_PUBLIC_KEY:
    'MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBALv3d7SVECVjpBIZn/iwiTqAASAkmQS0oUm1k538PFCWOK1Ezd/ihXkSsz4YOZ9DK0YHX07zJEIkZcO1pj+mJY0CAwEAAQ==',
};
const CHATWOOT = {
  ADAPTER: 'chatwoot',
  CHATWOOT_URL: 'https://chat.example.com',
  CHATWOOT_INBOX: 'abc',
  CHATWOOT_WEBHOOK_SECRET: 'sEcret-3',
};

const EMAIL = {
  ADAPTER: 'email',
  MAIL_SMTP_URL: 'smtps://handoff:sEcret-4@mail.example.com',
  MAIL_IMAP_URL: 'imaps://handoff:sEcret-4@mail.example.com',
  MAIL_ADDRESS: 'handoff@example.com',
  MAIL_TEAM: 'support@example.com, sales@example.com',
  MAIL_AGENTS: 'ann@example.com, @example.org',
  MAIL_TRUSTED_SERVER: 'mx.example.com',
};

const EMAIL_OAUTH = {
  ...EMAIL,
  MAIL_SMTP_URL: 'smtp://handoff%40example.com@smtp.office365.com',
  MAIL_IMAP_URL: 'imaps://handoff%40example.com@outlook.office365.com',
  MAIL_OAUTH_TOKEN_URL: 'https://login.microsoftonline.com/tenant/oauth2/v2.0/token',
  MAIL_OAUTH_CLIENT_ID: 'app',
  MAIL_OAUTH_CLIENT_SECRET: 'sEcret-5',
  MAIL_OAUTH_SCOPE: 'https://outlook.office365.com/.default',
};

const settingsOf = async (env: Record<string, string>) =>
  (await readSettings({ env: { ...ENVIRONMENT, ...env } })).settings;

async function complaint(env: Record<string, string>): Promise<string> {
  try {
    await settingsOf(env);
  } catch (error) {
    if (error instanceof SettingsError)
      return error.problems.map(({ setting, message }) => `${setting} ${message}`).join('\n');
    throw error;
  }
  throw new Error('these settings were accepted');
}

describe('the settings of agents', () => {
  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['desk', SERVICE],
    ['none', { ...SERVICE, AUTO_REPLY: 'Hello' }],
    ['none', { ...SERVICE, DATABASE_URL: 'none' }],
    ['none', { ...SERVICE, ADAPTER: 'none' }],
    ['desk', { ...SERVICE, ADAPTER: 'desk', AUTO_REPLY: 'Hello', DATABASE_URL: 'none' }],
    ['slack', { ...SERVICE, ...SLACK }],
    ['lark', { ...SERVICE, ...LARK }],
    ['lark', { ...SERVICE, ...LARK, LARK_DOMAIN: 'https://open.larksuite.com', LARK_NAMES: 'ou_1=Ann' }],
    ['request-tracker', { ...SERVICE, ...RT }],
    ['chatwoot', { ...SERVICE, ...CHATWOOT }],
    ['email', { ...SERVICE, ...EMAIL }],
    ['email', { ...SERVICE, ...EMAIL, MAIL_TRUSTED_SERVER: 'none', MAIL_FOLDER: 'Replies' }],
    ['email', { ...SERVICE, ...EMAIL_OAUTH }],
    ['slack', { ...SERVICE, ...CHATWOOT, ...SLACK }],
    ['intercom', { ...SERVICE, ...INTERCOM }],
    ['zendesk', { ...SERVICE, ...ZENDESK }],
    ['livechat', { ...SERVICE, ...LIVECHAT }],
    ['zoho-salesiq', { ...SERVICE, ...ZOHO_SALESIQ }],
  ])('choose %s with %j', async (name, env) => {
    expect(chooseAdapter(await settingsOf(env))).toBe(name);
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ ADAPTER: 'unknown' }, /^ADAPTER must be one of desk, request-tracker, chatwoot, slack, .* or none\.$/],
    [{ ADAPTER: 'desk' }, /^ADAPTER needs PLATFORM_BASE_URL and PLATFORM_API_KEY/],
    [SLACK, /^ADAPTER needs PLATFORM_BASE_URL and PLATFORM_API_KEY/],
    [
      { ...SERVICE, ADAPTER: 'request-tracker', RT_URL: RT.RT_URL },
      /^RT_TOKEN is missing.*\nRT_QUEUE is missing/,
    ],
    [{ ...SERVICE, ...RT, RT_TOKEN: 'sEcret' }, /^RT_TOKEN must be an auth token/],
    [{ ...SERVICE, ...RT, RT_URL: 'rt.example.com' }, /^RT_URL must be a URL/],
    [{ ...SERVICE, ...RT, RT_WEBHOOK_SECRET: 'sEcret' }, /^RT_WEBHOOK_SECRET .* 16 characters/],
    [{ ...SERVICE, ...CHATWOOT, CHATWOOT_INBOX: 'a/b' }, /^CHATWOOT_INBOX .*Inbox Identifier/],
    [{ ...SERVICE, ...CHATWOOT, CHATWOOT_WEBHOOK_SECRET: 'sEcret,' }, /^CHATWOOT_WEBHOOK_SECRET .*empty/],
    [
      { ...SERVICE, ...INTERCOM, INTERCOM_ACCESS_TOKEN: 'sEcret x', INTERCOM_API_URL: 'eu' },
      /^INTERCOM_ACCESS_TOKEN must not contain white space.*\nINTERCOM_API_URL must be a URL/,
    ],
    [
      { ...SERVICE, ...ZENDESK, ZENDESK_API_URL: 'example', ZENDESK_KEY_SECRET: 'sEcret x' },
      /^ZENDESK_API_URL must be a URL.*\nZENDESK_KEY_SECRET must not contain white space/,
    ],
    [
      { ...SERVICE, ...LIVECHAT, LIVECHAT_REFRESH_TOKEN: 'sEcret x', LIVECHAT_CLIENT_ID: 'a b' },
      /^LIVECHAT_CLIENT_ID must not contain white space.*\nLIVECHAT_REFRESH_TOKEN must not contain/,
    ],
    [
      { ...SERVICE, ...ZOHO_SALESIQ, ZOHO_SALESIQ_APP_ID: 'a/b', ZOHO_SALESIQ_PUBLIC_KEY: 'key' },
      /^ZOHO_SALESIQ_APP_ID must be letters.*\nZOHO_SALESIQ_PUBLIC_KEY must be the public key/,
    ],
    [
      { ...SERVICE, ...LARK, LARK_CHAT: 'Support', LARK_DOMAIN: 'lark', LARK_NAMES: 'Ann' },
      /^LARK_CHAT must be the id of a group chat.*\nLARK_DOMAIN must be a URL.*\nLARK_NAMES must be open ids/,
    ],
    [
      { ...SERVICE, ...SLACK, SLACK_CLOSE_WORDS: 'good bye' },
      /^SLACK_CLOSE_WORDS must be words without spaces/,
    ],
    [
      { ...SERVICE, ...SLACK, SLACK_BOT_TOKEN: 'sEcret', SLACK_CHANNEL: '#help', SLACK_TEAM_URL: 'x' },
      /^SLACK_BOT_TOKEN must be .*\nSLACK_CHANNEL must be .*\nSLACK_TEAM_URL must be /,
    ],
    [
      { ...SERVICE, ...EMAIL, MAIL_SMTP_URL: 'smtp:sEcret' },
      /^MAIL_SMTP_URL must be smtps:\/\/user:password@host/,
    ],
    [
      { ...SERVICE, ...EMAIL, MAIL_IMAP_URL: 'imaps://mail.example.com', MAIL_AGENTS: 'example.com' },
      /^MAIL_IMAP_URL must be imaps:\/\/user:password@host.*\nMAIL_AGENTS must be the addresses/,
    ],
    [
      { ...SERVICE, ...EMAIL, MAIL_REPLY_ADDRESS: 'a@example.com' },
      /^MAIL_REPLY_ADDRESS must be an address with/,
    ],
    [
      { ...SERVICE, ...EMAIL, MAIL_SMTP_URL: 'smtps://a:sEcret@mail.example.com?tls=off' },
      /^ADAPTER email: the only option of smtpUrl is/,
    ],
    [
      { ...SERVICE, ...EMAIL, MAIL_OAUTH_TOKEN_URL: 'login', MAIL_OAUTH_CLIENT_SECRET: 'sEcret x' },
      /^MAIL_OAUTH_TOKEN_URL must be the address of the token endpoint.*\nMAIL_OAUTH_CLIENT_SECRET must not contain/,
    ],
    [
      { ...SERVICE, ...EMAIL, MAIL_OAUTH_SCOPE: 'mail' },
      /^ADAPTER email: oauth is for logins without a password/,
    ],
    [
      { ...SERVICE, ...EMAIL_OAUTH, MAIL_OAUTH_TOKEN_URL: 'http://login.example.com/token' },
      /^ADAPTER email: oauth\.tokenUrl must be the https:/,
    ],
    [{ ...SERVICE, ADAPTER: 'email', MAIL_ADDRESS: 'a@b.example' }, /^MAIL_SMTP_URL is missing/],
    [
      { ...SERVICE, SLACK_CHANNEL: 'C0123456789' },
      /^SLACK_CHANNEL is set, and ADAPTER is not\. Set ADAPTER=slack/,
    ],
    [{ ...SERVICE, OUTSIDE_HOURS: 'Later' }, /^OUTSIDE_HOURS needs BUSINESS_HOURS/],
    [{ BUSINESS_HOURS: 'UTC mon 09:00-17:00' }, /^BUSINESS_HOURS has no effect/],
    [{ ...SERVICE, ADAPTER: 'none', UNAVAILABLE: 'Sorry' }, /^UNAVAILABLE has no effect/],
    [{ ...SERVICE, ADAPTER: 'none', DELAYED: 'Later' }, /^DELAYED has no effect/],
    [
      { ...SERVICE, AUTO_REPLY: 'Hello', BUSINESS_HOURS: 'UTC mon 09:00-17:00' },
      /^BUSINESS_HOURS has no effect/,
    ],
    [{ ...SERVICE, DATABASE_URL: 'none', UNAVAILABLE: 'Sorry' }, /^UNAVAILABLE has no effect/],
    [{ ...SERVICE, BOT_ADAPTERS: 'slack' }, /^BOT_ADAPTERS must be bot ids with helpdesks, such as/],
    [{ ...SERVICE, BOT_ADAPTERS: 'b1=fax' }, /^BOT_ADAPTERS must be bot ids with helpdesks, such as/],
    [{ ...SERVICE, BOT_ADAPTERS: 'b1=desk, b1=desk' }, /^BOT_ADAPTERS names a bot twice/],
    [
      { ...SERVICE, ADAPTER: 'desk', BOT_ADAPTERS: 'b1=desk' },
      /^BOT_ADAPTERS names desk, which is ADAPTER and takes all other bots anyway/,
    ],
    [
      { ...SERVICE, ...SLACK, BOT_ADAPTERS: 'b1=chatwoot' },
      /^CHATWOOT_URL is missing: BOT_ADAPTERS names chatwoot, which needs it/,
    ],
    [{ ADAPTER: 'none', BOT_ADAPTERS: 'b1=desk' }, /^ADAPTER needs PLATFORM_BASE_URL and PLATFORM_API_KEY/],
    [{ ...SERVICE, BUSINESS_HOURS: 'Mars/Base mon 09:00-17:00' }, /^BUSINESS_HOURS the time zone must be/],
    [{ ...SERVICE, BUSINESS_HOURS: 'UTC mon 9-17' }, /^BUSINESS_HOURS mon must hold ranges/],
    [
      { ...SERVICE, BUSINESS_HOURS: 'UTC moonday 09:00-17:00' },
      /^BUSINESS_HOURS has a day that does not exist/,
    ],
    [{ ...SERVICE, BUSINESS_HOURS: 'UTC' }, /^BUSINESS_HOURS must name a time zone, days and hours/],
    [{ WAIT_TIMEOUT: '60' }, /^WAIT_TIMEOUT must be a time/],
    [{ AGENT_NAMES: 'Ann' }, /^AGENT_NAMES must be true or false/],
    [{ MOUNT_PATH: '/Desk' }, /^MOUNT_PATH is taken by the desk/],
    [{ MOUNT_PATH: '/adapters/slack' }, /^MOUNT_PATH is taken by the desk/],
    [{ TRUST_PROXY: '0' }, /^TRUST_PROXY must be false, the number of proxies/],
    [{ TRUST_PROXY: 'my-proxy' }, /^TRUST_PROXY must be false, the number of proxies/],
  ])('are refused with %j', async (env, expected) => {
    const message = await complaint(env);
    expect(message).toMatch(expected);
    expect(message).not.toContain('sEcret');
  });

  it('accept hours across a weekend and several ranges per day', async () => {
    const { businessHours } = await settingsOf({
      ...SERVICE,
      BUSINESS_HOURS: 'Europe/Berlin fri-sun 09:00-12:30 13:30-17:00, mon 10:00-14:00',
    });
    const long = ['09:00-12:30', '13:30-17:00'];
    expect(businessHours).toEqual({
      timeZone: 'Europe/Berlin',
      open: { fri: long, sat: long, sun: long, mon: ['10:00-14:00'] },
    });
  });

  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback, 10.0.0.0/8', ['loopback', '10.0.0.0/8']],
  ])('accept the proxy %s', async (text, read) => {
    expect((await settingsOf({ TRUST_PROXY: text })).trustProxy).toEqual(read);
  });
});
