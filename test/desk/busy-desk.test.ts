import { existsSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ConversationListView, StateView } from '../../src/desk/api.js';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import { createDeskEnvironment } from './desk-environment.js';
import { sampleRecord } from './sample-record.js';

const LOGIN_FILES = new URL('../../dist/desk/page/assets/login/', import.meta.url);

/** An answer as it is on the wire. */
function raw(url: string, headers: Record<string, string>) {
  return new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    get(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

describe('a desk with many conversations', () => {
  it('sends them in pages, without gaps between those of the same time, and compressed', async () => {
    const { start } = await createDeskEnvironment();
    const { desk, agent, url } = await start();
    const ann = await agent('ann');
    const records = createConversationRecords(desk.store);
    const ids = Array.from({ length: 1_200 }, (_, nth) => `customer ${nth}`);
    for (const id of ids) await records.add({ record: sampleRecord(id), events: [] });
    const { conversations, more, counts }: StateView = await ann.state();
    expect([conversations.length, counts.waiting, more.length]).toEqual([500, 1_200, 1]);
    const seen = conversations.map(({ id }) => id);
    for (let last = more[0]?.after; last; ) {
      const query = new URLSearchParams({
        state: 'waiting',
        before: `${last.requestedAt}`,
        beforeId: last.id,
      });
      const { body } = await ann.get<ConversationListView>(`/api/conversations?${query.toString()}`);
      seen.push(...body.conversations.map(({ id }) => id));
      last = body.more ? body.conversations.at(-1) : undefined;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());

    const { cookie } = ann;
    const state = `${url}/desk/api/state`;
    const packed = await raw(state, { cookie, 'accept-encoding': 'gzip, br' });
    const plain = await raw(state, { cookie });
    expect([packed.encoding, plain.encoding]).toEqual(['gzip', undefined]);
    expect(JSON.parse(gunzipSync(packed.body).toString()).conversations).toHaveLength(500);
    expect(packed.body.length).toBeLessThan(plain.body.length / 5);
    const short = await raw(`${url}/desk/api/agents`, { cookie, 'accept-encoding': 'gzip' });
    expect(short.encoding).toBeUndefined();
  });

  it.skipIf(!existsSync(LOGIN_FILES))('lets browsers keep the files of its page', async () => {
    const { start } = await createDeskEnvironment();
    const { url } = await start();
    const cacheOf = async (path: string) => (await fetch(`${url}/desk${path}`)).headers.get('cache-control');
    for (const name of readdirSync(LOGIN_FILES))
      expect(await cacheOf(`/assets/login/${name}`)).toBe('private, max-age=31536000, immutable');
    // What changes, and what needs a login, is not kept.
    for (const path of ['/', '/icon.svg', '/assets/main.js', '/assets/login/none.js'])
      expect(await cacheOf(path), path).toBe('no-store');
  });
});
