import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, flakyPlatform } from '../helpers/fake-platform.js';
import { deadLettersIn, emptyDatabase, storeDeadLetters, temporaryFolder } from '../standalone/databases.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { serveInProcess } from '../standalone/in-process.js';
import { addressOf, post, runServe } from '../standalone/program.js';
import { WAIT_OPTIONS } from '../standalone/wait-options.js';
import { runCli } from './run-cli.js';

const WORDS = 'what-the-user-wrote';

interface Listed {
  readonly jobs: readonly { readonly id: string; readonly state: string; readonly conversationId: string }[];
  readonly more: boolean;
}

/** A database with three dead letters of two conversations, and commands that run on it. */
async function withDeadLetters() {
  const file = join(temporaryFolder(), 'x.db');
  const env = { DATABASE_URL: `sqlite:${file}` };
  await storeDeadLetters(file, [
    { conversationId: 'c-1', text: WORDS },
    { conversationId: 'c-1', text: 'second' },
    { conversationId: 'c-2', text: 'third' },
  ]);
  const inbox = (...args: string[]) => runCli(['inbox', ...args], { env });
  const listed = async (...args: string[]) => (await inbox('list', ...args, '--json')).json() as Listed;
  return { env, inbox, listed, dead: () => deadLettersIn(file, 'inbox') };
}

describe('handoff-kit inbox', () => {
  it('lists dead letters as a table, the oldest first', async () => {
    const { inbox } = await withDeadLetters();
    const { code, stdout, stderr } = await inbox('list', '--dead');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^id +state +since +conversation +what +attempts +last error$/),
      expect.stringMatching(/^\S+ +dead +20\S+Z +c-1 +handoff\.message +1 +Error: the desk is closed$/),
      expect.stringMatching(/^\S+ +dead .* c-1 /),
      expect.stringMatching(/^\S+ +dead .* c-2 /),
    ]);
    expect(stdout).not.toContain(WORDS);
  });

  it('lists jobs as JSON, filtered by conversation and limited in number', async () => {
    const { listed } = await withDeadLetters();
    const all = await listed();
    expect(all).toMatchObject({ queue: 'inbox', more: false });
    expect(all.jobs.map(({ conversationId }) => conversationId)).toEqual(['c-1', 'c-1', 'c-2']);
    expect((await listed('--conversation', 'c-2')).jobs).toHaveLength(1);
    expect(await listed('--limit', '2')).toMatchObject({ more: true, jobs: all.jobs.slice(0, 2) });
  });

  it('finds the database in the config file of the server', async () => {
    const { env, dead } = await withDeadLetters();
    const file = join(temporaryFolder(), 'handoff.json');
    writeFileSync(file, JSON.stringify({ port: 1, databaseUrl: env.DATABASE_URL }));
    const byFile = await runCli(['inbox', 'list', '--config', file, '--json']);
    const jobs = (await dead()).map(({ id }) => ({ id }));
    expect([byFile.code, byFile.json()]).toMatchObject([0, { jobs }]);
  });

  it('shows the content of a job, and the text of messages only with --show-text', async () => {
    const { inbox, dead } = await withDeadLetters();
    const [id = ''] = (await dead()).map((job) => job.id);
    const hidden = await inbox('show', id);
    expect(hidden.code).toBe(0);
    expect(hidden.stdout).toContain(`"body": "[${WORDS.length} characters]"`);
    expect(hidden.stdout).toContain('"conversation_id": "c-1"');
    expect(hidden.stdout).toContain('--show-text shows it');
    expect(hidden.stdout).not.toContain(WORDS);
    expect((await inbox('show', id)).stdout).not.toContain(WORDS);
    expect((await inbox('show', id, '--show-text', '--json')).json()).toMatchObject({
      id,
      content: { body: WORDS },
    });
  });

  it('retries dead letters in order while a server runs', async () => {
    const { env, inbox, listed } = await withDeadLetters();
    const program = runServe(['--show-text'], { ...ENVIRONMENT, ...env });
    await addressOf(program);
    const retried = await inbox('retry', '--all-dead', '--conversation', 'c-1', '--yes');
    expect([retried.stderr, retried.code]).toEqual(['', 0]);
    await program.until(new RegExp(`"text":"${WORDS}".*"text":"second"`, 's'));
    await vi.waitFor(async () => {
      const { jobs } = await listed();
      expect(jobs.map(({ conversationId }) => conversationId)).toEqual(['c-2']);
    }, WAIT_OPTIONS);
  });

  it('discards dead letters', async () => {
    const { inbox, dead } = await withDeadLetters();
    const [id = ''] = (await dead()).map((job) => job.id);
    const discarded = await inbox('discard', id);
    expect([discarded.code, discarded.stdout]).toEqual([0, '1 job removed.\n']);
    expect(await dead()).toHaveLength(2);
    const again = await inbox('discard', id, '--json');
    expect([again.code, again.json()]).toEqual([1, { queue: 'inbox', done: [], notDead: [id] }]);
    expect((await inbox('discard', '--all-dead', '-y', '--json')).json()).toMatchObject({
      done: { length: 2 },
    });
    expect((await inbox('discard', '--all-dead', '--json')).json()).toMatchObject({ done: [] });
  });

  it('asks before it changes all dead letters, and exits with 2 without a terminal', async () => {
    const { inbox, dead } = await withDeadLetters();
    const { code, stderr } = await inbox('discard', '--all-dead');
    expect(code).toBe(2);
    expect(stderr).toContain('Remove for good: 3 dead letters of the inbox? Give --yes');
    expect(await dead()).toHaveLength(3);
  });

  it.each([
    [['retry'], /ame jobs by their ids, or give --all-dead/],
    [['retry', '1', '--all-dead'], /ame jobs by their ids/],
    [['discard', '1', '--conversation', 'c-1'], /--conversation goes together with --all-dead/],
    [['list', '--limit', '0'], /whole number from 1/],
    [['show'], /missing required argument 'id'/],
    [['lst'], /unknown command 'lst'/],
  ])('refuses %j as wrong use', async (args, complaint) => {
    const { code, stderr } = await runCli(['inbox', ...args], { env: await emptyDatabase() });
    expect(code).toBe(2);
    expect(stderr).toMatch(complaint);
  });

  it('exits with 1 when there is no such job', async () => {
    const { code, stderr } = await runCli(['inbox', 'show', '999'], { env: await emptyDatabase() });
    expect([code, stderr]).toEqual([1, 'The inbox has no job 999. See: handoff-kit inbox list\n']);
  });
});

