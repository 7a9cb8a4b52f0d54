import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { createDesk } from '../../src/desk/index.js';
import { createWebhooks } from '../../src/desk/server/webhooks/webhooks.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { fixtures } from '../../src/testing/index.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { eventually } from './agent-client.js';
import { webhookEndpoint } from './webhook-endpoint.js';

/** Longer than another process waits for one that may still be sending. */
const WITHIN = { timeout: 180_000, interval: 500 };

/** A receiver with a desk in this process. */
async function start(file: string) {
  const receiver = createReceiver({
    auth: { message: false, handoff: noAuth() },
    platform: { baseUrl: 'http://127.0.0.1:2', apiKey: 'key' },
    delivery: sqlite({ file }),
    log: false,
  });
  const desk = createDesk({ receiver, agents: 'stored', log: false });
  await receiver.start();
  const stop = async () => {
    await receiver.close({ timeoutMs: 1_000 });
    await desk.close();
  };
  return { desk, stop };
}

it('no event of a webhook is lost with a process that is killed', async () => {
  const file = join(await temporaryFolder(), 'handoff.db');
  let isUp = false;
  const endpoint = await webhookEndpoint(() => (isUp ? 204 : 'hang'));
  const before = await start(file);
  const admin = { id: 'admin', name: 'Admin', role: 'administrator' } as const;
  const events = ['conversation.opened', 'conversation.closed'] as const;
  await createWebhooks(before.desk.store).create(admin, { url: endpoint.url, events, content: false });
  await before.stop();

  const script = join(import.meta.dirname, 'webhook-process.js');
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const post = (path: string, body: object) =>
    fetch(`${printed.toString().trim()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const ids = Array.from({ length: 30 }, (_, nth) => `c-${nth}`);
  for (const conversation_id of ids) {
    expect((await post('/conversation/establish', fixtures.establish({ conversation_id }))).status).toBe(200);
    expect((await post('/conversation/close', fixtures.close({ conversation_id }))).status).toBe(200);
  }
  await eventually(() => expect(endpoint.received.length).toBeGreaterThan(0));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const sentBefore = new Set(endpoint.received.map(({ id }) => id));
  expect(sentBefore.size).toBeLessThan(60);

  isUp = true;
  endpoint.received.length = 0;
  const after = await start(file);
  onTestFinished(after.stop);
  await vi.waitFor(() => expect(new Set(endpoint.received.map(({ id }) => id)).size).toBe(60), WITHIN);
  for (const id of ids) {
    const own = endpoint.received.filter(({ body }) => body.data.conversation.conversationId === id);
    expect(own.map(({ body }) => body.type)).toEqual(['conversation.opened', 'conversation.closed']);
  }
  // What was on its way comes again under the same id.
  const sentAfter = new Set(endpoint.received.map(({ id }) => id));
  expect([...sentBefore].filter((id) => !sentAfter.has(id))).toEqual([]);
}, 300_000);
