import type { ReceiverAddress } from './options.js';

/** A secret shorter than this would be found in half of all words. */
const SHORTEST_SECRET = 6;

/** The secrets of one bench, for keeping them out of what it prints. */
export interface Secrets {
  /** Learns the secrets of a receiver's address. */
  readonly add: (address: ReceiverAddress) => void;
  /** A text without them. */
  readonly hide: (text: string) => string;
}

/** Makes {@link Secrets} that know the API key. */
export function createSecrets(apiKey: string): Secrets {
  const known = [apiKey];
  return {
    add({ secret, token, handoff }) {
      const values = [secret, token, handoff?.secret, ...Object.values(handoff?.headers ?? {})];
      known.push(...values.filter((value) => value !== undefined));
    },
    hide: (text) =>
      known
        .filter((secret) => secret.length >= SHORTEST_SECRET)
        .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text),
  };
}
