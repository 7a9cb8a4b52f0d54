import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { storedEventMigrations } from '../../src/bridge/inbound/stored-events.js';
import { openSqliteDatabase } from '../../src/delivery/sqlite/index.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY, flakyPlatform } from '../helpers/fake-platform.js';
import { emptyDatabase, temporaryFolder } from '../standalone/databases.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { serveInProcess } from '../standalone/in-process.js';
import { addressOf, post } from '../standalone/program.js';
import { WAIT_OPTIONS } from '../standalone/wait-options.js';
import { runCli } from './run-cli.js';

const authorization = basicHeader(USERNAME, SECRET);
const info = (user_id: string) => ({ phone: null, email: null, user_id, anonymous_id: null });

/** A server with a handoff and a message of one user, and a handoff of another; the replies are dead letters. */
async function withTwoUsers() {
  const file = join(temporaryFolder(), 'x.db');
  const env = { DATABASE_URL: `sqlite:${file}` };
  const platform = await flakyPlatform(() => ({ status: 400 }));
  const program = serveInProcess([], {
    ...ENVIRONMENT,
    ...env,
    PLATFORM_BASE_URL: platform.options.baseUrl,
    PLATFORM_API_KEY: API_KEY,
    AUTO_REPLY: 'You said: {text}',
  });
  const url = await addressOf(program);
  for (const [user, conversation_id] of [
    ['jane', 'c-1'],
    ['john', 'c-2'],
  ] as const) {
    const base = `${url}/webhook/${PATH_TOKEN}`;
    await post(`${base}/conversation/establish`, establishBody({ conversation_id, user_info: info(user) }));
    await post(`${base}/chat`, chatBody({ conversation_id }));
  }
  await post(`${url}/webhook`, botMessageBody({ user_id: 'jane', anonymous_id: null }), { authorization });

  const conversations = async (): Promise<string[]> => {
    const { queues, close } = await openSqliteDatabase(file);
    const items = [...(await queues.list('inbox')), ...(await queues.list('outbox'))];
    await close();
    return items.map(({ conversationId }) => conversationId);
  };
  // Handled events leave only their keys; the two refused replies are dead letters.
  await vi.waitFor(async () => expect(await conversations()).toHaveLength(2), WAIT_OPTIONS);
  await vi.waitFor(() => expect(platform.calls).toHaveLength(2), WAIT_OPTIONS);
  return { env, file, conversations };
}

/** A reply of an agent to each user that waits to be applied. Gives the ids of those that are left. */
async function withWaitingReplies(file: string): Promise<() => Promise<unknown[]>> {
  const { sql, close } = await openSqliteDatabase(file);
  await sql.migrate('bridge-events', storedEventMigrations(sql));
  for (const id of ['c-1', 'c-2']) {
    const link = JSON.stringify({ adapter: 'slack', externalId: `thread of ${id}`, url: null, extra: {} });
    await sql.write(
      `UPDATE conversation SET content = json_set(content, '$.link', json($1)) WHERE conversation = $2`,
      [link, id],
    );
    await sql.write(
      `INSERT INTO bridge_event (id, scope, conversation, events, arrived_at, claim) VALUES ($1, '[null,"slack"]', $2, $3, 1, 1)`,
      [
        id,
        `thread of ${id}`,
        JSON.stringify([{ kind: 'message', externalId: `thread of ${id}`, text: 'It is on its way.' }]),
      ],
    );
  }
  await close();
  return async () => {
    const opened = await openSqliteDatabase(file);
    const rows = await opened.sql.read('SELECT id FROM bridge_event');
    await opened.close();
    return rows.map(({ id }) => id);
  };
}

describe('handoff-kit forget', () => {
  it('removes all data of a user while the server runs, and no data of others', async () => {
    const { env, file, conversations } = await withTwoUsers();
    const waiting = await withWaitingReplies(file);
    const forgotten = await runCli(['forget', '--user', 'jane', '--yes', '--json'], { env });
    // The reply, and the conversation itself.
    expect([forgotten.code, forgotten.json()]).toEqual([0, { user: 'jane', removed: 2 }]);
    expect(await conversations()).toEqual(['c-2']);
    expect(await waiting()).toEqual(['c-2']);
    const dead = await runCli(['outbox', 'list', '--dead', '--conversation', 'c-1', '--json'], { env });
    expect(dead.json()).toMatchObject({ jobs: [] });

    const again = await runCli(['forget', '--user', 'jane', '--yes'], { env });
    expect([again.code, again.stdout]).toEqual([0, 'No data of this user was stored.\n']);
  });

  it('asks first, and exits with 2 without a terminal', async () => {
    const { env, conversations } = await withTwoUsers();
    const { code, stderr } = await runCli(['forget', '--user', 'jane'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('Remove all data of jane from');
    expect(await conversations()).toHaveLength(2);
  });

  it.each([
    [[], /required option '--user <id>' not specified/],
    [['--user', ' ', '--yes'], /--user is empty/],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const { code, stderr } = await runCli(['forget', ...args], { env: await emptyDatabase() });
    expect(code).toBe(2);
    expect(stderr).toMatch(complaint);
  });
});
