import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/standalone/index.js';
import { readSettings } from '../../src/standalone/read-settings.js';
import { agentMessageBody, chatBody } from '../fixtures/bodies.js';
import { fakeService } from '../helpers/fake-service.js';
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
  handoffToken: 'token-of-the-sales-agent',
  serviceApiKey: 'key-of-sales',
};
const SUPPORT = {
  WEBHOOK_USERNAME: 'support-hook',
  WEBHOOK_SECRET: 'secret',
  HANDOFF_AUTH: 'webhook',
  SERVICE_BASE_URL: 'https://other.example',
  SERVICE_API_KEY: 'key-of-support',
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

describe('a config file with agents', () => {
  it('gives each its own settings, and those that all share', async () => {
    const { agents, settings } = await readSettings({
      configFile: fileWith({ port: 8_080, agents: { sales: SALES, support: SUPPORT } }),
      env: { SERVICE_BASE_URL: 'https://platform.example' },
    });
    expect(settings.port).toBe(8_080);
    expect([...agents.keys()]).toEqual(['sales', 'support']);
    expect(agents.get('sales')).toMatchObject({
      port: 8_080,
      webhookUsername: 'sales-hook',
      serviceBaseUrl: 'https://platform.example',
      serviceApiKey: 'key-of-sales',
    });
    expect(agents.get('support')).toMatchObject({
      webhookUsername: 'support-hook',
      webhookSecret: 'secret',
      handoffAuth: 'webhook',
      serviceBaseUrl: 'https://other.example',
    });
  });

  it.each<[string, object, RegExp]>([
    ['agents that are no object', { agents: ['sales'] }, /agents +must name each agent/],
    ['a missing setting', { agents: { sales: {} } }, /agents\.sales\.WEBHOOK_USERNAME +is missing/],
    [
      'a wrong setting',
      { agents: { sales: { ...SALES, handoffAuth: 'telepathy' } } },
      /agents\.sales\.HANDOFF_AUTH +must be one of.*handoff\.json/,
    ],
    [
      'a setting that all agents share',
      { agents: { sales: { ...SALES, port: 1 } } },
      /agents\.sales\.port +is no setting\..*webhookUsername/,
    ],
    [
      'a setting of one agent for all',
      { webhookSecret: 's', agents: { sales: SALES } },
      /WEBHOOK_SECRET +belongs to one agent/,
    ],
    [
      'equal credentials',
      { agents: { sales: SALES, support: { ...SALES, webhookUsername: 'other' } } },
      /agents +cannot be used: the agents sales and support have the same credentials/,
    ],
    ['a name that is an endpoint', { agents: { chat: SALES } }, /cannot be named chat/],
    [
      'a common mistake once',
      { port: 'x', agents: { sales: SALES, support: SUPPORT } },
      /one thing is wrong/,
    ],
  ])('is refused with %s', async (_what, content, expected) => {
    const message = await problemsOf(content, { SERVICE_BASE_URL: 'https://platform.example' });
    expect(message).toMatch(expected);
    expect(message).not.toMatch(/token-of-the-sales-agent|key-of-sales/);
  });

  it('is served: agents are told by credentials or by name, and metrics and output tell which', async () => {
    const service = await fakeService();
    const configFile = fileWith({
      port: 0,
      databaseUrl: 'none',
      autoReply: 'You said {text}',
      serviceBaseUrl: service.options.baseUrl,
      agents: { sales: SALES, support: { ...SUPPORT, SERVICE_BASE_URL: service.options.baseUrl } },
    });
    const program = serveInProcess(['--config', configFile, '--json']);
    const url = await addressOf(program);
    const base = `${url}/webhook`;
    const asSales = { authorization: 'Bearer sales-hook' };
    expect((await post(base, agentMessageBody(), asSales)).status).toBe(200);
    expect((await post(`${base}/support`, agentMessageBody(), asSales)).status).toBe(401);
    const chat = chatBody({ conversation_id: 'c', body: 'Hi' });
    expect((await post(`${base}/sales/token-of-the-sales-agent/chat`, chat)).status).toBe(200);
    expect(service.calls).toMatchObject([
      { authorization: 'Bearer key-of-sales', body: { conversation_id: 'c', body: 'You said Hi' } },
    ]);
    await program.until(/"agent":"sales","conversationId":"sales\/c"/);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(
      /handoff_kit_events_total\{event="handoff.message",outcome="handled",agent="sales"\} 1/,
    );
    expect(metrics).toMatch(/handoff_kit_requests_total\{endpoint="chat",status="200"\} 1/);
    expect(metrics).toMatch(/handoff_kit_requests_total\{endpoint="message",status="401"\} 1/);
  });
});
