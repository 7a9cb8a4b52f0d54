import {
  type DeliveredEvent,
  type FailureReport,
  type InlineOptions,
  inline,
  type Run,
} from '../../src/index.js';
import { logLines } from './log-lines.js';

/** An inline delivery whose handler is the test's, with its log and its reports in memory. */
export function startInline(
  handle: (event: DeliveredEvent, run: Run) => Promise<void> | void,
  options?: InlineOptions,
) {
  const logged = logLines();
  const reports: (Partial<FailureReport> & { readonly error: unknown })[] = [];
  const delivery = inline(options);
  delivery.start({
    handle: async (event, run) => handle(event, run),
    greet: async () => {},
    report: (error, place) => reports.push({ ...place, error }),
    log: logged.log,
  });
  return { delivery, logged, reports };
}
