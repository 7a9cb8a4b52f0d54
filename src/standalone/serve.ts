import { type DestinationStream, type Logger, pino } from 'pino';
import type { Delivery } from '../delivery/index.js';
import { createLog } from '../internal/create-log.js';
import { HandoffKitError } from '../internal/index.js';
import { createReadableLog } from '../internal/readable-log.js';
import { checkAtStart } from './connect-adapter.js';
import { createStandalone, type Standalone } from './create-standalone.js';
import { openDelivery } from './database.js';
import { createReporter } from './reporter.js';
import { type ReadSettings, readSettings } from './settings/read-settings.js';
import type { Settings } from './settings/settings-schema.js';
import type { SettingSources } from './settings/settings-sources.js';
import { onStopSignal, type SignalSource } from './signals.js';
import { welcome } from './welcome.js';

export { createStandalone, readSettings };

/** The output format of the program. */
export interface ServeOutput {
  /** One JSON object per line: events on standard output, the log on standard error, in one shape. */
  readonly json: boolean;
  readonly colours: boolean;
}

/** What the program uses of its process. A test that runs several programs in one process gives each its own. */
export interface ServeProcess extends SignalSource {
  readonly stdout: DestinationStream;
  readonly stderr: DestinationStream;
  on(event: 'uncaughtException', listener: (error: Error) => void): unknown;
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

/**
 * Runs the receiver as this process's program until a signal stops it. Resolves to the exit code: 0 when every
 * running handler finished, else 1. Rejects when the program cannot start.
 */
export async function serve(
  sources: SettingSources,
  { json, colours }: ServeOutput,
  host: ServeProcess = process,
): Promise<number> {
  const read = await readSettings(sources);
  const { bots, generated, inEnvFile } = read;
  const { logLevel: level, showText } = read.settings;
  const reporter = createReporter({ json, colours, showText, write: (line) => host.stdout.write(line) });
  const destination = json
    ? jsonDestination(host)
    : createReadableLog((line) => host.stderr.write(line), colours);
  const log = createLog({ level, showText, destination, plain: json });

  const crash = (err: unknown): void => {
    log.fatal({ err }, 'uncaught exception: stopping at once');
    host.exit(1);
  };
  // Node reports unhandled rejections through this event, too.
  host.on('uncaughtException', crash);

  const { settings, delivery, storageAdvice } = await openStorage(read, sources.dev ?? false, log);
  const oneTimeLinksFor = sources.dev
    ? [{ id: 'dev', name: 'Developer', role: 'administrator' as const }]
    : [];
  const standalone = await createStandalone(settings, {
    reporter,
    log,
    delivery,
    bots,
    oneTimeLinksFor,
    // The developer sends the requests and reads them in the terminal.
    acceptsUnanswered: sources.dev ?? false,
  });
  const url = await listenOrClose(standalone);

  const stopSignal = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignal(host, {
      first: resolve,
      again() {
        reporter.status('stopped', { forced: true }, 'Second signal: stopping at once.');
        host.exit(1);
      },
    });
  });
  const { adapters, receiver } = standalone;
  const { dev = false } = sources;
  const { data, text } = welcome({ url, settings, bots, generated, inEnvFile, dev, adapters, storageAdvice });
  reporter.status('listening', data, text);
  for (const adapter of adapters) void checkAtStart(adapter, log, () => !receiver.accepting);

  const signal = await stopSignal;
  const pending = await pendingOf(standalone);
  const left = delivery ? 'stored and not handled; the rest waits for the next start' : 'running';
  const { shutdownDelay: delayMs } = settings;
  const open = delayMs === 0 ? '' : ` The port stays open for ${delayMs / 1_000} s.`;
  const wait = pending === 0 ? '' : ` ${pending} ${left}.`;
  const again = open || wait ? ' A second signal stops at once.' : '';
  const closed = standalone.close();
  reporter.status('stopping', { signal, pending }, `${signal}: stopping.${open}${wait}${again}`);
  const { unfinished } = await closed;
  const rest = unfinished === 0 ? 'everything finished' : `${unfinished} not finished in time`;
  reporter.status('stopped', { unfinished }, `Stopped: ${rest}.`);
  return unfinished === 0 ? 0 : 1;
}

/** pino's own destination outlives a reader that closes standard error. */
const jsonDestination = (host: ServeProcess): DestinationStream =>
  host === process ? pino.destination({ dest: 2, sync: true }) : host.stderr;

/** In development mode the default database may be missing: nothing is stored then. */
async function openStorage(
  { settings, hasDatabaseUrl }: ReadSettings,
  dev: boolean,
  log: Logger,
): Promise<{
  readonly settings: Settings;
  readonly delivery: Delivery | null;
  readonly storageAdvice: string | null;
}> {
  try {
    return { settings, delivery: await openDelivery(settings.databaseUrl, settings), storageAdvice: null };
  } catch (error) {
    const isMissing = error instanceof HandoffKitError && error.code === 'SQLITE_MISSING';
    if (!isMissing || !dev || hasDatabaseUrl) throw error;
    log.warn({}, `events are kept in memory and lost at the end: ${SQLITE_ADVICE}`);
    return {
      settings: { ...settings, databaseUrl: { kind: 'none' } },
      delivery: null,
      storageAdvice: SQLITE_ADVICE,
    };
  }
}

const SQLITE_ADVICE =
  'this version of Node has no built-in SQLite. To store them, npm install @photostructure/sqlite, or use Node 22.13 or newer.';

/** A program that cannot listen must not work on stored events. */
async function listenOrClose(standalone: Standalone): Promise<string> {
  try {
    return await standalone.listen();
  } catch (error) {
    await standalone.close();
    throw error;
  }
}

/** A failing database must not prevent an orderly shutdown. */
async function pendingOf({ receiver }: Standalone): Promise<number> {
  try {
    return (await receiver.stats()).pending;
  } catch {
    return 0;
  }
}
