import { describe, expect, it } from 'vitest';
import type { WebhookView } from '../../src/desk/api.js';
import { eventually } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';
import { createProgram } from './program-client.js';
import { webhookEndpoint } from './webhook-endpoint.js';

const EVENTS = ['conversation.opened'];

async function deskWithWebhook(url: string) {
  const { start, bench } = await createDeskEnvironment();
  const instance = await start();
  const admin = await instance.agent('admin', 'administrator');
  const create = (more: object = {}) =>
    admin.send('POST', '/api/admin/webhooks', { url, events: EVENTS, content: false, ...more });
  const problem = async () => (await admin.get<WebhookView[]>('/api/admin/webhooks')).body[0]?.problem;
  return { ...instance, bench, admin, create, problem };
}

describe('the address of a webhook', () => {
  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    '//example.com',
    'example.com',
    '',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://:password@example.com/',
  ])('is refused: %s', async (url) => {
    const { create } = await deskWithWebhook(url);
    expect(await create()).toMatchObject({ status: 400, body: { code: 'INVALID_URL' } });
  });

  it('has a limited length, and events that exist', async () => {
    const { create } = await deskWithWebhook(`https://example.com/${'x'.repeat(2_000)}`);
    expect((await create()).status).toBe(400);
    expect((await create({ url: 'https://example.com', events: ['everything'] })).status).toBe(400);
    expect((await create({ url: 'https://example.com', events: [] })).status).toBe(400);
  });

  it('may be in the own network, as docs/desk-api.md says', async () => {
    const endpoint = await webhookEndpoint();
    const { bench, create } = await deskWithWebhook(endpoint.url);
    expect((await create()).status).toBe(200);
    await bench.requestHandoff();
    await eventually(() => expect(endpoint.received).toHaveLength(1));
  });

  it('is for administrators', async () => {
    const { instance } = await deskWithHandoff();
    const admin = await instance.agent('admin', 'administrator');
    const program = await createProgram(instance.url, admin, { role: 'supervisor' });
    const request = { url: 'https://example.com', events: EVENTS, content: true };
    expect((await program.call('POST', '/api/admin/webhooks', request)).status).toBe(403);
    expect((await program.call('GET', '/api/admin/webhooks')).status).toBe(403);
  });
});

describe('the receiver of a webhook', () => {
  it('cannot send the desk elsewhere', async () => {
    const secret = await webhookEndpoint();
    const endpoint = await webhookEndpoint(() => ({ status: 307, headers: { location: secret.url } }));
    const { bench, create, problem } = await deskWithWebhook(endpoint.url);
    await create();
    await bench.requestHandoff();
    await eventually(async () => expect(await problem()).toBe('HTTP 307: redirects are not followed'));
    expect(secret.received).toEqual([]);
  });

  it('cannot show its answer to the administrator, nor fill the memory with it', async () => {
    const body = 'secret-of-another-service'.repeat(100_000);
    const endpoint = await webhookEndpoint(() => ({ status: 403, headers: {}, body }));
    const { bench, admin, create, problem, logged, audit } = await deskWithWebhook(endpoint.url);
    await create();
    await bench.requestHandoff();
    await eventually(async () => expect(await problem()).toBe('HTTP 403'));
    const told = [JSON.stringify((await admin.get('/api/admin/webhooks')).body), logged.text()];
    expect([...told, JSON.stringify(await audit())].join('\n')).not.toContain('secret-of-another-service');
  });

  it('gets no credentials of the desk', async () => {
    const endpoint = await webhookEndpoint();
    const { bench, create } = await deskWithWebhook(endpoint.url);
    await create();
    await bench.requestHandoff();
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    const { headers = {} } = endpoint.received[0] ?? {};
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['cookie']));
    expect(headers.authorization).toBeUndefined();
  });
});

describe('the secret of a webhook', () => {
  it('is shown once, and is in no log, audit line or list', async () => {
    const { admin, create, logged, audit } = await deskWithWebhook('https://example.invalid/');
    const { secret } = (await create()).body as { secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const everything = [logged.text(), await audit(), (await admin.get('/api/admin/webhooks')).body];
    expect(JSON.stringify(everything)).not.toContain(secret.slice('whsec_'.length));
  });
});
