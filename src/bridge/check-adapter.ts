import { configError, quantityOf } from '../internal/index.js';
import type { Adapter } from './adapter.js';

const NAME = /^[a-z][a-z0-9-]{0,30}$/;

/** Refuses an adapter whose parts do not fit together, before the first conversation finds out. */
export function checkAdapter(adapter: Adapter): void {
  const { name, capabilities } = adapter;
  if (!NAME.test(name)) {
    throw configError(
      `an adapter's name is lower-case letters, digits and hyphens, at most 31; got ${JSON.stringify(name)}.`,
    );
  }
  quantityOf(`${name}: capabilities.maxTextLength`, capabilities.maxTextLength);
  for (const way of capabilities.inbound) {
    const missing = NEEDED[way].filter((method) => typeof adapter[method] !== 'function');
    if (missing.length === 0) continue;
    throw configError(
      `${name} says that its agents' words come by ${way}, and has no ${missing.join(' and no ')}.`,
    );
  }
  if (capabilities.inbound.length === 0) {
    throw configError(`${name} must say how its agents' words come: capabilities.inbound is empty.`);
  }
}

const NEEDED = {
  webhook: ['verify', 'parse'],
  poll: ['poll'],
  stream: ['stream'],
} as const satisfies Record<string, readonly (keyof Adapter)[]>;
