import { expect, it } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import { postgresStore } from '../helpers/postgres.js';
import { serve } from '../helpers/serve.js';
import { eventually } from './agent-client.js';
import { createDeskEnvironment } from './desk-environment.js';

it('three desks on one PostgreSQL database report each conversation that waits once', async () => {
  const reported: string[] = [];
  const { url } = await serve((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      reported.push(JSON.parse(text).conversationId);
      response.end();
    });
  });
  const { connectionString, schema } = await postgresStore();
  const { bench, start } = await createDeskEnvironment({
    open: async () => postgres({ connectionString, schema, pollMs: 200, pool: { max: 5 } }),
  });
  const escalation = { afterMinutes: 0.5 / 60, to: { webhook: url } };
  const desks = [];
  for (let nth = 0; nth < 3; nth += 1)
    desks.push(await start({ publicUrl: 'https://help.example.com/desk', escalation }));
  const request = async (user: string): Promise<string> =>
    (await bench.requestHandoff({ user: { userId: user } })).id;
  const ids = await Promise.all(Array.from({ length: 10 }, (_, nth) => request(`user ${nth}`)));
  await eventually(() => expect(new Set(reported)).toEqual(new Set(ids)));
  // By the time that a later one is reported, all processes have looked again.
  const last = await request('the last');
  await eventually(() => expect(reported).toContain(last));
  expect(reported.toSorted()).toEqual([...ids, last].toSorted());
}, 90_000);
