import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** Stands in for curl: prints its arguments, which are sent here, since a program for each command takes long. */
const STAND_IN = `#!/bin/sh
printf '%s\\0' "$@"
`;

/** Sends what curl would send for the arguments of the printed commands. Resolves to the status of the answer. */
async function send([url = '', ...args]: readonly string[]): Promise<number> {
  const headers: Record<string, string> = {};
  let body = '';
  for (let index = 0; index < args.length; index += 2) {
    const [name = '', value = ''] = args.slice(index, index + 2);
    if (name === '-u') headers.authorization = `Basic ${Buffer.from(value).toString('base64')}`;
    else if (name === '-H')
      headers[value.slice(0, value.indexOf(':'))] = value.slice(value.indexOf(':') + 1).trim();
    else if (name === '-d') body = value;
    else throw new Error(`curl is not called with ${name}`);
  }
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Pastes commands into a shell, one after another. Resolves to the status of each answer. */
export async function paste(
  commands: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'curl'), STAND_IN, { mode: 0o755 });
  const answers: number[] = [];
  for (const command of commands) {
    const options = { env: { ...env, PATH: `${folder}:${process.env.PATH}` } };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], options);
    answers.push(await send(stdout.split('\0').slice(0, -1)));
  }
  return answers;
}

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Runs this package where the printed commands say `npx handoff-kit`. */
const NPX = `#!/bin/sh
shift
exec '${process.execPath}' '${MAIN}' "$@"
`;

/** Pastes commands of this package into a shell of a folder, one after another. Resolves to their exit codes. */
export async function pasteKit(commands: readonly string[], cwd: string): Promise<(number | string)[]> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'npx'), NPX, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const codes: (number | string)[] = [];
  for (const command of commands) {
    codes.push(
      await promisify(execFile)('sh', ['-c', command], { cwd, env }).then(
        () => 0,
        ({ stdout, stderr }) => `${stdout}${stderr}`,
      ),
    );
  }
  return codes;
}
