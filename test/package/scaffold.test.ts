import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Answers, conflictOf, QUESTIONS } from '../../src/cli/init/choices.js';
import { createSimulator } from '../../src/simulator/index.js';
import { freePort } from '../helpers/free-port.js';
import { type PostgresServer, startServer } from '../helpers/postgres-server.js';
import { describeWith } from '../helpers/requirement.js';
import { environment, packageTools, ROOT, run as runIn } from './installed.js';
import { openRegistry, type Registry, takesNewest } from './registry.js';

/**
 * Projects of `init`, as a user makes them: from the packed package, installed, linted, type-checked, tested, built,
 * started without `.env`, and asked by the simulated platform. Every pair of answers occurs in one of them, and every
 * server with users who are answered in code.
 */
let folder = '';
let registry: Registry;
let database: PostgresServer;
const children: ChildProcess[] = [];
/** The builds of Next, by the name of the project. */
const builds = new Map<string, Promise<unknown>>();

const run = (command: string, args: readonly string[], cwd: string): Promise<string> =>
  runIn(command, args, cwd, { ...registry.env, NEXT_TELEMETRY_DISABLED: '1' });

const POSSIBLE: readonly Answers[] = QUESTIONS.language
  .flatMap(({ name: language }) => QUESTIONS.host.map(({ name: host }) => ({ language, host })))
  .flatMap((some) => QUESTIONS.delivery.map(({ name: delivery }) => ({ ...some, delivery })))
  .flatMap((some) => QUESTIONS.adapter.map(({ name: adapter }) => ({ ...some, adapter })))
  .filter((answers) => conflictOf(answers) === null);

/** What must occur in a project: all pairs, and the server of those that answer users in code. */
function goalsOf({ language, host, delivery, adapter }: Answers): string[] {
  // All helpdesks are mounted alike.
  const mounted = adapter === 'chatwoot' ? 'slack' : adapter;
  const pairs = [language, host, delivery].flatMap((one) => [`${one} ${language}`, `${one} ${delivery}`]);
  const more = [`${host} ${mounted}`, `${language} ${adapter}`, `${delivery} ${adapter}`];
  return [...pairs, ...more, ...(adapter === 'none' ? [`${host} answers`] : [])];
}

/** The smallest list that a greedy search finds in which every goal occurs. */
function allPairs(): Answers[] {
  const missing = new Set(POSSIBLE.flatMap(goalsOf));
  const chosen: Answers[] = [];
  while (missing.size > 0) {
    const covers = (answers: Answers): number => goalsOf(answers).filter((goal) => missing.has(goal)).length;
    const [best] = POSSIBLE.toSorted((one, other) => covers(other) - covers(one));
    if (!best) break;
    chosen.push(best);
    for (const goal of goalsOf(best)) missing.delete(goal);
  }
  return chosen;
}

/** Writes a project with the command of the packed package. */
async function init(name: string, answers: Answers, parent: string): Promise<string> {
  const flags = Object.entries(answers).flatMap(([question, answer]) => [`--${question}`, answer]);
  mkdirSync(parent, { recursive: true });
  const shown = await run(process.execPath, [cli(), 'init', name, ...flags], parent);
  expect(shown).toContain(`cd ${name}\n  npm install\n`);
  return join(parent, name);
}

const cli = (): string => join(folder, 'node_modules/handoff-kit/dist/cli/main.js');

const nameOf = (answers: Answers): string => Object.values(answers).join('-');
const together = (): string => join(folder, 'together');

/** The file of a package that a project uses, in its own folder or in the one above. */
const fileOf = (project: string, path: string): string =>
  [project, join(project, '..')]
    .map((place) => join(place, 'node_modules', path))
    .find((file) => existsSync(file)) ?? path;

/**
 * Writes projects below one folder, installs them with one `npm install`, and compiles them with one `tsc`. Those of
 * Next are built while other tests run.
 */
