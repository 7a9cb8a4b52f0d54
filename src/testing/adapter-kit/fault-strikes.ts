import type { FaultScope, ProxiedRequest } from './fault-proxy.js';
import type { FaultAnswer } from './harness.js';

/** What happens to a request. */
export type Strike =
  | { readonly kind: 'answer'; readonly answer: FaultAnswer }
  | { readonly kind: 'lose' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'hold'; readonly released: Promise<void>; readonly release: () => void };

/** The faults that are on. */
export interface Strikes {
  add(strike: Strike, scope?: FaultScope): void;
  /** What happens to a request; `null` for nothing out of the ordinary. The fault that was added first strikes. */
  take(request: ProxiedRequest): Strike | null;
  clear(): void;
}

interface Pending {
  readonly strike: Strike;
  readonly match: (request: ProxiedRequest) => boolean;
  after: number;
  times: number;
}

/** Makes {@link Strikes}. */
export function createStrikes(): Strikes {
  let pending: Pending[] = [];

  return {
    add(strike, { times = 1, after = 0, match = () => true } = {}) {
      pending.push({ strike, match, after, times });
    },
    take(request) {
      for (const each of pending) {
        if (!each.match(request)) continue;
        if (each.after > 0) {
          each.after -= 1;
          continue;
        }
        each.times -= 1;
        if (each.times <= 0) pending = pending.filter((other) => other !== each);
        return each.strike;
      }
      return null;
    },
    clear() {
      for (const { strike } of pending) if (strike.kind === 'hold') strike.release();
      pending = [];
    },
  };
}
