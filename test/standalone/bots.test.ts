import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/standalone/index.js';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { serveInProcess } from './in-process.js';
import { addressOf, post } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: object): string {
  const path = join(folder, 'handoff.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const SALES = {
  webhookUsername: 'sales-hook',
  handoffToken: 'token-of-the-sales-bot',
  platformApiKey: 'key-of-sales',
};
const SUPPORT = {
  WEBHOOK_USERNAME: 'support-hook',
  WEBHOOK_SECRET: 'secret',
  HANDOFF_AUTH: 'webhook',
  PLATFORM_BASE_URL: 'https://other.example',
  PLATFORM_API_KEY: 'key-of-support',
};

async function problemsOf(content: object, env: Record<string, string> = {}): Promise<string> {
  try {
    await readSettings({ configFile: fileWith(content), env });
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('this file was accepted');
}

describe('a config file with bots', () => {
  it('gives each its own settings, and those that all share', async () => {
    const { bots, settings } = await readSettings({
      configFile: fileWith({ port: 8_080, bots: { sales: SALES, support: SUPPORT } }),
      env: { PLATFORM_BASE_URL: 'https://platform.example' },
    });
    expect(settings.port).toBe(8_080);
    expect([...bots.keys()]).toEqual(['sales', 'support']);
    expect(bots.get('sales')).toMatchObject({
      port: 8_080,
      webhookUsername: 'sales-hook',
      platformBaseUrl: 'https://platform.example',
      platformApiKey: 'key-of-sales',
    });
    expect(bots.get('support')).toMatchObject({
      webhookUsername: 'support-hook',
      webhookSecret: 'secret',
      handoffAuth: 'webhook',
      platformBaseUrl: 'https://other.example',
    });
  });

  it.each<[string, object, RegExp]>([
    ['bots that are no object', { bots: ['sales'] }, /bots +must name each bot/],
    ['a missing setting', { bots: { sales: {} } }, /bots\.sales\.WEBHOOK_USERNAME +is missing/],
    [
      'a wrong setting',
      { bots: { sales: { ...SALES, handoffAuth: 'telepathy' } } },
      /bots\.sales\.HANDOFF_AUTH +must be one of.*handoff\.json/,
    ],
    [
      'a setting that all bots share',
      { bots: { sales: { ...SALES, port: 1 } } },
      /bots\.sales\.port +is not a setting\..*webhookUsername/,
    ],
    [
      'a setting of one bot for all',
      { webhookSecret: 's', bots: { sales: SALES } },
      /WEBHOOK_SECRET +belongs to one bot/,
    ],
    [
      'equal credentials',
      { bots: { sales: SALES, support: { ...SALES, webhookUsername: 'other' } } },
      /bots +cannot be used: the bots sales and support have the same credentials/,
    ],
    ['a name that is an endpoint', { bots: { chat: SALES } }, /cannot be named chat/],
    ['a common mistake once', { port: 'x', bots: { sales: SALES, support: SUPPORT } }, /one thing is wrong/],
  ])('is refused with %s', async (_what, content, expected) => {
    const message = await problemsOf(content, { PLATFORM_BASE_URL: 'https://platform.example' });
    expect(message).toMatch(expected);
    expect(message).not.toMatch(/token-of-the-sales-bot|key-of-sales/);
  });

  it('is served: bots are told by credentials or by name, and metrics and output tell which', async () => {
    const platform = await fakePlatform();
    const configFile = fileWith({
      port: 0,
      databaseUrl: 'none',
      autoReply: 'You said {text}',
      platformBaseUrl: platform.options.baseUrl,
      bots: { sales: SALES, support: { ...SUPPORT, PLATFORM_BASE_URL: platform.options.baseUrl } },
    });
    const program = serveInProcess(['--config', configFile, '--json']);
    const url = await addressOf(program);
    const base = `${url}/webhook`;
    const asSales = { authorization: 'Bearer sales-hook' };
    expect((await post(base, botMessageBody(), asSales)).status).toBe(200);
    expect((await post(`${base}/support`, botMessageBody(), asSales)).status).toBe(401);
    const chat = chatBody({ conversation_id: 'c', body: 'Hi' });
    expect((await post(`${base}/sales/token-of-the-sales-bot/chat`, chat)).status).toBe(200);
    expect(platform.calls).toMatchObject([
      { authorization: 'Bearer key-of-sales', body: { conversation_id: 'c', body: 'You said Hi' } },
    ]);
    await program.until(/"bot":"sales","conversationId":"sales\/c"/);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(
      /handoff_kit_events_total\{event="handoff.message",outcome="handled",bot="sales"\} 1/,
    );
    expect(metrics).toMatch(/handoff_kit_requests_total\{endpoint="chat",status="200"\} 1/);
    expect(metrics).toMatch(/handoff_kit_requests_total\{endpoint="message",status="401"\} 1/);
  });
});
