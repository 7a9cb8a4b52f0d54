import { onTestFinished } from 'vitest';
import type { Delivery } from '../../src/delivery/index.js';
import { createStandalone, type StandaloneParts } from '../../src/standalone/create-standalone.js';
import { readSettings } from '../../src/standalone/read-settings.js';
import { createReporter } from '../../src/standalone/reporter.js';
import { logLines } from '../helpers/log-lines.js';
import { ENVIRONMENT } from './environment.js';

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
