import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteDatabase } from '../../src/delivery/sqlite/index.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { emptyDatabase, temporaryFolder } from '../standalone/databases.js';
import { serveInProcess } from '../standalone/in-process.js';
import { post } from '../standalone/program.js';
import { runCli } from './run-cli.js';
import { keepSaying, modesIn, serverOn, WAIT_OPTIONS } from './storage-server.js';

async function damage(file: string): Promise<void> {
  const { sql, close } = await openSqliteDatabase(file);
  await sql.write("DELETE FROM schema_version WHERE component = 'none'");
  await sql.read('PRAGMA wal_checkpoint(TRUNCATE)');
  await close();
  const bytes = readFileSync(file);
  // Keep the header and the schema, so that the file can be opened.
  writeFileSync(
    file,
    bytes.map((byte, index) => (index > 3 * 4_096 && index % 4_096 < 200 ? 0xff : byte)),
  );
}

describe('handoff-kit backup', { timeout: 120_000 }, () => {
  it('copies the file while a server writes, with everything that waits', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'handoff.db');
    const { env, say, platform } = await serverOn(file, () => 'silence');
    const waiting = await Promise.all(Array.from({ length: 20 }, (_, count) => say(`waiting ${count}`)));
    keepSaying(say);
    await vi.waitFor(() => expect(platform.calls.length).toBeGreaterThan(0), WAIT_OPTIONS);

    const copy = join(folder, 'copy.db');
    const { code, json, stderr } = await runCli(['backup', copy, '--json'], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(json()).toEqual({ file, copy, bytes: statSync(copy).size });
    const modes = modesIn(folder);
    expect(Object.keys(modes).sort()).toEqual(['copy.db', 'handoff.db', 'handoff.db-shm', 'handoff.db-wal']);
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));

    const database = await openSqliteDatabase(copy);
    onTestFinished(() => database.close());
    let stored = '';
    for await (const record of database.records()) stored += `${JSON.stringify(record)}\n`;
    expect(waiting.filter((text) => !stored.includes(`"${text}"`))).toEqual([]);
  });

  it('overwrites no file, and leaves none behind when it fails', async () => {
    const env = await emptyDatabase();
    const folder = temporaryFolder();
    const copy = join(folder, 'copy.db');
    writeFileSync(copy, 'an older backup');
    const again = await runCli(['backup', copy], { env });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('There is a file at')]);
    expect(readFileSync(copy, 'utf8')).toBe('an older backup');
    writeFileSync(join(folder, 'second.db.partial'), '');
    const twice = await runCli(['backup', join(folder, 'second.db')], { env });
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('another backup is running')]);
    rmSync(join(folder, 'second.db.partial'));
    const nowhere = await runCli(['backup', join(folder, 'no', 'copy.db')], { env });
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('Check that the folder exists'),
    ]);
    await damage(env.DATABASE_URL.slice('sqlite:'.length));
    const damaged = await runCli(['backup', join(folder, 'damaged.db')], { env });
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringMatching(/damaged|malformed/)]);
    expect(readdirSync(folder)).toEqual(['copy.db']);
  });

  it('is for SQLite, and says what to use for PostgreSQL', async () => {
    const postgres = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const { code, stderr } = await runCli(['backup', 'copy.db'], { env: postgres });
    expect([code, stderr]).toEqual([2, expect.stringContaining('pg_dump')]);
    const missing = await runCli(['backup', 'copy.db'], { env: { DATABASE_URL: 'sqlite:/nowhere/x.db' } });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no database at')]);
  });
});

describe('handoff-kit storage check', { timeout: 120_000 }, () => {
  it('finds a file sound while a server writes', async () => {
    const file = join(temporaryFolder(), 'handoff.db');
    const { env, say } = await serverOn(file, undefined, serveInProcess);
    keepSaying(say);
    const { code, json, stderr } = await runCli(['storage', 'check', '--json'], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(json()).toMatchObject({ database: file, sound: true, problems: [] });
  });

  it('finds damage, and files that others can read', async () => {
    const env = await emptyDatabase();
    const file = env.DATABASE_URL.slice('sqlite:'.length);
    chmodSync(file, 0o644);
    const open = await runCli(['storage', 'check'], { env });
    expect([open.code, open.stdout]).toEqual([1, expect.stringContaining(`chmod 600 ${file}`)]);
    chmodSync(file, 0o600);
    await damage(file);
    const { code, stdout, stderr } = await runCli(['storage', 'check', '--json'], { env });
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/damaged|malformed/)]);
  });
});

describe('handoff-kit storage compact', { timeout: 120_000 }, () => {
  it('gives free space back while a server runs, which goes on storing', async () => {
    const file = join(temporaryFolder(), 'handoff.db');
    const { env, say, platform } = await serverOn(file);
    const { sql, close } = await openSqliteDatabase(file);
    await sql.transaction([
      { sql: 'CREATE TABLE filling (content TEXT)' },
      {
        sql: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO filling SELECT printf('%10000d', i) FROM n",
      },
    ]);
    await sql.write('DROP TABLE filling');
    await close();
    const { code, json, stderr } = await runCli(['storage', 'compact', '--json'], { env });
    expect([code, stderr]).toEqual([0, '']);
    const { before, after } = json() as { before: number; after: number };
    expect(before).toBeGreaterThan(3_000_000);
    expect(after).toBeLessThan(1_000_000);
    await say('after the compaction');
    await vi.waitFor(
      () => expect(platform.calls).toMatchObject([{ text: 'after the compaction' }]),
      WAIT_OPTIONS,
    );
  });
});

describe('handoff-kit storage export', { timeout: 120_000 }, () => {
  it('writes each job and each conversation as a line of JSON', async () => {
    const file = join(temporaryFolder(), 'handoff.db');
    const { env, url, platform } = await serverOn(file, undefined, serveInProcess);
    const request = establishBody({ conversation_id: 'c-2' });
    expect((await post(`${url}/webhook/${PATH_TOKEN}/conversation/establish`, request)).status).toBe(200);
    platform.behave(() => ({ status: 400 }));
    await post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody({ conversation_id: 'c-2', body: 'hello' }));
    const exported = async (): Promise<readonly Record<string, unknown>[]> => {
      const { code, stdout, stderr } = await runCli(['storage', 'export'], { env });
      expect([code, stderr]).toEqual([0, '']);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    };
    await vi.waitFor(async () => {
      expect(await exported()).toMatchObject([
        { type: 'job', queue: 'outbox', state: 'dead', conversationId: 'c-2', content: { text: 'hello' } },
        { type: 'conversation', id: 'c-2', transcript: expect.arrayContaining([]) },
      ]);
    }, WAIT_OPTIONS);
  });
});
