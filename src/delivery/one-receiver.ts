import { configError } from '../internal/index.js';

const KEY = Symbol.for('handoff-kit.receivers');

/** The stores that receivers of this process use. On `globalThis`, since a process may load this package twice. */
const storesInUse = (): Set<string> => {
  const shared = globalThis as { [KEY]?: Set<string> };
  shared[KEY] ??= new Set();
  return shared[KEY];
};

/**
 * Notes that a receiver uses a store. Two receivers of one process that have the same store and name would handle each
 * other's events, which is a mistake; processes that share both are replicas. Returns a function to call when it is closed.
 */
export function useStore(location: string, receiver: string): () => void {
  const use = JSON.stringify([location, receiver]);
  if (storesInUse().has(use)) {
    throw configError(
      `another receiver of this process already uses ${location} under the name ${JSON.stringify(receiver)}, so they would handle each other's events. Give each receiver a name of its own (createReceiver({ name: … })), use one receiver with several bots, or close the first one.`,
    );
  }
  storesInUse().add(use);
  return () => void storesInUse().delete(use);
}

/** Throws when a delivery was given to a second receiver. */
export function checkUnconnected(host: object | undefined): void {
  if (!host) return;
  throw configError(
    'this delivery belongs to another receiver already. Create one for each receiver, with names of their own if they share a database, or use one receiver with several bots.',
  );
}
