import type { Simulator } from '../simulator/index.js';

/** Resolves when every delivery that was sent is answered, or after `timeoutMs` of real time. */
export function settled({ traffic }: Simulator, timeoutMs: number): Promise<void> {
  const isOnItsWay = () =>
    traffic
      .exchanges()
      .some(({ direction, answer, error }) => direction === 'sent' && answer === null && error === null);
  if (!isOnItsWay()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    const forget = traffic.onChange(() => {
      if (!isOnItsWay()) done();
    });
  });
}
