import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { collectWritten, type Written } from './written.js';

/** A program that runs, in a child process or in this one. */
export interface RunningProgram extends Written {
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves to its exit code once it has ended. */
  readonly ended: Promise<number | null>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The only variables that a program inherits from this process. */
const INHERITED = { PATH: process.env.PATH, HOME: process.env.HOME };

/** Runs a file of this package with Node until the test ends. It needs `dist`, which `npm test` builds. */
export function runNode(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  cwd: string = process.cwd(),
): RunningProgram {
  const child = spawn(process.execPath, [`${ROOT}${file}`, ...args], { env: { ...INHERITED, ...env }, cwd });
  const { written, add, end } = collectWritten();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => add(name, text));
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      resolve(code);
      end();
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { ...written, signal: (signal) => child.kill(signal), ended };
}

/** Runs `handoff-kit serve` in a child process with its text for people, without a database by default. */
export const runServeAsText = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  cwd?: string,
): RunningProgram => runNode(['dist/cli/main.js', 'serve', ...args], { DATABASE_URL: 'none', ...env }, cwd);

/** Runs `handoff-kit serve --json` in a child process. */
export const runServe: typeof runServeAsText = (args, env, cwd) =>
  runServeAsText(['--json', ...args], env, cwd);

/** Waits for the JSON line that `serve` prints when it listens. Resolves to the URL in it. */
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
