import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlatformClient } from '../../src/client/index.js';
import { createReceiver, noAuth, pathToken, webhookUser } from '../../src/public/index.js';
import { chatBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { start } from '../helpers/start.js';
import { linesOf } from '../recording/support.js';

const AUTH = { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) };

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('createReceiver({ record })', () => {
  it.each([false, true])('writes no credential, with keepContent %s', async (keepContent) => {
    const to = join(await temporaryFolder(), 'recording.jsonl');
    const platform = await fakePlatform();
    const { url, receiver } = await start({
      auth: AUTH,
      platform: platform.options,
      record: { to, keepContent },
    });
    receiver.on('handoff.message', async ({ text, reply }) => {
      await reply(`You said: ${text}`);
    });
    const text = `my ${API_KEY}, ${SECRET} and ${PATH_TOKEN}`;
    // Its credentials are remembered for what follows.
    expect((await post(url, chatBody(), { authorization: basicHeader(USERNAME, SECRET) })).status).toBe(200);
    expect((await post(`${url}/${PATH_TOKEN}/chat`, chatBody({ body: text }))).status).toBe(200);
    expect((await post(`${url}/chat`, chatBody({ body: 'No token' }))).status).toBe(401);
    expect(platform.calls).toMatchObject([{ body: { body: `You said: ${text}` } }]);
    await receiver.close();
    const written = await readFile(to, 'utf8');
    for (const secret of [API_KEY, SECRET, PATH_TOKEN]) expect(written).not.toContain(secret);
    expect(
      linesOf(written)
        .map(({ endpoint, status }) => `${endpoint} ${status}`)
        .toSorted(),
    ).toEqual(['chat 200', 'chat 401', 'message 200', 'reply 200']);
    const [reply] = linesOf(written).filter(({ endpoint }) => endpoint === 'reply');
    expect(reply?.body).toMatchObject({
      body: keepContent ? 'You said: my ***, *** and ***' : 'xxx xxxx: xx ***, *** xxx ***',
    });
    const [refused] = linesOf(written).filter(({ status }) => status === 401);
    expect(refused?.body).toBeNull();
  });

  it('goes on without recording on a full disk, and logs that once', async () => {
    const { url, receiver, logged } = await start({ record: { to: '/dev/full' } });
    for (const _ of [1, 2]) expect((await post(`${url}/chat`, chatBody())).status).toBe(200);
    await receiver.close();
    expect(logged.about('ENOSPC')).toHaveLength(1);
  });

  it('refuses what it cannot do', async () => {
    const auth = { message: noAuth(), handoff: noAuth() };
    const to = join(await temporaryFolder(), 'recording.jsonl');
    const client = createPlatformClient({ baseUrl: 'http://127.0.0.1:4000', apiKey: API_KEY });
    expect(() => createReceiver({ auth, platform: client, record: { to } })).toThrow(
      /record needs platform as/,
    );
    expect(() => createReceiver({ auth, record: { to: '' } })).toThrow(/record\.to must be/);
    expect(() => createReceiver({ auth, record: { to: join(to, 'x') } })).toThrow(/cannot be written \(ENO/);
    const misspelt = { to, keepcontent: true };
    expect(() => createReceiver({ auth, record: misspelt })).toThrow(/Did you mean keepContent/);
  });
});
