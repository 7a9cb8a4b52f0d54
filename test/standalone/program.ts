import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A program that runs as a process of its own, as users run it. */
export interface RunningProgram {
  /** Everything it wrote to standard output so far. */
  readonly stdout: () => string;
  /** Everything it wrote to standard error so far. */
  readonly stderr: () => string;
  /** Resolves to the match once its output, or what it complains of, has it. Rejects when it ends before. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves to its exit code once it has ended. */
  readonly ended: Promise<number | null>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a program inherits; nothing else of this process's environment reaches it. */
const INHERITED = { PATH: process.env.PATH, HOME: process.env.HOME };

/** Runs a file of this package with Node until the test ends. It needs `dist`, which `npm test` builds. */
export function runNode(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  cwd: string = process.cwd(),
): RunningProgram {
  const child = spawn(process.execPath, [`${ROOT}${file}`, ...args], { env: { ...INHERITED, ...env }, cwd });
  const written = { stdout: '', stderr: '' };
  const hearers = new Set<() => void>();
  const tell = (): void => {
    for (const hear of hearers) hear();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      tell();
    });
  }
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      hasEnded = true;
      resolve(code);
      tell();
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });

  return {
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
          if (match) resolve(match);
          else if (hasEnded)
            reject(new Error(`ended before ${pattern}:\n${written.stdout}${written.stderr}`));
          else return;
          hearers.delete(look);
        };
        hearers.add(look);
        look();
      }),
    signal: (signal) => child.kill(signal),
    ended,
  };
}

/** Runs `handoff-kit serve`, which stores nothing unless it is told where. */
export const runServe = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  cwd?: string,
): RunningProgram => runNode(['dist/cli/main.js', 'serve', ...args], { DATABASE_URL: 'none', ...env }, cwd);

/** The address in what `serve` writes as JSON once it listens. */
export async function addressOf(program: RunningProgram): Promise<string> {
  const [, url = ''] = await program.until(/"status":"listening","url":"([^"]+)"/);
  return url;
}

/** Sends JSON. */
export const post = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
