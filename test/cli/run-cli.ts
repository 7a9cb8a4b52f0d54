import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The outcome of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  readonly json: () => unknown;
}

/** Runs a command of `dist` to its end. It inherits only PATH from this environment. */
export async function runCli(
  args: readonly string[],
  {
    env = {},
    input = '',
    cwd,
  }: { env?: Readonly<Record<string, string>>; input?: string; cwd?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env }, cwd });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  // A command that does not read its input closes it, which causes EPIPE here.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { code, ...written, json: () => JSON.parse(written.stdout) };
}
