import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/delivery/sqlite/database.js';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { openWriter } from '../../src/delivery/sqlite/writer.js';
import { logLines } from '../helpers/log-lines.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { notes } from './contract/stage.js';

it('what was stored and cannot be read is parked and told of, and what came later goes on', async () => {
  const file = join(await temporaryFolder(), 'handoff.db');
  const database = openDatabase(file);
  const writer = openWriter(database);
  for (const [key, body] of [
    ['broken', '{"half'],
    ['whole', '{}'],
  ] as const) {
    await writer.write('accept', key, 'c', body, 'handoff.message', 1, 'r', false, Date.now());
  }
  database.close();

  const seen = notes<string>();
  const reported: unknown[] = [];
  const delivery = sqlite({ file, pollMs: 10 });
  delivery.start({
    handle: async ({ key }) => seen.add(key),
    greet: async () => {},
    report: (_error, place) => reported.push(place),
    log: logLines().log,
  });
  expect(await seen.until(1)).toEqual(['whole']);
  expect(await delivery.queues?.list('inbox', { state: 'dead' })).toMatchObject([
    { conversationId: 'c', error: 'what was stored cannot be read' },
  ]);
  const [dead] = (await delivery.queues?.list('inbox', { state: 'dead' })) ?? [];
  expect(await delivery.queues?.show('inbox', dead?.id ?? '')).toMatchObject({
    content: expect.stringContaining('{"half'),
  });
  expect(await delivery.queues?.discard('inbox', dead?.id ?? '')).toBe(true);
  expect(reported).toEqual([{ conversationId: 'c', attempt: 1 }]);
  await delivery.stop({ timeoutMs: 1_000 });
});