async function prepareTogether(): Promise<void> {
  await Promise.all(TOGETHER.map((answers) => init(nameOf(answers), answers, together())));
  const workspaces = TOGETHER.map(nameOf);
  writeFileSync(join(together(), 'package.json'), JSON.stringify({ private: true, workspaces }));
  await run('npm', ['install'], together());
  const servers = TOGETHER.filter(({ language, host }) => language === 'ts' && host !== 'next').map(nameOf);
  await run(process.execPath, [fileOf(together(), 'typescript/bin/tsc'), '--build', ...servers], together());
  let last: Promise<unknown> = Promise.resolve();
  for (const name of TOGETHER.filter(({ host }) => host === 'next').map(nameOf)) {
    const project = join(together(), name);
    const build = (): Promise<string> =>
      run(process.execPath, [fileOf(project, 'next/dist/bin/next'), 'build'], project);
    last = last.then(build, build);
    // The test of the project shows the error.
    last.catch(() => {});
    builds.set(name, last);
  }
}

const scriptsOf = (project: string): Record<string, string> =>
  JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).scripts;

/** Starts a program of a project, and resolves to its URL once it answers. */
async function start(
  project: string,
  command: string,
  variables: NodeJS.Dict<string>,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const PATH = [project, join(project, '..')].map((place) => join(place, 'node_modules/.bin'));
  const env = {
    ...environment(),
    ...variables,
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    PATH: [...PATH, process.env.PATH].join(delimiter),
    PORT: String(port),
  };
  // As npm runs a script, but without a process between that would get the signals.
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/healthz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
  return { url, child };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await new Promise((ended) => (child.exitCode === null ? child.once('exit', ended) : ended(null)));
}

/** The variables in a project's `.env`. */
const settingsOf = (project: string): NodeJS.Dict<string> =>
  parseEnv(readFileSync(join(project, '.env'), 'utf8'));

