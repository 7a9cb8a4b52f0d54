import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Answers, conflictOf, QUESTIONS } from '../../src/cli/init/choices.js';
import { freePort } from '../helpers/free-port.js';
import { type PostgresServer, startServer } from '../helpers/postgres-server.js';
import { describeWith } from '../helpers/requirement.js';
import { environment, packageTools, ROOT, run as runIn } from './installed.js';
import { openRegistry, type Registry, takesNewest } from './registry.js';

/**
 * Projects of `init`, as a user makes them: from the packed package, installed, type-checked, tested, built, started,
 * and asked by the platform. Every pair of answers occurs in one of them.
 */
let folder = '';
let registry: Registry;
let database: PostgresServer;
const children: ChildProcess[] = [];
/** The builds of Next, by the name of the project. */
const builds = new Map<string, Promise<unknown>>();

const run = (command: string, args: readonly string[], cwd: string): Promise<string> =>
  runIn(command, args, cwd, { ...registry.env, NEXT_TELEMETRY_DISABLED: '1' });

/** The smallest list that a greedy search finds in which every possible pair of answers occurs. */
function allPairs(): Answers[] {
  const products = QUESTIONS.host.flatMap(({ name: host }) =>
    QUESTIONS.delivery.flatMap(({ name: delivery }) =>
      QUESTIONS.adapter.map(({ name: adapter }) => ({ host, delivery, adapter })),
    ),
  );
  const possible = products.filter((answers) => conflictOf(answers) === null);
  const pairsOf = ({ host, delivery, adapter }: Answers): string[] => [
    `${host} ${delivery}`,
    `${host} ${adapter}`,
    `${delivery} ${adapter}`,
  ];
  const missing = new Set(possible.flatMap(pairsOf));
  const chosen: Answers[] = [];
  while (missing.size > 0) {
    const covers = (answers: Answers): number => pairsOf(answers).filter((pair) => missing.has(pair)).length;
    const [best] = possible.toSorted((one, other) => covers(other) - covers(one));
    if (!best) break;
    chosen.push(best);
    for (const pair of pairsOf(best)) missing.delete(pair);
  }
  return chosen;
}

/** Writes a project with the command of the packed package. */
async function init(name: string, { host, delivery, adapter }: Answers, parent: string): Promise<string> {
  const flags = ['--host', host, '--delivery', delivery, '--adapter', adapter];
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
  const servers = TOGETHER.filter(({ host }) => host !== 'next').map(nameOf);
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

/** Starts the built project with its own `.env`, and resolves to its URL once it answers. */
async function start(
  project: string,
  { host, delivery }: Answers,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const file = join(project, '.env');
  const env = {
    ...environment(),
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    NODE_ENV: 'production',
  };
  if (delivery === 'postgres') Object.assign(env, { DATABASE_URL: database.connectionString });
  const args =
    host === 'next'
      ? [fileOf(project, 'next/dist/bin/next'), 'start', '-p', String(port)]
      : [`--env-file=${file}`, 'dist/server.js'];
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
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

const settingsOf = (project: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(project, '.env'), 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** Probes both webhooks, as the platform does, with the settings of the project. */
async function probe(project: string, url: string): Promise<number[]> {
  const { WEBHOOK_USERNAME, HANDOFF_TOKEN } = settingsOf(project);
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

/** Starts a built project, asks it as others would, and stops it again. */
async function expectToWork(project: string, answers: Answers): Promise<void> {
  const { url, child } = await start(project, answers);
  expect(await probe(project, url)).toEqual([200, 200, 401]);
  if (answers.adapter === 'desk') expect((await fetch(`${url}/desk/`)).status).toBeLessThan(400);
  if (answers.adapter === 'slack' || answers.adapter === 'chatwoot') {
    const answer = await fetch(`${url}/adapters/${answers.adapter}`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  }
  child.kill('SIGTERM');
  await new Promise((ended) => (child.exitCode === null ? child.once('exit', ended) : ended(null)));
}

/** The project that is installed in its own folder, with the commands that its README names. */
const ALONE: Answers = { host: 'express', delivery: 'sqlite', adapter: 'desk' };

/** All others. The builds of Next take longest, so they come last. */
const TOGETHER = allPairs()
  .filter((answers) => nameOf(answers) !== nameOf(ALONE))
  .toSorted((one, other) => Number(one.host === 'next') - Number(other.host === 'next'));

/** The packages that the files of a project import. */
function importsOf(project: string): string[] {
  const files = readdirSync(project, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(^|\/)(node_modules|dist|\.next)\//.test(file),
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
  vi.setConfig({ testTimeout: 240_000 });

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
  }, 600_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.allSettled(builds.values());
    registry?.close();
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('work after npm install in their own folder', async () => {
    const project = await init(nameOf(ALONE), ALONE, join(folder, 'alone'));
    await run('npm', ['install'], project);
    await run('npm', ['test'], project);
    await run('npm', ['run', 'build'], project);
    await expectToWork(project, ALONE);
    expect(await run('npm', ['run', '--silent', 'add-agent', '--', 'ann'], project)).toContain('ann');
  });

  it('pass their tests', async () => {
    writeFileSync(
      join(together(), 'vitest.config.js'),
      `export default { test: { projects: ${JSON.stringify(TOGETHER.map(nameOf))} } };`,
    );
    const output = await run(process.execPath, [fileOf(together(), 'vitest/vitest.mjs'), 'run'], together());
    for (const name of TOGETHER.map(nameOf)) expect(output).toContain(`|${name}|`);
    expect(output).toContain(`Test Files  ${TOGETHER.length} passed (${TOGETHER.length})`);
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
    const answers: Answers = { host: 'next', delivery: 'inline', adapter: 'none' };
    const path = await init('versions', answers, folder);
    const project = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    for (const name of ['next', 'react', 'react-dom'])
      expect(project.dependencies[name]).toBe(`^${dependencies[name]}`);
    for (const name of ['@types/react', 'typescript'])
      expect(project.devDependencies[name]).toBe(`^${dependencies[name]}`);
  });
});
