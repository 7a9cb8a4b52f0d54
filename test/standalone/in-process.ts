import { EventEmitter } from 'node:events';
import { Command } from 'commander';
import { onTestFinished } from 'vitest';
import { type CommandProcess, define } from '../../src/cli/commands/serve.js';
import type { Delivery } from '../../src/delivery/index.js';
import { createStandalone, type StandaloneParts } from '../../src/standalone/create-standalone.js';
import { createReporter } from '../../src/standalone/reporter.js';
import { readSettings } from '../../src/standalone/settings/read-settings.js';
import { logLines } from '../helpers/log-lines.js';
import { ENVIRONMENT } from './environment.js';
import type { RunningProgram } from './program.js';
import { collectWritten } from './written.js';

/** Starts the program in this process until the test ends, with output and log in memory. */
export async function startStandalone(
  env: Readonly<Record<string, string | undefined>> = {},
  delivery: Delivery | null = null,
  more: Pick<StandaloneParts, 'acceptsUnanswered'> = {},
) {
  const { settings } = await readSettings({ env: { ...ENVIRONMENT, ...env } });
  const printed: string[] = [];
  const reporter = createReporter({
    json: true,
    colours: false,
    showText: settings.showText,
    write: (line) => printed.push(line),
  });
  const logged = logLines();
  const standalone = await createStandalone(settings, { reporter, log: logged.log, delivery, ...more });
  const url = await standalone.listen();
  onTestFinished(async () => {
    await standalone.close();
  });
  return { standalone, url, logged, printed: () => printed.join('') };
}

/**
 * Runs the command `serve` in this process with its text for people, without a database by default. Several can run at
 * once, also beside other commands. The settings in a file `.env` are not read.
 */
export function serveAsTextInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): RunningProgram {
  const { written, add, end } = collectWritten();
  const events = new EventEmitter();
  const host: CommandProcess = {
    env: { DATABASE_URL: 'none', ...env },
    stdout: { write: (text) => add('stdout', text) },
    stderr: { write: (text) => add('stderr', text) },
    on: events.on.bind(events),
    exit(code) {
      throw new Error(`serve wanted to end this process with ${code}: ${written.stderr()}`);
    },
  };
  const command = new Command('serve').exitOverride();
  define(command, host);
  const ended = command.parseAsync(args, { from: 'user' }).then(() => Number(host.exitCode ?? 0));
  ended.then(end, end);
  let isStopping = false;
  const signal = (name: NodeJS.Signals): void => {
    isStopping = true;
    events.emit(name, name);
  };
  onTestFinished(async () => {
    if (!isStopping) signal('SIGTERM');
    await ended;
  });
  return { ...written, signal, ended };
}

/** Runs the command `serve --json` in this process, as {@link serveAsTextInProcess} does. */
export const serveInProcess: typeof serveAsTextInProcess = (args, env) =>
  serveAsTextInProcess(['--json', ...args], env);
