import { expect, it } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import { postgresStore } from '../helpers/postgres.js';
import { eventually } from './agent-client.js';
import { createDeskEnvironment } from './desk-environment.js';
import { createProgram } from './program-client.js';
import { webhookEndpoint } from './webhook-endpoint.js';

it('two desks on one PostgreSQL database accept the same tokens, and send each event once', async () => {
  const { connectionString, schema } = await postgresStore();
  const open = async () => postgres({ connectionString, schema, pollMs: 200, pool: { max: 5 } });
  const { bench, start } = await createDeskEnvironment({ open });
  const [left, right] = [await start(), await start()];
  const admin = await left.agent('admin', 'administrator');
  const program = await createProgram(right.url, admin);
  const endpoint = await webhookEndpoint();
  const request = { url: endpoint.url, events: ['conversation.opened', 'note.added'], content: true };
  expect((await admin.send('POST', '/api/admin/webhooks', request)).status).toBe(200);
  const id = await admin.idOf((await bench.requestHandoff()).id);
  const notes = Array.from({ length: 20 }, (_, nth) => `n-${nth}`);
  for (const messageId of notes) {
    const path = `${messageId.endsWith('1') ? left.url : right.url}/desk/api/conversations/${id}/note`;
    const answer = await fetch(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messageId, text: 'A note.' }),
    });
    expect(answer.status).toBe(200);
  }
  await eventually(() =>
    expect(endpoint.received.map(({ body }) => body.data.note?.messageId)).toEqual([undefined, ...notes]),
  );
  expect(new Set(endpoint.received.map((each) => each.id)).size).toBe(21);
});
