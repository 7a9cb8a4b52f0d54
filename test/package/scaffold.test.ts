import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
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
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Answers, conflictOf, QUESTIONS } from '../../src/cli/init/choices.js';
import { freePort } from '../helpers/free-port.js';
import { type PostgresServer, startServer } from '../helpers/postgres-server.js';
import { describeWith } from '../helpers/requirement.js';

/**
 * Projects of `init`, as a user makes them: from the packed package, installed, type-checked, tested, built, started,
 * and asked by the platform. Every pair of answers occurs in one of them.
 */
const ROOT = resolve(import.meta.dirname, '../..');

let folder = '';
let tarball = '';
let database: PostgresServer;
const children: ChildProcess[] = [];

/** The environment without the variables of this test run. */
const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|TEST$|npm_|JEST_)/.test(name)),
  ),
  NEXT_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
});

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: environment(),
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} failed (${status}): ${error ?? ''}${stdout}${stderr}`);
  }
  return stdout;
}

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
function init(name: string, { host, delivery, adapter }: Answers, parent = folder): string {
  const cli = join(folder, 'node_modules/handoff-kit/dist/cli/main.js');
  const flags = ['--host', host, '--delivery', delivery, '--adapter', adapter];
  mkdirSync(parent, { recursive: true });
  const shown = run(process.execPath, [cli, 'init', name, ...flags], parent);
  expect(shown).toContain(`cd ${name}\n  npm install\n`);
  return join(parent, name);
}

const install = (project: string): string =>
  run('npm', ['install', '--silent', '--prefer-offline', '--no-audit', '--no-fund'], project);

/** The `package.json` of a project, which takes this package from the tarball. */
function packageOf(project: string): { dependencies: object; devDependencies: object } {
  const text = readFileSync(join(project, 'package.json'), 'utf8');
  return JSON.parse(text.replace(/"handoff-kit": "[^"]*"/, `"handoff-kit": "file:${tarball}"`));
}

/** Writes projects below one folder, and installs the packages of all of them once, in that folder. */
function initTogether(parent: string, all: readonly Answers[]): void {
  const projects = all.map((answers) => packageOf(init(nameOf(answers), answers, parent)));
  const together = {
    private: true,
    dependencies: Object.assign({}, ...projects.map(({ dependencies }) => dependencies)),
    devDependencies: Object.assign({}, ...projects.map(({ devDependencies }) => devDependencies)),
  };
  writeFileSync(join(parent, 'package.json'), JSON.stringify(together));
  install(parent);
}

const nameOf = (answers: Answers): string => Object.values(answers).join('-');
/** Next needs another version of TypeScript than the others, so its packages are installed apart. */
const parentOf = ({ host }: Answers): string => join(folder, host === 'next' ? 'next' : 'servers');

/** The file of a package that a project uses, in its own folder or in the one above. */
const fileOf = (project: string, path: string): string =>
  [project, join(project, '..')]
    .map((place) => join(place, 'node_modules', path))
    .find((file) => existsSync(file)) ?? path;

/** Starts the built project with its own `.env`, and resolves to its URL once it answers. */
async function start(
  project: string,
  { host, delivery }: Answers,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const file = join(project, '.env');
  const env = { ...environment(), PORT: String(port), NODE_ENV: 'production' };
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

/** Tests, builds and starts a project, and stops it again. Both kinds of build check the types. */
async function expectToWork(project: string, answers: Answers): Promise<void> {
  const bin = (path: string): string => fileOf(project, path);
  run(process.execPath, [bin('vitest/vitest.mjs'), 'run'], project);
  const build = answers.host === 'next' ? [bin('next/dist/bin/next'), 'build'] : [bin('typescript/bin/tsc')];
  run(process.execPath, build, project);
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

const PAIRS = allPairs();

/** These tests install packages, as those of the packed package do. */
const TOOLS_FOUND = {
  name: 'package-tools',
  found: existsSync(join(import.meta.dirname, 'tools/node_modules/typescript/package.json')),
  leavesOut: 'the projects of init',
  howToGet: 'npm ci --prefix test/package/tools',
};

describeWith(TOOLS_FOUND)('the projects of init', () => {
  vi.setConfig({ testTimeout: 240_000 });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'handoff-kit-init-'));
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT);
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, dependencies: { 'handoff-kit': `file:${tarball}` } }),
    );
    install(folder);
    for (const isNext of [false, true]) {
      const all = PAIRS.filter(({ host }) => (host === 'next') === isNext);
      initTogether(join(folder, isNext ? 'next' : 'servers'), all);
    }
    database = await startServer();
  }, 600_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('work after npm install in their own folder', async () => {
    const answers: Answers = { host: 'express', delivery: 'sqlite', adapter: 'desk' };
    const project = init('installed', answers, join(folder, 'alone'));
    writeFileSync(join(project, 'package.json'), JSON.stringify(packageOf(project)));
    install(project);
    await expectToWork(project, answers);
    expect(run('npm', ['run', '--silent', 'add-agent', '--', 'ann'], project)).toContain('ann');
  });

  it.each(PAIRS.map((answers) => [nameOf(answers), answers] as const))('work: %s', (name, answers) =>
    expectToWork(join(parentOf(answers), name), answers),
  );

  it('serve --dev runs without a project, and without SQLite in memory with one warning', async () => {
    const cwd = mkdtempSync(join(folder, 'empty-'));
    const cli = join(folder, 'node_modules/handoff-kit/dist/cli/main.js');
    const child = spawn(process.execPath, [cli, 'serve', '--dev', '--port', '0'], {
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
    for (const command of [...commands, ...commands]) run('bash', ['-c', command], cwd);
    const warnings = stderr.match(/warning: .*/g) ?? [];
    const hasSqlite = isBuiltin('node:sqlite');
    expect(warnings).toEqual(hasSqlite ? [] : [expect.stringContaining('events are kept in memory')]);
    expect(existsSync(join(cwd, 'handoff.db'))).toBe(hasSqlite);
  });

  it('name versions that this package is tested with', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'test/bindings/next/package.json'), 'utf8'));
    const project = JSON.parse(
      readFileSync(
        join(init('versions', { host: 'next', delivery: 'inline', adapter: 'none' }), 'package.json'),
        'utf8',
      ),
    );
    for (const name of ['next', 'react', 'react-dom'])
      expect(project.dependencies[name]).toBe(`^${dependencies[name]}`);
    for (const name of ['@types/react', 'typescript'])
      expect(project.devDependencies[name]).toBe(`^${dependencies[name]}`);
  });
});
