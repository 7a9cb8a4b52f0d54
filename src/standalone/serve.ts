import { pino } from 'pino';
import { createLog } from '../internal/index.js';
import { checkAtStart } from './adapters/index.js';
import { createStandalone, type Standalone } from './create-standalone.js';
import type { SettingSources } from './gather-settings.js';
import { openDelivery } from './open-database.js';
import { readSettings } from './read-settings.js';
import { createReadableLog } from './readable-log.js';
import { createReporter } from './reporter.js';
import { onStopSignal } from './signals.js';
import { welcome } from './welcome.js';

/** How the program shows what happens. */
export interface ServeOutput {
  /** One JSON object a line on standard output, and pino's own lines on standard error. */
  readonly json: boolean;
  /** Whether text has colours. */
  readonly colours: boolean;
}

/**
 * Runs the receiver as this process's program until a signal ends it. Gives the exit code: 0 when all that ran
 * could finish, 1 when it could not. Throws when it cannot start.
 */
export async function serve(sources: SettingSources, { json, colours }: ServeOutput): Promise<number> {
  const { settings, generated } = await readSettings(sources);
  const { logLevel: level, showText } = settings;
  const reporter = createReporter({ json, colours, showText, write: (line) => process.stdout.write(line) });
  const destination = json
    ? pino.destination({ dest: 2, sync: true })
    : createReadableLog((line) => process.stderr.write(line), colours);
  const log = createLog({ level, showText, destination });

  const crash = (err: unknown): void => {
    log.fatal({ err }, 'something failed that nobody handles: stopping at once');
    process.exit(1);
  };
  // Node brings rejections that nobody handles here, too.
  process.on('uncaughtException', crash);

  const delivery = await openDelivery(settings.databaseUrl, settings);
  const oneTimeLinkFor = sources.dev ? { id: 'dev', name: 'Developer' } : undefined;
  const standalone = await createStandalone(settings, { reporter, log, delivery, oneTimeLinkFor });
  const url = await listenOrClose(standalone);

  const told = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignal(process, {
      first: resolve,
      again() {
        reporter.status('stopped', { forced: true }, 'Told twice: stopping at once.');
        process.exit(1);
      },
    });
  });
  const { adapter, receiver } = standalone;
  const { data, text } = welcome({ url, settings, generated, dev: sources.dev ?? false, adapter });
  reporter.status('listening', data, text);
  if (adapter) void checkAtStart(adapter, log, () => !receiver.accepting);

  const signal = await told;
  const pending = pendingOf(standalone);
  const left = delivery ? 'stored and not handled; what does not run waits for the next start' : 'running';
  const wait = pending === 0 ? '' : ` ${pending} ${left}. The same again stops at once.`;
  const closed = standalone.close();
  reporter.status('stopping', { signal, pending }, `${signal}: stopping.${wait}`);
  const { unfinished } = await closed;
  const rest = unfinished === 0 ? 'everything finished' : `${unfinished} not finished in time`;
  reporter.status('stopped', { unfinished }, `Stopped: ${rest}.`);
  return unfinished === 0 ? 0 : 1;
}

/** What is stored must not be worked on by a program that nobody can reach. */
async function listenOrClose(standalone: Standalone): Promise<string> {
  try {
    return await standalone.listen();
  } catch (error) {
    await standalone.close();
    throw error;
  }
}

/** A database in trouble must not keep the program from stopping in good order. */
function pendingOf({ receiver }: Standalone): number {
  try {
    return receiver.stats().pending;
  } catch {
    return 0;
  }
}