describe('handoff-kit outbox', () => {
  it('retries a reply that the platform had refused, while the server runs', async () => {
    const platform = await flakyPlatform(() => ({ status: 400 }));
    const file = join(temporaryFolder(), 'x.db');
    const env = { DATABASE_URL: `sqlite:${file}` };
    const program = serveInProcess([], {
      ...ENVIRONMENT,
      ...env,
      PLATFORM_BASE_URL: platform.options.baseUrl,
      PLATFORM_API_KEY: API_KEY,
      AUTO_REPLY: 'You said: {text}',
    });
    const url = await addressOf(program);
    await post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody({ conversation_id: 'c-1', body: WORDS }));
    await vi.waitFor(async () => expect(await deadLettersIn(file, 'outbox')).toHaveLength(1), WAIT_OPTIONS);
    const { jobs } = (await runCli(['outbox', 'list', '--dead', '--json'], { env })).json() as Listed;
    expect(jobs).toMatchObject([{ what: 'reply', conversationId: 'c-1', attempts: 1 }]);
    const shown = await runCli(['outbox', 'show', jobs[0]?.id ?? '', '--json'], { env });
    expect(shown.json()).toMatchObject({
      content: { kind: 'reply', text: expect.stringMatching(/^\[\d+ char/) },
    });

    platform.behave();
    expect((await runCli(['outbox', 'retry', jobs[0]?.id ?? ''], { env })).code).toBe(0);
    await vi.waitFor(
      () => expect(platform.said('c-1')).toEqual([`You said: ${WORDS}`, `You said: ${WORDS}`]),
      WAIT_OPTIONS,
    );
  });
});

describe('the database of a command', () => {
  it('must exist: none is created', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const { code, stderr } = await runCli(['inbox', 'list', '--database-url', `sqlite:${file}`]);
    expect(code).toBe(2);
    expect(stderr).toContain(`There is no database at ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['none', /nothing is stored/],
    ['mysql://me:sEcret@db/x', /must be sqlite:<file>/],
    ['postgres://me:sEcret#@db/x', /is no URL/],
    ['', /is empty/],
  ])('cannot be %j', async (url, complaint) => {
    const { code, stderr } = await runCli(['outbox', 'list'], { env: { DATABASE_URL: url } });
    expect(code).toBe(2);
    expect(stderr).toMatch(complaint);
    expect(stderr).not.toContain('sEcret');
  });

  it.each([['inbox', 'list'], ['outbox', 'retry'], ['inbox', 'show'], ['outbox'], ['forget']])(
    'is explained in the help of %s %s',
    async (...args) => {
      const { code, stdout } = await runCli([...args, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(args.length === 1 && args[0] === 'outbox' ? 'Examples:' : 'DATABASE_URL');
    },
  );
});