/** Probes both webhooks, as the platform does, with the settings of the project. */
async function probe(settings: NodeJS.Dict<string>, url: string): Promise<number[]> {
  const { WEBHOOK_USERNAME, HANDOFF_TOKEN } = settings;
  const paths = ['/webhook', `/webhook/${HANDOFF_TOKEN}/chat`, '/webhook/another-token-than-this/chat'];
  const answers = await Promise.all(
    paths.map((path) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${WEBHOOK_USERNAME}` },
        body: JSON.stringify({ istest: true }),
      }),
    ),
  );
  return answers.map(({ status }) => status);
}

/** A function behind a function URL, on a port, as far as one request needs it. */
const GATEWAY = `
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
const { handler } = await import(process.argv[2]);
createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end();
  const { statusCode, headers, body } = await handler({
    version: '2.0',
    rawPath: request.url,
    headers: request.headers,
    body: await text(request),
    isBase64Encoded: false,
    requestContext: { stage: '$default', http: { method: request.method, sourceIp: '127.0.0.1' } },
  });
  response.writeHead(statusCode, headers).end(body);
}).listen(process.env.PORT);`;

/** Starts a project by its start script, asks it as others would, and stops it again. */
async function expectToWork(project: string, answers: Answers, withEnvFile = false): Promise<void> {
  const settings = settingsOf(project);
  const { WEBHOOK_USERNAME, HANDOFF_TOKEN, PLATFORM_API_KEY = '' } = settings;
  const simulator = createSimulator({
    bots: [{ id: 'bot', apiKey: PLATFORM_API_KEY }],
    earlyReplies: answers.host === 'lambda' ? 'keep' : 'refuse',
  });
  onTestFinished(() => simulator.close());
  const variables = {
    ...(!withEnvFile && settings),
    PLATFORM_BASE_URL: await simulator.listen(),
    ...(answers.delivery === 'postgres' && { DATABASE_URL: database.connectionString }),
  };
  if (!withEnvFile) renameSync(join(project, '.env'), join(project, '.env.kept'));
  const { start: command = '' } = scriptsOf(project);
  const { url, child } = await start(project, command, variables);
  expect(await probe(settings, url)).toEqual([200, 200, 401]);
  if (answers.adapter === 'desk') expect((await fetch(`${url}/desk/`)).status).toBeLessThan(400);
  if (answers.adapter === 'slack' || answers.adapter === 'chatwoot') {
    const answer = await fetch(`${url}/adapters/${answers.adapter}`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  }

  const expectHandoff = async (origin: string): Promise<void> => {
    simulator.bots.update('bot', {
      message: { url: `${origin}/webhook`, username: WEBHOOK_USERNAME },
      humanServices: [{ componentId: 'desk', url: `${origin}/webhook/${HANDOFF_TOKEN}` }],
    });
    const handoff = await simulator.requestHandoff();
    expect((await handoff.nextReply()).text).toBe('Hello, how can I help you?');
    await handoff.say('Where is it?');
    expect((await handoff.nextReply()).text).toBe('You said: Where is it?');
  };
  if (answers.adapter === 'none') await expectHandoff(url);
  if (answers.host === 'lambda') {
    writeFileSync(join(project, 'gateway.mjs'), GATEWAY);
    const handler = `./${answers.language === 'ts' ? 'dist' : 'src'}/lambda.js`;
    const env = { ...variables, AWS_LAMBDA_FUNCTION_NAME: 'receiver' };
    const gateway = await start(project, `node gateway.mjs ${handler}`, env);
    await expectHandoff(gateway.url);
    await stop(gateway.child);
  }
  await stop(child);
}

/** The project that is installed in its own folder, with the commands that its README names. */
const ALONE: Answers = { language: 'ts', host: 'express', delivery: 'sqlite', adapter: 'desk' };

/** All others. The builds of Next take longest, so they come last. */
const TOGETHER = allPairs()
  .filter((answers) => nameOf(answers) !== nameOf(ALONE))
  .toSorted((one, other) => Number(one.host === 'next') - Number(other.host === 'next'));

/** The packages that the files of a project import. */
function importsOf(project: string): string[] {
  const files = readdirSync(project, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.[jt]s$/.test(file) && !/(^|\/)(node_modules|dist|\.next)\//.test(file),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(project, file), 'utf8').matchAll(/(?:from|import\(|import) ?'([^'.][^']*)'/g)].map(
      ([, name = '']) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '',
    ),
  );
  return [...new Set(names)].filter((name) => !isBuiltin(name));
}

const tools = packageTools('the projects of init');
const NEXT = 'test/bindings/next';
const TOOLS_FOUND = {
  ...tools,
  found: tools.found && (takesNewest || existsSync(join(ROOT, NEXT, 'node_modules/next/package.json'))),
  howToGet: `${tools.howToGet} && npm ci --prefix ${NEXT}`,
};

describeWith(TOOLS_FOUND)('the projects of init', () => {
  vi.setConfig({ testTimeout: 600_000 });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'handoff-kit-init-'));
    registry = await openRegistry();
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const starting = startServer().then((server) => {
      database = server;
    });
    await run('npm', ['install', 'handoff-kit'], folder);
    await prepareTogether();
    await starting;
  }, 900_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.allSettled(builds.values());
    registry?.close();
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  it('work after npm install in their own folder', async () => {
    const project = await init(nameOf(ALONE), ALONE, join(folder, 'alone'));
    await run('npm', ['install'], project);
    rmSync(join(project, 'node_modules'), { recursive: true });
    await run('npm', ['ci'], project);
    await run('npm', ['run', 'lint'], project);
    await run('npm', ['test'], project);
    await run('npm', ['run', 'build'], project);
    await run('npm', ['prune', '--omit=dev'], project);
    await expectToWork(project, ALONE, true);
    expect(await run('npm', ['run', '--silent', 'add-agent', '--', 'ann'], project)).toContain('ann');
  });

  it('pass their tests', async () => {
    // The tests of a project are the same on every server.
    const differing = new Map(
      TOGETHER.map((answers) => [`${answers.language} ${answers.adapter}`, nameOf(answers)]),
    );
    const projects = [...differing.values()];
    writeFileSync(
      join(together(), 'vitest.config.js'),
      `export default { test: { projects: ${JSON.stringify(projects)} } };`,
    );
    const output = await run(process.execPath, [fileOf(together(), 'vitest/vitest.mjs'), 'run'], together());
    for (const name of projects) expect(output).toContain(`|${name}|`);
    expect(output).toContain(`Test Files  ${projects.length} passed (${projects.length})`);
  });

  it('pass their linter', async () => {
    const paths = TOGETHER.map(nameOf).flatMap((name) => {
      const script = scriptsOf(join(together(), name)).lint ?? '';
      expect(script).toMatch(/^oxlint --deny-warnings( \S+)* src test$/);
      return script
        .split(' ')
        .slice(2)
        .map((path) => join(name, path));
    });
    await run(fileOf(together(), '.bin/oxlint'), ['--deny-warnings', ...paths], together());
  });

  it('are also written by npm create, from a package of the same version', async () => {
    const [own, create] = ['package.json', 'create/package.json'].map((file) =>
      JSON.parse(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect([create.version, create.dependencies['handoff-kit']]).toEqual([own.version, own.version]);
    const parent = mkdtempSync(join(folder, 'created-'));
    const args = ['create', 'handoff-kit', 'my-app', '--', '--yes', '--language', 'js', '--host', 'koa'];
    // npm asks before it runs a package that is not installed.
    const shown = await runIn('npm', args, parent, { ...registry.env, npm_config_yes: 'true' });
    expect(shown).toContain('(js, koa, sqlite, none)');
    expect(existsSync(join(parent, 'my-app/src/server.js'))).toBe(true);
  });

  it('say which variables are missing', async () => {
    const [answers = ALONE] = TOGETHER.filter(
      ({ host, delivery }) => host !== 'next' && delivery === 'postgres',
    );
    const project = mkdtempSync(join(together(), 'without-settings-'));
    const { start: command = '' } = scriptsOf(join(together(), nameOf(answers)));
    const script = command.replace('node ', `node ${join(together(), nameOf(answers))}/`);
    await expect(start(project, script, { WEBHOOK_USERNAME: 'acme' })).rejects.toThrow(
      'Set HANDOFF_TOKEN, PLATFORM_BASE_URL, PLATFORM_API_KEY, DATABASE_URL',
    );
  });

  // In one folder, a project would find packages that only others name.
  it.each(TOGETHER.map(nameOf))('name every package that they import: %s', (name) => {
    const project = join(together(), name);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const imported = importsOf(project);
    expect(imported).toContain('handoff-kit');
    expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(expect.arrayContaining(imported));
  });

  it.each(TOGETHER.map((answers) => [nameOf(answers), answers] as const))(
    'work: %s',
    async (name, answers) => {
      await builds.get(name);
      await expectToWork(join(together(), name), answers);
    },
  );

  it('serve --dev runs without a project, and without SQLite in memory with one warning', async () => {
    const cwd = mkdtempSync(join(folder, 'empty-'));
    const child = spawn(process.execPath, [cli(), 'serve', '--dev', '--port', '0'], {
      cwd,
      env: environment(),
    });
    children.push(child);
    let [stdout, stderr] = ['', ''];
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await new Promise<void>((printed, ended) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (stdout.includes('--show-text shows it.')) printed();
      });
      child.once('exit', (code) => ended(new Error(`it ended with ${code}: ${stderr}`)));
    });
    const commands = [...stdout.matchAll(/^ {2}(curl .*)$/gm)].map(
      ([, command]) => `${command} -fsS -o answer.json`,
    );
    expect(commands).toHaveLength(5);
    for (const command of [...commands, ...commands]) await run('bash', ['-c', command], cwd);
    const warnings = stderr.match(/warning: .*/g) ?? [];
    const hasSqlite = isBuiltin('node:sqlite');
    expect(warnings).toEqual(hasSqlite ? [] : [expect.stringContaining('events are kept in memory')]);
    expect(existsSync(join(cwd, 'handoff.db'))).toBe(hasSqlite);
  });

  it('name versions that this package is tested with', async () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'test/bindings/next/package.json'), 'utf8'));
    const answers: Answers = { language: 'ts', host: 'next', delivery: 'inline', adapter: 'none' };
    const path = await init('versions', answers, folder);
    const project = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    for (const name of ['next', 'react', 'react-dom'])
      expect(project.dependencies[name]).toBe(`^${dependencies[name]}`);
    for (const name of ['@types/react', 'typescript'])
      expect(project.devDependencies[name]).toBe(`^${dependencies[name]}`);
  });
});
