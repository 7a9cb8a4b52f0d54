import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import type { RunningProgram } from '../standalone/program.js';
import { collectWritten } from '../standalone/written.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The outcome of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  readonly json: () => unknown;
}

/** The surroundings of a command. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
  readonly cwd?: string;
}

/** Runs a command to its end, in this process. It has only PATH of this environment. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  return outcomeOf(launch(args, options));
}

/** Runs a command of `dist` to its end, in a process of its own, for tests of the process itself. */
export async function runCliProcess(
  args: readonly string[],
  { env = {}, input = '', cwd }: CliOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env }, cwd });
  const { written, add } = collectWritten();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => add(name, text));
  }
  // A command that does not read its input closes it, which causes EPIPE here.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return outcomeOf({ ...written, ended });
}

/** Starts a command in this process that runs until a signal, or until the test ends. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningProgram {
  const program = launch(args, options);
  onTestFinished(async () => {
    program.stop();
    await program.ended;
  });
  return program;
}

async function outcomeOf({ ended, stdout, stderr }: Omit<RunningProgram, 'signal'>): Promise<Ended> {
  const code = await ended;
  return { code, stdout: stdout(), stderr: stderr(), json: () => JSON.parse(stdout()) };
}

/** Signals and errors that a command listens to. */
const EVENTS = ['SIGINT', 'SIGTERM', 'uncaughtException'] as const;

let running: string | null = null;

/** Commands use `process` itself, so that one at a time can have it. */
function launch(
  args: readonly string[],
  options: CliOptions,
): RunningProgram & { readonly stop: () => void } {
  if (running !== null) throw new Error(`handoff-kit ${running} still runs in this process.`);
  running = args.join(' ');
  const { written, add, end } = collectWritten();
  const earlier = new Map(EVENTS.map((name) => [name, process.rawListeners(name)]));
  const listeners = (name: (typeof EVENTS)[number]) =>
    process.rawListeners(name).filter((listener) => !earlier.get(name)?.includes(listener));
  const giveBack = takeProcess(options, add);
  let isStopping = false;

  const signal = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT' && name !== 'SIGTERM') throw new Error(`${name} would end this process.`);
    const reactions = listeners(name);
    // Node would end a process that does not listen.
    if (reactions.length === 0) throw new Error(`handoff-kit ${args.join(' ')} does not listen for ${name}.`);
    isStopping = true;
    for (const reaction of reactions) reaction.call(process, name);
  };
  const run = async (): Promise<number> => {
    try {
      await runProgram(['node', 'handoff-kit', ...args]);
      return Number(process.exitCode ?? 0);
    } finally {
      for (const name of EVENTS) {
        for (const listener of listeners(name)) process.off(name, listener as () => void);
      }
      giveBack();
      running = null;
      end();
    }
  };
  return {
    ...written,
    ended: run(),
    signal,
    stop: () => {
      if (running !== null && !isStopping) signal('SIGTERM');
    },
  };
}

/** Gives a command its own environment, streams, folder and exit code. Returns a function that restores them. */
function takeProcess(
  { env = {}, input = '', cwd = process.cwd() }: CliOptions,
  add: (name: 'stdout' | 'stderr', text: string) => void,
): () => void {
  const { env: environment, exitCode } = process;
  const folder = process.cwd();
  const { destination } = pino;
  const restore = [
    replaceStream('stdin', Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false })),
    ...(['stdout', 'stderr'] as const).map((name) =>
      replaceStream(name, {
        write(text: string) {
          add(name, text);
          return true;
        },
      }),
    ),
  ];
  process.env = { PATH: environment.PATH, ...env };
  process.exitCode = undefined;
  process.chdir(cwd);
  // With --json the log is written to the file descriptor, and not to the stream.
  Object.assign(pino, { destination: () => process.stderr });
  return () => {
    for (const undo of restore) undo();
    process.env = environment;
    process.exitCode = exitCode;
    process.chdir(folder);
    Object.assign(pino, { destination });
  };
}

function replaceStream(name: 'stdin' | 'stdout' | 'stderr', stream: object): () => void {
  const original = Object.getOwnPropertyDescriptor(process, name);
  if (!original) throw new Error(`process has no ${name}`);
  Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true });
  return () => {
    Object.defineProperty(process, name, original);
  };
}
