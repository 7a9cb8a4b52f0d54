import {
  type DeliveredEvent,
  type FailureReport,
  type HandlerRun,
  type InlineOptions,
  inline,
} from '../../src/index.js';
import { logLines } from './log-lines.js';

/** An inline delivery whose handler is the test's, with its log and its reports in memory. */
export function startInline(
  handle: (event: DeliveredEvent, run: HandlerRun) => Promise<void> | void,
  options?: InlineOptions,
) {
  const logged = logLines();
  const reports: (Partial<FailureReport> & { readonly error: unknown })[] = [];
  const delivery = inline(options);
  delivery.connect({
    handles: () => true,
    // As the dispatcher: nothing is thrown at once, and what is done at once gives no promise.
    handle(event, run) {
      try {
        return handle(event, run) ?? undefined;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    greet: async () => {},
    report: (error, place) => reports.push({ ...place, error }),
    log: logged.log,
  });
  const accept = async (event: DeliveredEvent) => delivery.accept(event);
  return { delivery: { ...delivery, accept }, logged, reports };
}
