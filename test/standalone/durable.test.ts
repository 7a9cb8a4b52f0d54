import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '../../src/delivery/sqlite/index.js';
import { startCli } from '../cli/run-cli.js';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { serve as serveHttp } from '../helpers/serve.js';
import { storeDeadLetters, temporaryFolder } from './databases.js';
import { ENVIRONMENT } from './environment.js';
import { serveInProcess } from './in-process.js';
import { addressOf, post, type RunningProgram, runServe, runServeAsText } from './program.js';

/** Kills the process at the moment when its first handler runs: the event is stored and not handled. */
const DIES_IN_HANDLER = `--import=data:text/javascript,${encodeURIComponent(`
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (line, ...rest) => {
    if (String(line).includes('"event":')) process.kill(process.pid, 'SIGKILL');
    return write(line, ...rest);
  };
`)}`;

const sendChat = async (program: RunningProgram, body = chatBody()) =>
  post(`${await addressOf(program)}/webhook/${PATH_TOKEN}/chat`, body);

describe('the program with a database', () => {
  it('handles after kill -9 an event that it had answered 200 before, once', async () => {
    const env = { ...ENVIRONMENT, DATABASE_URL: `sqlite:${join(temporaryFolder(), 'x.db')}` };
    const body = chatBody();
    const first = runServe([], { ...env, NODE_OPTIONS: DIES_IN_HANDLER });
    expect((await sendChat(first, body)).status).toBe(200);
    expect(await first.ended).toBeNull();
    expect(first.stdout()).not.toContain('"event":');

    const second = runServe([], env);
    await second.until(/"event":"handoff.message"/);
    expect((await sendChat(second, body)).status).toBe(200);
    expect((await sendChat(second)).status).toBe(200);
    await second.until(/("event":"handoff.message".*){2}/s);
    second.signal('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(second.stdout().match(/"event":/g)).toHaveLength(2);
  });

  it('sends after kill -9 the replies that the platform had not accepted before', async () => {
    const down = await fakePlatform(() => 503);
    const up = await fakePlatform();
    const env = {
      ...ENVIRONMENT,
      DATABASE_URL: `sqlite:${join(temporaryFolder(), 'x.db')}`,
      PLATFORM_API_KEY: API_KEY,
      AUTO_REPLY: 'You said: {text}',
    };
    const first = runServe([], { ...env, PLATFORM_BASE_URL: down.options.baseUrl });
    expect((await sendChat(first, chatBody({ body: 'hello' }))).status).toBe(200);
    await down.came(1);
    first.signal('SIGKILL');
    await first.ended;

    runServe([], { ...env, PLATFORM_BASE_URL: up.options.baseUrl });
    await up.came(1);
    expect(up.calls).toMatchObject([{ body: { body: 'You said: hello' } }]);
  });

  it('stores in the current folder by default, and prints the path', async () => {
    const folder = temporaryFolder();
    const program = startCli(['serve', '--dev', '--port', '0'], { cwd: folder });
    await program.until(/shows it\./);
    const file = join(folder, 'handoff.db');
    expect(program.stdout()).toContain(`Storage: ${file}\n`);
    expect(existsSync(file)).toBe(true);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it('prints that nothing is stored', async () => {
    const folder = temporaryFolder();
    const program = startCli(['serve', '--dev', '--port', '0', '--database-url', 'none'], {
      cwd: folder,
    });
    await program.until(/shows it\./);
    expect(program.stdout()).toContain('Storage: off');
    expect(existsSync(join(folder, 'handoff.db'))).toBe(false);
  });

  it('writes only its own lines', async () => {
    const env = { ...ENVIRONMENT, DATABASE_URL: `sqlite:${join(temporaryFolder(), 'x.db')}` };
    const program = runServe([], env);
    expect((await sendChat(program)).status).toBe(200);
    await program.until(/"event":"handoff.message"/);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    const lines = (program.stdout() + program.stderr()).trim().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['not a database', (path: string) => writeFileSync(path, 'no database at all '.repeat(100))],
  ])('does not start when its file is %s, and explains why', async (_name, make) => {
    const file = join(temporaryFolder(), 'x.db');
    make(file);
    const program = runServeAsText([], { ...ENVIRONMENT, DATABASE_URL: `sqlite:${file}` });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(new RegExp(`^Cannot use ${file} as a database`));
    expect(program.stderr()).not.toContain('    at ');
  });

  it('handles no stored event when it cannot listen', async () => {
    const file = join(temporaryFolder(), 'x.db');
    await storeDeadLetters(file, [{ conversationId: 'c-1', text: 'hello' }]);
    const { queues, close } = await openSqliteDatabase(file);
    const [item] = await queues.list('inbox');
    expect(await queues.retry('inbox', item?.id ?? '')).toBe(true);
    await close();
    const { port } = await serveHttp((_request, response) => response.end());
    const program = serveInProcess(['--port', String(port)], {
      ...ENVIRONMENT,
      DATABASE_URL: `sqlite:${file}`,
    });
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toBe('');
  });
});
