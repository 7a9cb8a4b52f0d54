import { pino } from 'pino';
import { createLog } from '../logging/index.js';
import { createStandalone } from './create-standalone.js';
import { readSettings, type SettingSources } from './read-settings.js';
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
  const { settings, generated } = readSettings(sources);
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

  const standalone = createStandalone(settings, { reporter, log });
  const url = await standalone.listen();

  const told = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignal(process, {
      first: resolve,
      again() {
        reporter.status('stopped', { forced: true }, 'Told twice: stopping at once.');
        process.exit(1);
      },
    });
  });
  const { data, text } = welcome({ url, settings, generated, dev: sources.dev ?? false });
  reporter.status('listening', data, text);

  const signal = await told;
  const { pending } = standalone.receiver.stats();
  const wait = pending === 0 ? '' : ` Waiting for ${pending} running; the same again stops at once.`;
  const closed = standalone.close();
  reporter.status('stopping', { signal, pending }, `${signal}: stopping.${wait}`);
  const { unfinished } = await closed;
  const rest = unfinished === 0 ? 'everything finished' : `${unfinished} not finished in time`;
  reporter.status('stopped', { unfinished }, `Stopped: ${rest}.`);
  return unfinished === 0 ? 0 : 1;
}
