import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/handoff-kit-packed');

/** For one program. Those that wait for a server in vain should fail before the test does, with their output. */
const TIMEOUT_MS = 300_000;

/** The environment without the variables of this test run. npm needs the certificates behind some proxies. */
export const environment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|NODE_(?!EXTRA_CA_CERTS)|JEST_|TEST$|npm_)/.test(name),
    ),
  ),
  NO_COLOR: '1',
});

/** Runs a program without the variables of this test run, and gives its output. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const status = await new Promise<number | string | null>((ended, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => ended(code ?? signal));
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (${status}): ${stdout}${stderr}`);
  return stdout;
}

/** A digest of all files that may be packed, by their sizes and times. */
function digestOfFiles(): string {
  const { files }: { readonly files: readonly string[] } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      for (const name of readdirSync(join(ROOT, path)).toSorted()) {
        if (name !== 'node_modules') add(join(path, name));
      }
    } else if (stats) hash.update(`${path} ${stats.size} ${stats.mtimeMs}\n`);
  };
  const included = files.filter((path) => !path.startsWith('!'));
  // The part of a pattern before its first wildcard is enough: too many files do no harm.
  for (const path of ['package.json', 'README.md', 'LICENSE', ...included])
    add(path.replace(/[^/]*\*.*$/, ''));
  return hash.digest('hex').slice(0, 20);
}

/** The file that `npm pack` makes. It takes several seconds, so the file is kept until something changes. */
export async function packedPackage(): Promise<Buffer> {
  if (!existsSync(join(ROOT, 'dist/public/index.js'))) throw new Error('dist is missing. Run: npm run build');
  const kept = join(CACHE, `${digestOfFiles()}.tgz`);
  try {
    return readFileSync(kept);
  } catch {
    return pack(kept);
  }
}

async function pack(kept: string): Promise<Buffer> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'new-'));
  try {
    await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], ROOT);
    const [name = ''] = readdirSync(folder);
    const tarball = readFileSync(join(folder, name));
    for (const old of readdirSync(CACHE)) {
      if (old.endsWith('.tgz')) rmSync(join(CACHE, old), { force: true });
    }
    renameSync(join(folder, name), kept);
    return tarball;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tools of others, and packages that only tests of the packed package install. */
export const TOOLS = join(import.meta.dirname, 'tools/node_modules');

/** What tests of the packed package need, as a requirement. */
export const packageTools = (leavesOut: string) => ({
  name: 'package-tools',
  found: ['typescript54', 'pnpm'].every((name) => existsSync(join(TOOLS, name, 'package.json'))),
  leavesOut,
  howToGet: 'npm ci --prefix test/package/tools',
});
